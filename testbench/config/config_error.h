// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace t3 {

/// Something the person at the keyboard has to change: a file, an option or a setting. `what()` is
/// one line, "<source>: <key>: <what was expected>"; the program prints it and exits with 2.
class ConfigError : public std::runtime_error {
 public:
  /// `source` is a file or an option, `key` the dotted path of a setting; either may be empty.
  ConfigError(const std::string& source, const std::string& key, const std::string& expected)
      : std::runtime_error(join(source, join(key, expected))) {}

 private:
  static std::string join(const std::string& head, const std::string& tail) {
    return head.empty() ? tail : head + ": " + tail;
  }
};

}  // namespace t3
