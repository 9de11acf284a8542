// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace t3 {

/// The causes in the unit's register ERRORS, with commas: "stray, armed early". "" for 0.
std::string errorNames(std::uint32_t errors);

}  // namespace t3
