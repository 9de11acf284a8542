// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/switch/merge_flit.h"

namespace t3 {

/// The merge table of docs/switch-merge.md (promises 2, 3, 5, 9), without time: what each update
/// and each visit of the sweep does to it, and what leaves. Nothing is ever full: an update that
/// finds no place puts the oldest entry of its set out.
class MergeTable {
 public:
  /// What became of the updates so far. `complete + partial + aged + passed` have left.
  struct Statistics {
    std::uint64_t taken = 0;     ///< updates
    std::uint64_t joined = 0;    ///< updates that were added to an entry
    std::uint64_t complete = 0;  ///< sums that left with all expected contributions
    std::uint64_t partial = 0;   ///< entries that made room for an update
    std::uint64_t aged = 0;      ///< entries that a visit put out
    std::uint64_t passed = 0;    ///< updates that left as they came
    std::size_t most = 0;        ///< entries that were in use at the same time

    bool operator==(const Statistics&) const = default;
  };

  MergeTable(std::uint32_t sets, std::uint32_t ways);

  /// An update is taken; returns what leaves for it.
  std::optional<MergeFlit> take(MergeFlit update, std::uint32_t expected, bool draining = false);
  /// The sweep visits a set; returns what it puts out. Nothing: all entries of the set are marked.
  std::optional<MergeFlit> visit(std::uint32_t set, bool draining = false);

  std::uint32_t sets() const { return static_cast<std::uint32_t>(sets_.size()); }
  std::size_t entries() const { return entries_; }
  bool empty() const { return entries_ == 0; }
  const Statistics& statistics() const { return statistics_; }

 private:
  struct Entry {
    MergeFlit sum;
    bool marked = false;
  };
  using Set = std::vector<Entry>;  ///< oldest first

  std::uint32_t setOf(std::uint64_t line) const;
  MergeFlit remove(Set& set, Set::iterator entry);
  void insert(Set& set, MergeFlit update);

  std::vector<Set> sets_;
  std::uint32_t ways_;
  std::size_t entries_ = 0;
  Statistics statistics_;
};

}  // namespace t3
