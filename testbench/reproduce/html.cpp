// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/html.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "testbench/config/utf8.h"

namespace t3 {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : asUtf8(text)) {
    // Neither HTML nor XML, in pictures, has a way to write other control characters.
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
      out += "\xef\xbf\xbd";
      continue;
    }
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string definitionList(const std::vector<std::pair<std::string, std::string>>& terms) {
  std::string text = "<dl>\n";
  for (const auto& [word, meaning] : terms) {
    text += "<div><dt>" + escaped(word) + "</dt><dd>" + escaped(meaning) + "</dd></div>\n";
  }
  return text + "</dl>\n";
}

namespace {

/// A vowel beside another letter: "as is", "2 x compute", but not 1e+05 or GB/s.
bool isWords(const std::string& cell) {
  const auto letter = [&](std::size_t i) {
    return i < cell.size() && std::isalpha(static_cast<unsigned char>(cell[i])) != 0;
  };
  for (std::size_t i = cell.find_first_of("aeiou"); i != std::string::npos;
       i = cell.find_first_of("aeiou", i + 1)) {
    if ((i > 0 && letter(i - 1)) || letter(i + 1)) return true;
  }
  return false;
}

}  // namespace

bool HtmlTable::hasWords(std::size_t column) const {
  if (column < rowHeadings_) return true;
  return std::ranges::any_of(
      rows_, [&](const std::vector<std::string>& row) { return isWords(row[column]); });
}

std::string HtmlTable::text() const {
  std::vector<std::string> left;  // the attribute of each column
  for (std::size_t i = 0; i < heading_.size(); ++i) {
    left.emplace_back(hasWords(i) ? " class=\"words\"" : "");
  }
  const bool list = whenNarrow_ == WhenNarrow::List;
  std::string text = std::string("<div class=\"") + (list ? "few" : "wide") +
                     R"(" role="region" tabindex="0" aria-label=")" + caption_ +
                     "\">\n<table>\n<caption>" + caption_ + "</caption>\n<thead><tr>";
  for (std::size_t i = 0; i < heading_.size(); ++i) {
    text += "<th scope=\"col\"" + left[i] + ">" + escaped(heading_[i]) + "</th>";
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows_) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string of = list ? " data-of=\"" + escaped(heading_[i]) + "\"" : "";
      text += i < rowHeadings_ ? "<th scope=\"row\">" + escaped(row[i]) + "</th>"
                               : "<td" + left[i] + of + ">" + escaped(row[i]) + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace t3
