// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace t3 {

/// Where a text stops being JSON, and what should stand there.
struct JsonProblem {
  std::size_t offset = 0;
  std::string expected;  ///< "',' or '}'"
  std::string found;     ///< "'gpu'" or "the end"
};

/// The first problem of the grammar, with comments and trailing commas allowed; nothing if there is
/// none. Parsers of Boost.JSON say only that there is one.
std::optional<JsonProblem> findJsonProblem(std::string_view text);

}  // namespace t3
