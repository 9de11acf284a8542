// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace t3 {

/// The name of part `index` of several alike: "link", "link_1", "link_2" …
inline std::string numbered(const std::string& name, std::uint32_t index) {
  return index == 0 ? name : name + "_" + std::to_string(index);
}

}  // namespace t3
