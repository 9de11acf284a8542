// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/switch/switch_figures.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What the numbers of an update are, as the merge unit's ports say it. None: not to be added.
enum class MergeFormat : std::uint8_t { Fp16, Bf16, Fp32, None };

/// Of an operation in memory: the unit adds floating-point numbers, and nothing else.
constexpr MergeFormat mergeFormat(MemoryOperation operation, DataType type) {
  if (operation != MemoryOperation::Add) return MergeFormat::None;
  switch (type) {
    case DataType::Fp16:
      return MergeFormat::Fp16;
    case DataType::Bf16:
      return MergeFormat::Bf16;
    case DataType::Fp32:
      return MergeFormat::Fp32;
    case DataType::Int32:
      break;
  }
  return MergeFormat::None;
}

/// An update on its way through a merge unit: the sum of `count` contributions to a line.
struct MergeFlit {
  std::uint64_t line = 0;
  std::uint32_t count = 1;
  MergeFormat format = MergeFormat::None;
  std::vector<unsigned char>
      values;  ///< of a line, or of what a sender has of it; empty: sizes only

  bool operator==(const MergeFlit&) const = default;
};

/// The merge table of docs/switch-merge.md (promises 2, 3, 5, 9), without time: what each update
/// and each visit of the sweep does to it, and what leaves. An update that finds no place puts the
/// oldest entry of its set out.
class MergeTable {
 public:
  MergeTable(std::uint32_t sets, std::uint32_t ways);

  /// An update is taken; returns what leaves for it.
  std::optional<MergeFlit> take(MergeFlit update, std::uint32_t expected, bool draining = false);
  /// The sweep visits a set; returns what it puts out. Nothing: all entries of the set are marked.
  std::optional<MergeFlit> visit(std::uint32_t set, bool draining = false);

  std::uint32_t sets() const { return static_cast<std::uint32_t>(sets_.size()); }
  std::size_t entries() const { return entries_; }
  bool empty() const { return entries_ == 0; }
  const MergeFigures& figures() const { return figures_; }

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
  MergeFigures figures_;  ///< without bytes
};

/// Sizes and settings of a merge unit, as docs/switch-merge.md calls them.
struct MergeConfig {
  std::uint32_t sets = 128;
  std::uint32_t ways = 4;
  std::uint32_t credits = 8;   ///< of each class
  std::uint32_t expected = 0;  ///< contributions of a complete sum; below 2: nothing is joined
  std::uint64_t age = 0;       ///< cycles between two rounds, less one; 0: no rounds
};

/// A plain write on its way through.
struct MergeWrite {
  std::uint64_t line = 0;
  std::vector<unsigned char> values;

  bool operator==(const MergeWrite&) const = default;
};

/// The merge unit of docs/switch-merge.md, cycle by cycle: the twin of the RTL. In a cycle look at
/// `updateReady`, `writeReady` and `onLink`, which do not depend on what comes; then `clock` with
/// what comes.
class MergeUnit {
 public:
  /// What comes in a cycle. An update or write is taken if the unit is ready for it; then it is
  /// moved from.
  struct Inputs {
    std::optional<MergeFlit> update;
    std::optional<MergeWrite> write;
    bool updateCredit = false;
    bool writeCredit = false;
  };
  /// What the link takes in a cycle: one of them, or nothing.
  struct OnLink {
    const MergeFlit* update = nullptr;
    const MergeWrite* write = nullptr;
  };

  explicit MergeUnit(const MergeConfig& config);

  void expect(std::uint32_t expected) { config_.expected = expected; }
  void age(std::uint64_t age) { config_.age = age; }
  void drain(bool draining) { drainWanted_ = draining; }

  bool updateReady() const { return moves() && !sweepHolds(); }
  bool writeReady() const { return !write_ || turn() == kWrite; }
  OnLink onLink() const;
  void clock(Inputs inputs);

  /// No update and no write is inside.
  bool empty() const;

  /// Cycles from here in which, if nothing comes, nothing changes but the time to the next round.
  static constexpr std::uint64_t kForEver = ~std::uint64_t{0};
  std::uint64_t quiet() const;
  /// So many of them, or fewer, in one call.
  void pass(std::uint64_t cycles);

  const MergeTable& table() const { return table_; }

 private:
  enum Class : std::size_t { kUpdate, kWrite, kNone };
  enum class Sweep : std::uint8_t { Clear, Rest, Round };
  static constexpr std::uint32_t kMostWaits = 15;

  Class turn() const;
  bool moves() const { return !stages_.back() || turn() == kUpdate; }
  bool wantsVisit() const;
  bool sweepHolds() const;
  bool isTimeForRound() const { return !lastTime_ || now_ - *lastTime_ > config_.age; }
  bool roundMayBegin() const;

  MergeConfig config_;
  MergeTable table_;
  bool draining_ = false;
  bool drainWanted_ = false;

  /// What is in cycle B: the operation is done there.
  struct Operation {
    std::optional<MergeFlit> update;
    std::optional<std::uint32_t> visit;  ///< a set
  };
  Operation operation_;
  /// What leaves, in C, D and E.
  std::array<std::optional<MergeFlit>, 3> stages_;
  /// C and D hold something, if only an update that was added.
  std::array<bool, 2> busy_{};
  std::optional<MergeWrite> write_;

  Sweep sweep_ = Sweep::Clear;
  std::uint32_t set_ = 0;
  std::uint32_t waits_ = 0;
  std::uint64_t now_ = 0;                  ///< cycles since reset
  std::optional<std::uint64_t> lastTime_;  ///< the cycle of the last time for a round

  std::array<std::uint32_t, 2> credits_;
  Class last_ = kWrite;
};

}  // namespace t3
