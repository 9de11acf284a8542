// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace t3 {

/// An iteration that the program knows by name: a trace of workloads/, the same for all its GPUs.
struct ShippedIteration {
  const char* name;
  const char* summary;  ///< one line
  const char* preset;   ///< whose machine it runs on if none is named
  std::uint32_t gpus;
  std::string_view bytes;  ///< of the trace
};

std::span<const ShippedIteration> shippedIterations();

std::vector<std::string> iterationNames();

/// Null if there is none of that name.
const ShippedIteration* findIteration(std::string_view name);
/// The same, if no file has that name.
const ShippedIteration* shippedAs(const std::string& word);

}  // namespace t3
