// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace t3 {

/// Whether a text is valid UTF-8: no byte out of place, no overlong form, no surrogate.
bool isUtf8(std::string_view text);

/// The same text with U+FFFD in place of each byte that is none: names of files and labels may hold
/// any bytes, but the files that name them have to be valid.
std::string asUtf8(std::string_view text);

}  // namespace t3
