// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/mode_spelling.h"

#include <charconv>

namespace t3 {
namespace {

constexpr char kSeparator = ':';

}  // namespace

std::string spelling(const Mode& mode) {
  const std::string name = mode.kind->name;
  return mode.kind->takesNumber ? name + kSeparator + std::to_string(mode.number) : name;
}

bool readSpelling(std::string_view word, Mode& mode) {
  const std::size_t separator = word.find(kSeparator);
  const bool numbered = separator != std::string_view::npos;
  const ModeKind* kind = Choice<ModeKind>::find(word.substr(0, separator));
  if (kind == nullptr || kind->takesNumber != numbered) return false;
  mode = {*kind, 0};
  if (!numbered) return true;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + separator + 1, end, mode.number);
  return error == std::errc() && stop == end && mode.number > 0;
}

std::vector<std::string> modeSpellings() {
  std::vector<std::string> words;
  for (const ModeKind* kind : ModeKind::table()) {
    words.emplace_back(kind->name);
    if (kind->takesNumber) words.back() += ":K";
  }
  return words;
}

std::vector<Mode> modesWithoutNumber() {
  std::vector<Mode> modes;
  for (const ModeKind* kind : ModeKind::table()) {
    if (!kind->takesNumber && !kind->needsMerging) modes.push_back({*kind, 0});
  }
  return modes;
}

}  // namespace t3
