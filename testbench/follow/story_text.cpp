// SPDX-License-Identifier: Apache-2.0
#include "testbench/follow/story_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

namespace t3 {
namespace {

std::string oneDecimal(Picoseconds time) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", static_cast<double>(time) * 1e-3);
  return text.data();
}

}  // namespace

std::string microseconds(Picoseconds time) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3f us", static_cast<double>(time) * 1e-6);
  return text.data();
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::string gpuName(std::uint32_t gpu) { return "gpu" + std::to_string(gpu); }

std::string counted(std::uint64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

Picoseconds since(Picoseconds later, Picoseconds earlier) {
  return later - std::min(later, earlier);
}

void StoryText::note(const std::string& words) { text_ += std::string(29, ' ') + words + "\n"; }

void StoryText::line(Picoseconds when, const std::string& what, const std::string& reason,
                     std::vector<Wait> waits) {
  const Picoseconds passed = since(when, last_);
  Picoseconds rest = passed;
  for (Wait& wait : waits) {
    wait.time = std::min(wait.time, rest);
    rest -= wait.time;
  }
  waits.push_back({rest, reason});
  std::erase_if(waits, [](const Wait& wait) { return wait.time == 0; });
  std::string why;
  for (const Wait& wait : waits) {
    spend(wait);
    if (wait.reason.empty()) continue;
    why += why.empty() ? "   [" : ", ";
    if (waits.size() > 1) why += oneDecimal(wait.time) + " ns ";
    why += wait.reason;
  }
  if (!why.empty()) why += "]";
  times(when, begun_ ? "+" + oneDecimal(passed) : "");
  text_ += what + why + "\n";
  last_ = std::max(last_, when);
  begun_ = true;
}

void StoryText::lineIfLater(Picoseconds when, const std::string& what, const std::string& reason) {
  if (when > last_) line(when, what, reason);
}

void StoryText::aside(Picoseconds when, const std::string& what) {
  times(when, "");
  text_ += what + "\n";
}

void StoryText::times(Picoseconds when, const std::string& passed) {
  std::array<char, 64> columns;
  std::snprintf(columns.data(), columns.size(), "%14.3f %11s   ", static_cast<double>(when) * 1e-6,
                passed.c_str());
  text_ += columns.data();
}

void StoryText::spend(const Wait& wait) {
  if (!sums_) return;
  total_ += wait.time;
  const auto entry = std::ranges::find(spent_, wait.reason, &Wait::reason);
  if (entry == spent_.end()) {
    spent_.push_back(wait);
  } else {
    entry->time += wait.time;
  }
}

void StoryText::sum() {
  std::ranges::sort(spent_, std::ranges::greater{}, &Wait::time);
  title(microseconds(total_) + " from its store to here, by what it waited for:");
  for (const Wait& spent : spent_) {
    std::array<char, 160> entry;
    std::snprintf(entry.data(), entry.size(), "%14.3f us %5.1f%%   %s\n",
                  static_cast<double>(spent.time) * 1e-6,
                  100.0 * static_cast<double>(spent.time) / static_cast<double>(total_),
                  spent.reason.c_str());
    text_ += entry.data();
  }
}

}  // namespace t3
