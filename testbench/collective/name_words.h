// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace t3 {

/// The parts of the name of an algorithm between its underscores.
inline std::vector<std::string> nameWords(const std::string& name) {
  std::vector<std::string> words;
  std::istringstream in(name + "_");
  for (std::string word; std::getline(in, word, '_');) words.push_back(word);
  return words;
}

/// A part that is a number from 1 to 64: channels, instances, rows.
inline std::optional<std::uint32_t> smallNumber(const std::string& word) {
  constexpr std::uint32_t kMost = 64;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc{} && end == word.data() + word.size();
  return whole && value >= 1 && value <= kMost ? std::optional(value) : std::nullopt;
}

}  // namespace t3
