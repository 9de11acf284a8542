// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace t3 {

/// `text`, one paragraph, in lines of at most `width` characters unless a word is longer. Each
/// begins with `indent` and ends with a line feed.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent = "");

}  // namespace t3
