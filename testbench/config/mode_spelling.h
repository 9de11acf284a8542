// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbench/config/spelling.h"
#include "tlm/node/mode.h"

namespace t3 {

/// "sequential", "cu-split:8", …
inline std::string spelling(const Mode& mode) {
  const std::string name = mode.kind->name;
  return mode.kind->takesNumber ? name + ":" + std::to_string(mode.number) : name;
}

/// The inverse; false if `word` is none. A mode's number is any whole number from 1 on.
inline bool readSpelling(std::string_view word, Mode& mode) {
  const std::size_t separator = word.find(':');
  const bool numbered = separator != std::string_view::npos;
  const ModeKind* kind = Choice<ModeKind>::find(word.substr(0, separator));
  if (kind == nullptr || kind->takesNumber != numbered) return false;
  mode = {*kind, 0};
  if (!numbered) return true;
  mode.number = numberFrom<decltype(mode.number)>(word.substr(separator + 1)).value_or(0);
  return mode.number > 0;
}

/// For people: all modes, with "cu-split:K".
inline std::vector<std::string> modeSpellings() {
  std::vector<std::string> words;
  for (const ModeKind* kind : ModeKind::table()) {
    words.push_back(std::string(kind->name) + (kind->takesNumber ? ":K" : ""));
  }
  return words;
}

/// All modes that need no number.
inline std::vector<Mode> modesWithoutNumber() {
  std::vector<Mode> modes;
  for (const ModeKind* kind : ModeKind::table()) {
    if (!kind->takesNumber && !kind->needsMerging) modes.push_back({*kind, 0});
  }
  return modes;
}

}  // namespace t3
