// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace t3 {

/// `text` with the characters that are special in HTML replaced.
std::string escaped(const std::string& text);

/// The base64 form of `bytes`, as data URLs use it.
std::string base64(const std::string& bytes);

/// A table of plain texts; it escapes them.
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
