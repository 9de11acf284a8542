// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace t3 {

/// Counts what is not simulated as the trace has it; a line for each kind, in the order in which
/// they were met.
class Notes {
 public:
  /// `example` is told of the first.
  void add(const std::string& kind, const std::string& example, std::uint64_t count = 1) {
    const auto [entry, isNew] = byKind_.emplace(kind, order_.size());
    if (isNew) order_.push_back({kind, example, 0});
    order_[entry->second].count += count;
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const Note& note : order_) {
      all.push_back(std::to_string(note.count) + " " + note.kind +
                    (note.example.empty() ? "" : " (first: " + note.example + ")"));
    }
    return all;
  }

 private:
  struct Note {
    std::string kind, example;
    std::uint64_t count;
  };
  std::map<std::string, std::size_t> byKind_;
  std::vector<Note> order_;
};

}  // namespace t3
