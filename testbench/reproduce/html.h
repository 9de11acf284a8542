// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace t3 {

/// `text` as HTML that shows it as it is.
std::string escaped(const std::string& text);

/// Bytes as they stand in a data URL.
std::string base64(const std::string& bytes);

/// A table of texts, which it escapes.
class HtmlTable {
 public:
  explicit HtmlTable(const std::vector<std::string>& heading) { row(heading, "th"); }
  void row(const std::vector<std::string>& cells) { row(cells, "td"); }
  std::string text() const { return "<table>\n" + text_ + "</table>\n"; }

 private:
  void row(const std::vector<std::string>& cells, const std::string& tag);

  std::string text_;
};

}  // namespace t3
