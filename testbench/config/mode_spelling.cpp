// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/mode_spelling.h"

#include <charconv>

#include "testbench/config/spelling.h"

namespace t3 {
namespace {

constexpr char kSeparator = ':';

}  // namespace

std::string spelling(const Mode& mode) {
  const std::string kind = spelling(mode.kind);
  return mode.kind == ModeKind::CuSplit ? kind + kSeparator + std::to_string(mode.split_units)
                                        : kind;
}

bool readSpelling(std::string_view word, Mode& mode) {
  const std::size_t separator = word.find(kSeparator);
  const auto kind = fromSpelling<ModeKind>(word.substr(0, separator));
  if (!kind || (*kind == ModeKind::CuSplit) != (separator != std::string_view::npos)) return false;
  mode = {*kind, 0};
  if (separator == std::string_view::npos) return true;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + separator + 1, end, mode.split_units);
  return error == std::errc() && stop == end && mode.split_units > 0;
}

std::vector<std::string> modeSpellings() {
  std::vector<std::string> words = spellings<ModeKind>();
  for (std::string& word : words) {
    if (word == spelling(ModeKind::CuSplit)) word += ":K";
  }
  return words;
}

std::vector<Mode> modesWithoutNumber() {
  std::vector<Mode> modes;
  for (const std::string& word : spellings<ModeKind>()) {
    if (Mode mode; readSpelling(word, mode)) modes.push_back(mode);
  }
  return modes;
}

}  // namespace t3
