// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace t3 {

/// The causes in the unit's register ERRORS, with commas: "stray, armed early". "" for 0.
std::string errorNames(std::uint32_t errors);

/// "REG_SLOT_FIRST of region 2 (0x0890)", "SLOT 41 (0x80a4)"; "0x3000" where there is no register.
std::string registerText(std::uint32_t offset);

/// What it holds, by its fields: "missing 128", "waits, spoiled", "0", "1024 (0x400)".
std::string registerValueText(std::uint32_t offset, std::uint32_t value);

}  // namespace t3
