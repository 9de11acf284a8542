// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/timing/timing_table.h"

namespace t3 {

/// Distances between activates (row clears, per-bank refreshes) of different banks: tRRDS, tRRDL,
/// tRREFD, and at most four activates in any tFAW. A row clear counts as two: a bank that copies a
/// row of zeros activates two rows.
///
/// The activate of a bank that waits for its own precharge is planned far ahead, and others may use
/// an earlier gap. So commands enter in any order of time.
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

/// Which clocks of the row command bus are taken, one bit for each clock of a moving window: row
/// commands are planned ahead and not in order of time.
class RowBus {
 public:
  /// First clock at or after `earliest` with `width` free clocks; does not take them.
  Cycles find(Cycles earliest, Cycles width) {
    for (;;) {
      Cycles blocked = -1;
      for (Cycles at = earliest + width - 1; at >= earliest; --at) {
        if (taken(at)) {
          blocked = at;
          break;
        }
      }
      if (blocked < 0) return earliest;
      earliest = blocked + 1;
    }
  }

  void take(Cycles at, Cycles width) {
    for (Cycles clock = at; clock < at + width; ++clock) {
      Word& word = words_[indexOf(clock)];
      if (word.window != windowOf(clock)) word = {windowOf(clock), 0};
      word.bits |= std::uint64_t{1} << (static_cast<std::uint64_t>(clock) & 63);
    }
  }

 private:
  /// 64 clocks. A word that still belongs to an older window reads as empty.
  struct Word {
    std::uint64_t window = ~std::uint64_t{0};
    std::uint64_t bits = 0;
  };

  static std::uint64_t windowOf(Cycles clock) { return static_cast<std::uint64_t>(clock) >> 6; }
  static std::size_t indexOf(Cycles clock) { return windowOf(clock) % kWords; }
  bool taken(Cycles clock) const {
    const Word& word = words_[indexOf(clock)];
    return word.window == windowOf(clock) &&
           ((word.bits >> (static_cast<std::uint64_t>(clock) & 63)) & 1) != 0;
  }

  /// Row commands are planned at most a few refresh durations ahead, far less than 4096 clocks.
  static constexpr std::size_t kWords = 64;
  std::array<Word, kWords> words_{};
};

/// The banks of a channel, bank group after bank group, and which of them a run of bursts meets.
class ChannelBanks {
 public:
  /// `groupStride`: how many bank groups consecutive bursts visit in turn, 1 or all.
  ChannelBanks(const HbmConfig& config, std::uint32_t groupStride)
      : count_(config.banks),
        groups_(config.bank_groups),
        groupStride_(groupStride),
        groupShift_(static_cast<unsigned>(std::countr_zero(config.banks / config.bank_groups))) {}

  std::uint32_t count() const { return count_; }
  std::uint32_t groups() const { return groups_; }
  std::uint32_t number(std::uint32_t group, std::uint32_t bankInGroup) const {
    return (group << groupShift_) | bankInGroup;
  }
  std::uint32_t groupOf(std::uint32_t bank) const { return bank >> groupShift_; }

  /// Banks that a run touches: one for each of its first `slots` bursts, in consecutive groups.
  std::uint32_t slots(std::uint32_t bursts) const { return std::min(bursts, groupStride_); }
  /// A run shorter than the stride uses only some slots.
  std::uint32_t slotOf(std::uint32_t burst) const { return burst & (groupStride_ - 1); }
  /// The bank of a slot.
  std::uint32_t of(const BurstRun& run, std::uint32_t slot) const {
    return number((run.group + slot) & (groups_ - 1), run.bankInGroup);
  }
  /// Bursts of a run in each of its banks, rounded down.
  std::uint32_t burstsPerBank(std::uint32_t bursts) const {
    return bursts <= groupStride_ ? 1 : bursts >> std::countr_zero(groupStride_);
  }
  std::uint32_t columnOf(const BurstRun& run, std::uint32_t burst) const {
    return run.column + (groupStride_ == 1 ? burst : (run.group + burst) / groups_);
  }

 private:
  std::uint32_t count_, groups_, groupStride_;
  unsigned groupShift_;  ///< from a bank to its group
};

/// When the rules between commands allow the next one. A planned command raises a "not before" time
/// for each rule about what may follow, of the bank, the bank group or the channel. A column
/// command may come at the latest of three such times; row commands also need the activate window
/// and the row bus.
class ReadyTimes {
 public:
  ReadyTimes(const TimingTable& table, const ChannelBanks& banks)
      : table_(table), numbers_(banks), banks_(banks.count()), groups_(banks.groups()) {}

  /// What the rules of the bank allow: for a column command tRCD, and op-and-stores before a read.
  Cycles inBank(DramCommandKind kind, std::uint32_t bank) const {
    return banks_[bank].next[indexOf(comesLike(kind))];
  }
  /// The same with the rules of its bank group.
  Cycles inBankAndGroup(DramCommandKind kind, std::uint32_t bank) const {
    return std::max(inBank(kind, bank), groups_[numbers_.groupOf(bank)][indexOf(comesLike(kind))]);
  }
  /// What the rules of the channel allow: for a column command turnarounds and tCCDS.
  Cycles inChannel(DramCommandKind kind) const { return channel_[indexOf(comesLike(kind))]; }
  /// What all of them allow.
  Cycles of(DramCommandKind kind, std::uint32_t bank) const {
    return std::max(inBankAndGroup(kind, bank), inChannel(kind));
  }

