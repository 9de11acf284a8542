// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace t3 {

/// Parses JSON in which comments and trailing commas are allowed. A key that occurs twice in one
/// object is an error (Boost.JSON alone would keep the last). Throws ConfigError with `source`, the
/// line and column of the error, and what was expected and found there.
boost::json::value parseJsonText(std::string_view text, const std::string& source);

/// The same for a whole file, named by its path in errors.
boost::json::value parseJsonFile(const std::string& path);

/// JSON for people and programs: two spaces of indentation, numbers in plain decimals where that is
/// exact, short arrays and objects of plain values on one line. Ends with a line break.
std::string formatJson(const boost::json::value& value);

/// A text in quotes, with escapes; bytes that are no UTF-8 are replaced.
std::string quotedJson(std::string_view text);

/// The shortest decimal that reads back as the same double, without exponent where reasonable.
std::string formatNumber(double value);

}  // namespace t3
