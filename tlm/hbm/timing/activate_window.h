// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/timing/timing_table.h"

namespace t3 {

/// Distances between activates (row clears, per-bank refreshes) of different banks: tRRDS and
/// tRRDL, tRREFD, and at most four activates in any tFAW. A row clear counts as two of them,
/// because a bank that copies a row of zeros activates two rows.
///
/// The activate of a bank that waits for its own precharge is planned far ahead. Activates of other
/// banks may then use an earlier gap, if it is long enough. So commands enter this window in any
/// order of time.
class ActivateWindow {
 public:
  explicit ActivateWindow(const TimingTable& table) : table_(table) {
    for (const TimingRule& rule : table.rules()) {
      if (spacedByWindow(rule)) reach_ = std::max(reach_, rule.delay);
    }
    reach_ = std::max(reach_, table.faw());
    width_ = table.activateCommandClocks();
    cadence_ = std::max({spacing(DramCommandKind::Activate, DramCommandKind::Activate, false),
                         table.faw() / 4, width_ + 1});
  }

  /// What a command counts towards tFAW.
  static constexpr std::size_t activates(DramCommandKind kind) {
    return kind == DramCommandKind::Activate ? 1 : kind == DramCommandKind::RowClear ? 2 : 0;
  }

  /// First clock at or after `earliest` at which `kind` in bank group `group` fits.
  Cycles find(DramCommandKind kind, std::uint32_t group, Cycles earliest) {
    Cycles at = earliest;
    while (Cycles later = conflict(kind, group, at)) at = later;
    return at;
  }

  /// First clock at which an activate in bank group `group` may follow everything entered so far:
  /// no gap is looked for, so it costs three comparisons.
  Cycles behind(std::uint32_t group) const {
    Cycles at = groupReady_[group];
    if (first_ == end_) return at;
    const Entry& last = entries_[end_ - 1];
    at = std::max(at, last.at + spacing(last.kind, DramCommandKind::Activate, false));
    if (end_ - first_ >= 4) at = std::max(at, entries_[end_ - 4].at + table_.faw());
    return at;
  }

  /// First clock at or after `at` that leaves the row bus to the activates that are to be expected
  /// if they follow those entered so far at their shortest distance.
  Cycles besideActivates(Cycles at) const {
    if (first_ == end_) return at;
    const Cycles distance = at - entries_[end_ - 1].at;
    if (distance <= 0 || distance >= table_.faw()) return at;  // between two, or nothing to expect
    const Cycles phase = distance % cadence_;
    return phase < width_ ? at + width_ - phase : at;
  }

  /// Enters a command at a clock that `find` gave. Forgets commands that no longer limit anything
  /// at or after `now`.
  void take(DramCommandKind kind, std::uint32_t group, Cycles at, Cycles now) {
    while (first_ < end_ && entries_[first_].at + reach_ <= now) ++first_;
    if (end_ == entries_.size()) {
      std::copy(entries_.begin() + static_cast<std::ptrdiff_t>(first_), entries_.end(),
                entries_.begin());
      end_ -= first_;
      first_ = 0;
    }
    std::size_t place = end_++;
    for (; place > first_ && entries_[place - 1].at > at; --place) {
      entries_[place] = entries_[place - 1];
    }
    entries_[place] = {at, group, kind};
    groupReady_[group] =
        std::max(groupReady_[group], at + spacing(kind, DramCommandKind::Activate, true));
  }

  static constexpr std::uint32_t kMaxGroups = 16;

 private:
  struct Entry {
    Cycles at;
    std::uint32_t group;
    DramCommandKind kind;
  };

  Cycles spacing(DramCommandKind previous, DramCommandKind next, bool sameGroup) const {
    const Cycles channel = table_.delay(previous, next, RuleScope::Channel);
    return sameGroup ? std::max(channel, table_.delay(previous, next, RuleScope::Group)) : channel;
  }

  /// 0 if `kind` fits at `at`, else a later clock to try.
  Cycles conflict(DramCommandKind kind, std::uint32_t group, Cycles at) const {
    for (std::size_t i = end_; i-- > first_;) {
      const Entry& entry = entries_[i];
      const bool sameGroup = entry.group == group;
      if (entry.at <= at) {
        const Cycles ready = entry.at + spacing(entry.kind, kind, sameGroup);
        if (ready > at) return ready;
        if (entry.at + reach_ <= at) break;  // sorted: all others are older still
      } else if (at + spacing(kind, entry.kind, sameGroup) > entry.at) {
        return entry.at + spacing(entry.kind, kind, sameGroup);
      }
    }
    return activates(kind) != 0 ? fawConflict(at, activates(kind)) : 0;
  }

  Cycles fawConflict(Cycles at, std::size_t own) const {
    // Activates around `at`, nearest first, at most four on each side.
    std::array<Cycles, 4> before, after;
    std::size_t befores = 0, afters = 0;
    std::size_t split = end_;
    while (split > first_ && entries_[split - 1].at > at) --split;
    for (std::size_t i = split; i-- > first_ && befores < 4;) {
      for (std::size_t n = activates(entries_[i].kind); n > 0 && befores < 4; --n) {
        before[befores++] = entries_[i].at;
      }
    }
    for (std::size_t i = split; i < end_ && afters < 4; ++i) {
      for (std::size_t n = activates(entries_[i].kind); n > 0 && afters < 4; --n) {
        after[afters++] = entries_[i].at;
      }
    }
    // Every run of five consecutive activates that contains the new ones must span tFAW.
    const std::size_t others = 5 - own;
    for (std::size_t earlier = 0; earlier <= others; ++earlier) {
      const std::size_t later = others - earlier;
      if (earlier > befores || later > afters) continue;
      const Cycles first = earlier == 0 ? at : before[earlier - 1];
      const Cycles last = later == 0 ? at : after[later - 1];
      if (last - first >= table_.faw()) continue;
      if (later == 0) return first + table_.faw();
      return after[0];  // no room in this gap: behind the next activate
    }
    return 0;
  }

  const TimingTable& table_;
  Cycles reach_ = 0;
  Cycles cadence_ = 0;  ///< shortest mean distance of activates
  Cycles width_ = 0;    ///< of an activate on the row bus
  /// Those in use are [first_, end_): at most one planned activate for each bank, and the activates
  /// of the last tFAW. That is far fewer than there is room for.
  std::array<Entry, 256> entries_{};
  std::size_t first_ = 0, end_ = 0;
  /// By bank group: when an activate may follow those entered there.
  std::array<Cycles, kMaxGroups> groupReady_{};
};

}  // namespace t3
