// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/paragraph.h"

#include <sstream>

namespace t3 {

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::istringstream words(text);
  std::string out, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + '\n';
      line.clear();
    }
    line += (line.empty() ? indent : " ") + word;
  }
  return out + line + '\n';
}

}  // namespace t3
