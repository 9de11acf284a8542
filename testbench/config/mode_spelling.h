// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tlm/node/mode.h"

namespace t3 {

/// "sequential", "cu-split:8", …
std::string spelling(const Mode& mode);
/// The inverse; false if `word` is none. A mode's number is any whole number from 1 on.
bool readSpelling(std::string_view word, Mode& mode);
/// For people: all modes, with "cu-split:K".
std::vector<std::string> modeSpellings();
/// All modes that need no number.
std::vector<Mode> modesWithoutNumber();

}  // namespace t3
