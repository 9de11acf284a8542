// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace t3 {

/// Something the user has to change: a file, an option or a setting. `what()` is one line,
/// "<source>: <key>: <what was expected>"; the program prints it and exits with 2. Control
/// characters are shown as in C, \n and \x1b.
class ConfigError : public std::runtime_error {
 public:
  /// `source` is a file or an option, `key` the dotted path of a setting; either may be empty.
  ConfigError(const std::string& source, const std::string& key, const std::string& expected)
      : std::runtime_error(oneLine(join(source, join(key, expected)))) {}

 private:
  static std::string join(const std::string& head, const std::string& tail) {
    return head.empty() ? tail : head + ": " + tail;
  }
  static std::string oneLine(const std::string& text) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string line;
    for (const char c : text) {
      const auto code = static_cast<unsigned char>(c);
      if (code >= 0x20 && code != 0x7f) {
        line += c;
      } else if (c == '\n') {
        line += "\\n";
      } else {
        line += std::string("\\x") + kDigits[code / 16] + kDigits[code % 16];
      }
    }
    return line;
  }
};

}  // namespace t3