  /// Names the rules of the bank group and of the channel for a command of this kind in this bank,
  /// for walks that ask about many.
  std::uint8_t sharedRules(DramCommandKind kind, std::uint32_t bank) const {
    return static_cast<std::uint8_t>(numbers_.groupOf(bank) * kRuledKinds +
                                     indexOf(comesLike(kind)));
  }
  /// What the bank group and the channel allow by the rules of this name.
  Cycles shared(std::uint8_t rules) const {
    return std::max(groups_[rules / kRuledKinds][rules % kRuledKinds],
                    channel_[rules % kRuledKinds]);
  }

  /// Raises the times that a planned command raises in its bank and its group.
  void planInBankAndGroup(DramCommandKind kind, std::uint32_t bank, Cycles at) {
    push(banks_[bank].next, RuleScope::Bank, kind, at);
    push(groups_[numbers_.groupOf(bank)], RuleScope::Group, kind, at);
  }
  /// Those that it raises in the channel.
  void planInChannel(DramCommandKind kind, Cycles at) {
    push(channel_, RuleScope::Channel, kind, at);
  }
  /// All of them.
  void plan(DramCommandKind kind, std::uint32_t bank, Cycles at) {
    planInBankAndGroup(kind, bank, at);
    planInChannel(kind, at);
  }

  bool operator==(const ReadyTimes& other) const {
    return channel_ == other.channel_ && groups_ == other.groups_ && banks_ == other.banks_;
  }

 private:
  using NotBefore = std::array<Cycles, kRuledKinds>;
  struct alignas(64) Bank {
    NotBefore next{};
    bool operator==(const Bank&) const = default;
  };

  void push(NotBefore& state, RuleScope scope, DramCommandKind previous, Cycles at) {
    for (const TimingPush& rule : table_.pushes(previous, scope)) {
      Cycles& next = state[rule.next];
      next = std::max(next, at + rule.delay);
    }
  }

  const TimingTable& table_;
  const ChannelBanks numbers_;
  std::vector<Bank> banks_;
  std::vector<NotBefore> groups_;
  NotBefore channel_{};
};

/// The command state of one channel: when each command may come next, and which rows are open.
///
/// Column commands are planned in order of time; row commands in any order, each at the first clock
/// that every rule and the row bus allow. Every command is counted here.
class ChannelTiming {
 public:
  static constexpr std::int64_t kClosed = -1;

  struct Columns {
    Cycles first;
    Cycles last;
  };

  /// Why a row is closed.
  enum class Closing : std::uint8_t { ForAnotherRow, Early };

  ChannelTiming(const HbmConfig& config, const TimingTable& table, ChannelId channel,
                std::uint32_t groupStride, Cycles period, HbmStatistics& statistics);

  void observe(CommandObserver* observer) { observer_ = observer; }

  const ChannelBanks& banks() const { return banks_; }
  const ReadyTimes& ready() const { return ready_; }
  std::int64_t openRow(std::uint32_t bank) const { return rows_[bank]; }
  bool anyOpen() const;

  /// First clock that the bank itself allows for an activate.
  Cycles activateReady(std::uint32_t bank) const {
    return std::max(ready_.inBank(DramCommandKind::Activate, bank),
                    ready_.inChannel(DramCommandKind::Activate));
  }
  /// First clock at which an activate in the group of `bank` may follow all that are planned.
  Cycles activateBehind(std::uint32_t bank) const { return window_.behind(banks_.groupOf(bank)); }

  /// Each plans its command at the first legal clock at or after `earliest`, and returns that
  /// clock. `now` is the clock of the decision: nothing will be planned before it from now on.
  Cycles precharge(std::uint32_t bank, Closing why, Cycles earliest);
  Cycles activate(std::uint32_t bank, std::uint32_t row, Cycles earliest, Cycles now);
  /// The bank must be closed.
  Cycles clearRow(std::uint32_t bank, std::uint32_t row, Cycles earliest, Cycles now);
  Cycles refreshAll(Cycles earliest);
  Cycles refreshBank(std::uint32_t bank, Cycles earliest, Cycles now);

  /// Column commands of all bursts of a run whose rows are open. The result is that of `column`
  /// burst by burst, but only the first two rounds over the banks are stepped; the rest is
  /// calculated.
  Columns columns(DramCommandKind kind, const BurstRun& run, Cycles earliest);
  /// One column command.
  Cycles column(DramCommandKind kind, std::uint32_t bank, std::uint32_t column, Cycles earliest);

  /// Whether everything that later commands depend on is equal.
  bool sameStateAs(const ChannelTiming& other) const {
    return ready_ == other.ready_ && rows_ == other.rows_;
  }

 private:
  /// Counts a command and shows it to the observer.
  void issue(DramCommandKind kind, std::uint32_t bank, std::uint32_t row, std::uint32_t column,
             Cycles at) {
    ++statistics_.commands[indexOf(kind)];
    publish(kind, bank, row, column, at);
  }
  void publish(DramCommandKind kind, std::uint32_t bank, std::uint32_t row, std::uint32_t column,
               Cycles at) const;
  /// A command that the activate window and the row bus both have room for.
  Cycles rowCommand(DramCommandKind kind, std::uint32_t bank, std::uint32_t row, Cycles earliest,
                    Cycles now);

  const TimingTable& table_;
  HbmStatistics& statistics_;
  ChannelId id_;
  Cycles period_;
  const ChannelBanks banks_;
  ReadyTimes ready_;
  /// By bank: the open row, or the one whose activate is planned.
  std::vector<std::int64_t> rows_;
  std::vector<std::uint8_t> conflicted_;  ///< by bank: last closed for another row
  ActivateWindow window_;
  RowBus rowBus_;
  std::vector<Cycles> times_;  ///< of one run, where arithmetic does not apply
  CommandObserver* observer_ = nullptr;
};

}  // namespace t3
