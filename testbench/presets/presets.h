// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/node/system_config.h"

namespace t3 {

/// A scenario that ships with the program.
struct Preset {
  std::string name;          ///< <model>-<sublayer>-tp<N>, of pairs both sublayers, or tiny-…
  std::string summary;       ///< one line
  std::string role;          ///< of the sublayer in the model; "" for the small ones
  std::uint32_t hidden = 0;  ///< hidden size of the model; 0 for the small ones
  std::uint32_t layers = 0;  ///< layers of the model that have this sublayer; 0 for the small ones
  bool evaluated = false;    ///< whether it is one of the paper's evaluation
  bool pair = false;         ///< a norm and a second GEMM follow (docs/consumer.md)
  SystemConfig config;
};

/// All presets: the paper's models by sublayer and tensor-parallel degree, larger models of the
/// future, one on hundreds of GPUs in nodes, then small ones.
const std::vector<Preset>& presets();

std::vector<std::string> presetNames();

/// Null if there is no preset of that name.
const Preset* findPreset(std::string_view name);

/// The preset that runs when neither a preset nor a file is named; equal to a default SystemConfig,
/// but for the labels, which that has not.
inline constexpr const char* kDefaultPreset = "t-nlg-fc2-tp8";

}  // namespace t3
