// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace t3 {

/// Parses JSON with comments and trailing commas. A key that occurs twice in an object is an error
/// (Boost.JSON alone would keep the last). Throws ConfigError with `source`, line and column, and
/// what was expected and found there.
boost::json::value parseJsonText(std::string_view text, const std::string& source);

/// The same for a whole file, named by its path in errors.
boost::json::value parseJsonFile(const std::string& path);

/// A JSON file, and where its values stand.
struct JsonFile {
  explicit JsonFile(const std::string& file);

  /// "FILE: line 7" of the key at a dotted path; "FILE" if there is none.
  std::string placeOf(const std::string& key) const;
  /// The same of the key that a violated rule, "key: expected …", is about.
  std::string placeOfRule(const std::string& violated) const {
    return placeOf(violated.substr(0, violated.find(": ")));
  }

  std::string path, text;
  boost::json::value value;
};

/// JSON for people and programs: two spaces of indentation, numbers in plain decimals where that is
/// exact, short arrays and objects of plain values on one line. Ends with a line break.
std::string formatJson(const boost::json::value& value);

/// A text in quotes, with escapes; bytes that are no UTF-8 are replaced.
std::string quotedJson(std::string_view text);

/// The shortest decimal that reads back as the same double, without exponent where reasonable.
std::string formatNumber(double value);

}  // namespace t3
