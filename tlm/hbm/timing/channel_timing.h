// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/timing/activate_window.h"
#include "tlm/hbm/timing/row_bus.h"
#include "tlm/hbm/timing/timing_table.h"

namespace t3 {

/// The command state of one channel: when each command may come next, and which rows are open.
///
/// Column commands are planned in order of time. Row commands are planned in any order; each takes
/// the first clock that every rule and the row command bus allow. When a command is planned, each
/// rule for what may follow it raises a "not before" time, of the bank, the bank group or the
/// channel. The first legal clock of a command is the latest of three such times.
///
/// Every command is counted here, where it gets its place on the bus, so the statistics are those
/// of the command trace.
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

  std::uint32_t bank(std::uint32_t group, std::uint32_t bankInGroup) const {
    return (group << groupShift_) | bankInGroup;
  }
  std::uint32_t banks() const { return static_cast<std::uint32_t>(banks_.size()); }
  /// Banks that a run touches: one for each of its first `slots` bursts, in consecutive groups.
  std::uint32_t slots(std::uint32_t bursts) const { return std::min(bursts, groupStride_); }
  /// Bursts of a run in each of its banks, rounded down.
  std::uint32_t burstsPerBank(std::uint32_t bursts) const {
    return bursts <= groupStride_ ? 1 : bursts >> std::countr_zero(groupStride_);
  }
  std::uint32_t slotBank(const BurstRun& run, std::uint32_t slot) const {
    return bank((run.group + slot) & (groups_ - 1), run.bankInGroup);
  }

  std::int64_t openRow(std::uint32_t bank) const { return rows_[bank]; }

  /// First clock the rules allow for a column command in an open bank.
  Cycles columnReady(DramCommandKind kind, std::uint32_t bank) const {
    return std::max(bankReady(kind, bank), channelReady(kind));
  }
  /// The same without the channel-wide rules (turnarounds, tCCDS): what the bank itself allows.
  Cycles bankReady(DramCommandKind kind, std::uint32_t bank) const {
    return std::max(rowReady(kind, bank), group_[bank >> groupShift_][indexOf(comesLike(kind))]);
  }
  /// What the bank's own rules allow: tRCD, and op-and-stores before a read.
  Cycles rowReady(DramCommandKind kind, std::uint32_t bank) const {
    return banks_[bank].next[indexOf(comesLike(kind))];
  }
  /// Names the rules of the bank group and of the channel for a command of this kind in this bank,
  /// for walks that ask about many.
  std::uint8_t sharedRules(DramCommandKind kind, std::uint32_t bank) const {
    return static_cast<std::uint8_t>((bank >> groupShift_) * kRuledKinds +
                                     indexOf(comesLike(kind)));
  }
  /// What the bank group and the channel allow by the rules of this name.
  Cycles sharedReady(std::uint8_t rules) const {
    return std::max(group_[rules / kRuledKinds][rules % kRuledKinds],
                    channel_[rules % kRuledKinds]);
  }
  Cycles channelReady(DramCommandKind kind) const { return channel_[indexOf(comesLike(kind))]; }

  /// First clock that the bank itself allows for an activate.
  Cycles activateReady(std::uint32_t bank) const {
    constexpr auto kind = indexOf(DramCommandKind::Activate);
    return std::max(banks_[bank].next[kind], channel_[kind]);
  }
  /// First clock at which an activate in the group of `bank` may follow all that are planned.
  Cycles activateBehind(std::uint32_t bank) const { return window_.behind(bank >> groupShift_); }

  /// Each plans its command at the first legal clock at or after `earliest`, and returns that
  /// clock. `now` is the clock of the decision: nothing will be planned before it from now on.
  Cycles precharge(std::uint32_t bank, Closing why, Cycles earliest);
  Cycles activate(std::uint32_t bank, std::uint32_t row, Cycles earliest, Cycles now);
  /// The bank must be closed.
  Cycles clearRow(std::uint32_t bank, std::uint32_t row, Cycles earliest, Cycles now);
  Cycles refreshAll(Cycles earliest);
  Cycles refreshBank(std::uint32_t bank, Cycles earliest, Cycles now);
  bool anyOpen() const;

  /// Column commands of all bursts of a run whose rows are open. The result is that of `column`
  /// burst by burst, but only the first two rounds over the banks are stepped; the rest is
  /// calculated.
  Columns columns(DramCommandKind kind, const BurstRun& run, Cycles earliest);
  /// One column command.
  Cycles column(DramCommandKind kind, std::uint32_t bank, std::uint32_t column, Cycles earliest);

  /// Whether everything that later commands depend on is equal.
  bool sameStateAs(const ChannelTiming& other) const;

 private:
  using NotBefore = std::array<Cycles, kRuledKinds>;
  struct alignas(64) Bank {
    NotBefore next{};
  };

  void push(NotBefore& state, RuleScope scope, DramCommandKind previous, Cycles at) {
    for (const TimingPush& rule : table_.pushes(previous, scope)) {
      Cycles& next = state[rule.next];
      next = std::max(next, at + rule.delay);
    }
  }
  void pushAll(DramCommandKind kind, std::uint32_t bank, Cycles at) {
    push(banks_[bank].next, RuleScope::Bank, kind, at);
    push(group_[bank >> groupShift_], RuleScope::Group, kind, at);
    push(channel_, RuleScope::Channel, kind, at);
  }
  /// Counts a command and shows it to the observer.
  void issue(DramCommandKind kind, std::uint32_t bank, std::uint32_t row, std::uint32_t column,
             Cycles at) {
    ++statistics_.commands[indexOf(kind)];
    publish(kind, bank, row, column, at);
  }
  void publish(DramCommandKind kind, std::uint32_t bank, std::uint32_t row, std::uint32_t column,
               Cycles at) const;
  /// First clock at or after `earliest` for which the activate window and the row bus both have
  /// room.
  Cycles findRowSlot(DramCommandKind kind, std::uint32_t group, Cycles earliest, Cycles width);

  const TimingTable& table_;
  HbmStatistics& statistics_;
  ChannelId id_;
  Cycles period_;
  std::uint32_t groups_, groupStride_;
  unsigned groupShift_;  ///< from a bank to its group
  std::vector<Bank> banks_;
  std::vector<std::int64_t>
      rows_;  ///< per bank: the open row, or the one whose activate is planned
  std::vector<std::uint8_t> conflicted_;  ///< per bank: last closed for another row
  std::vector<NotBefore> group_;
  NotBefore channel_{};
  ActivateWindow window_;
  RowBus rowBus_;
  std::vector<Cycles> times_;  ///< of one run, where arithmetic does not apply
  CommandObserver* observer_ = nullptr;
};

}  // namespace t3
