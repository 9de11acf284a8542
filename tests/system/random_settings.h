// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>

#include "tests/system/runs.h"

namespace t3::test {

/// A random machine in t3sim's words, as a user might ask for one.
class RandomSettings {
 public:
  explicit RandomSettings(std::uint64_t seed) : random_(seed) {}

  /// One of them. Of numbers or words that stand more than once, more often.
  template <typename T>
  T any(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  std::string any(const auto&... words) {
    const std::array list{std::string(words)...};
    return list[below(list.size())];
  }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  /// From 1 on.
  std::uint64_t upTo(std::uint64_t most) { return 1 + below(most); }

  void set(const std::string& key, const std::string& value) {
    words_.insert(words_.end(), {"--set", key + "=" + value});
  }
  void set(const std::string& key, std::integral auto value) { set(key, std::to_string(value)); }

  /// What was set since the last call.
  Words take() { return std::exchange(words_, {}); }

 private:
  std::mt19937_64 random_;
  Words words_;
};

}  // namespace t3::test
