// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/html.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace t3 {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
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

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

void HtmlTable::row(const std::vector<std::string>& cells, const std::string& tag) {
  text_ += "<tr>";
  for (const std::string& cell : cells) {
    text_ += "<" + tag + ">" + escaped(cell) + "</" + tag + ">";
  }
  text_ += "</tr>\n";
}

}  // namespace t3
