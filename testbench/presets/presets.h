// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
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
  std::string key;           ///< <sublayer> of the name; "" for the small ones
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

/// The preset if none is named: a default SystemConfig with labels.
inline constexpr const char* kDefaultPreset = "t-nlg-fc2-tp8";

/// One setting of a machine, and where its value is from.
struct MachineSetting {
  std::string assignment;  ///< key.path=value
  std::string origin;      ///< a published figure, a measured file that gave it, or "assumption"
};
BOOST_DESCRIBE_STRUCT(MachineSetting, (), (assignment, origin))

/// Hardware that a scenario can run on: settings applied before those of the user
/// (docs/silicon.md).
struct KnownMachine {
  std::string name;
  std::string summary;            ///< one line
  std::vector<std::string> data;  ///< files of data/silicon that judge it
  /// What gave it settings, as `NAME` of the data or `NAME SIZE`; all else judges it.
  std::vector<std::string> measured;
  std::vector<MachineSetting> settings;
  /// On top of these, of the kernels that load sums from a switch and store to all GPUs.
  std::vector<MachineSetting> multimem;
};
BOOST_DESCRIBE_STRUCT(KnownMachine, (), (name, summary, data, measured, settings, multimem))

/// All machines: the files of data/machines, which are in the program.
const std::vector<KnownMachine>& machines();
std::vector<std::string> machineNames();
/// The machine called `name`; throws ConfigError, with the nearest one, if there is none.
const KnownMachine& machineNamed(const std::string& name, const std::string& option);

}  // namespace t3
