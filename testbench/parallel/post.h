// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace t3 {

struct Letter {
  std::uint32_t from = 0;
  std::string text;
};

/// Letters between processes that were started together. Those of one sender arrive in order.
class Post {
 public:
  virtual ~Post() = default;

  /// The number of this process, and of how many there are.
  virtual std::uint32_t self() const = 0;
  virtual std::uint32_t count() const = 0;

  /// May wait until the other process looks for letters.
  virtual void send(std::uint32_t to, const std::string& text) = 0;
  /// The next letter, if one is there.
  virtual std::optional<Letter> receive() = 0;
  /// The next letter; waits for it without a load on the core.
  virtual Letter wait() = 0;
};

}  // namespace t3
