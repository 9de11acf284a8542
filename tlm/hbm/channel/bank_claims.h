// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/page_closer.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// Which entry uses which banks. An entry that waits for its banks *claims* them all or none: as
/// soon as no entry with another row uses them, precharge and activate are planned at their first
/// legal clock, and the entry is ready for the data bus.
///
/// * Per bank, claims go in order of age: the banks of an entry that was refused are kept for it.
///   So no two entries wait for each other. Only an entry whose rows are open already may overtake,
///   until `row_hit_cap_bursts` came through one activation of the bank.
/// * The running batch claims first. Banks that it leaves alone are opened for the other direction,
///   and taken back if the batch needs them after all.
/// * A refused entry is asked again only after something has changed in its favour (`again`);
///   newcomers are asked on their own (`newcomers`).
class BankClaims {
 public:
  BankClaims(const HbmConfig& config, const TimingTable& table, ChannelTiming& timing,
             DramQueue& queue, PageCloser& pages, HbmStatistics& statistics);

  /// Whether entries have come or banks have become free since the last `claim`.
  bool due() const { return due_; }
  /// Entries have come.
  void newcomers() { due_ = true; }
  /// Entries that were refused may succeed now.
  void again() { due_ = all_ = true; }
  /// Lets waiting entries claim; `running` is the direction of the batch.
  void claim(Cycles now, Direction running);
  /// Ready entries of `direction` that use any of `banks` wait for their banks again.
  void giveUp(Direction direction, BankMask banks);
  /// All column commands of a ready entry are planned, and it is in no list any more.
  void release(const QueueEntry& entry) {
    const BankMask wanted = wanted_[Direction::Read] | wanted_[Direction::Write] | keptForRefresh_;
    if ((dropUses(entry) & wanted) != 0) again();
  }

  /// Banks that a ready entry uses.
  BankMask used() const { return used_[Direction::Read] | used_[Direction::Write]; }

  // For refreshes. No entry claims a bank that is blocked (being refreshed) or kept (to be
  // refreshed as soon as its users are served), and none claims anything during a pause.
  void block(BankMask banks) { blocked_ = banks; }
  BankMask blocked() const { return blocked_; }
  void keepForRefresh(BankMask banks) { keptForRefresh_ = banks; }
  void pause(bool paused) { paused_ = paused; }
  bool paused() const { return paused_; }

 private:
  /// `wanted` are the banks of older entries that could not claim.
  bool tryClaim(QueueEntry& entry, BankMask wanted, Cycles now, Direction running);
  void openRows(QueueEntry& entry, Cycles now);
  /// From when on all bursts of an entry can go in one go; 0 if they are in one bank.
  Cycles togetherFrom(const QueueEntry& entry) const {
    const std::uint32_t slots = timing_.slots(entry.run.bursts);
    if (slots == 1) return 0;
    const Cycles spacing = table_.delay(entry.kind, entry.kind, RuleScope::Channel);
    Cycles from = 0;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const Cycles ready = timing_.bankReady(entry.kind, timing_.slotBank(entry.run, slot));
      from = std::max(from, ready - slot * spacing);
    }
    return from;
  }
  /// Banks that nobody of the entry's direction uses any more.
  BankMask dropUses(const QueueEntry& entry) {
    const Direction direction = directionOf(entry.kind);
    BankMask free = 0;
    forEachBank(entry.banks, [&](std::uint32_t bank) {
      if (--uses_[direction][bank] == 0) free |= maskOf(bank);
    });
    used_[direction] &= ~free;
    return free;
  }

  const TimingTable& table_;
  ChannelTiming& timing_;
  DramQueue& queue_;
  PageCloser& pages_;
  HbmStatistics& statistics_;
  std::uint32_t rowHitCap_;

  PerDirection<std::vector<std::uint16_t>> uses_;  ///< by bank: ready entries
  PerDirection<BankMask> used_;                    ///< banks with such entries
  std::vector<std::uint32_t> hitBursts_;           ///< per bank: claimed since its activate
  PerDirection<BankMask> wanted_;                  ///< by waiting entries that could not claim
  BankMask blocked_ = 0, keptForRefresh_ = 0;
  bool paused_ = false;
  bool due_ = false;
  bool all_ = false;                ///< also those that were refused
  bool rowsOpened_ = false;         ///< by the present walk
  std::uint64_t firstUntried_ = 0;  ///< entries from this sequence on have not been tried
};

}  // namespace t3
