// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/page_closer.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// Which entry uses which banks. An entry that waits for its banks *claims* them all or none, as
/// soon as no entry with another row uses them, and is ready for the data bus then. Only entries of
/// the running batch claim: a row opened for the other direction would keep its bank from the
/// batch, and closing it again unused would waste one of the four activates of a tFAW.
///
/// **Which row is opened next.** Of each bank the oldest entry that wants it is a candidate. The
/// row that is in its way is closed at once; the activate goes to the candidate that can have it
/// first (tRRDL makes a bank group that was just used wait), to the older of equals. It is decided
/// when it is due within the next `2 * decision_clocks`, not before: until then more candidates
/// come, also of other bank groups. An oldest candidate past the age limit goes before all others.
///
/// **Order.** Per bank, claims go in order of age: the banks of an entry that was refused are kept
/// for it. So no two entries wait for each other. Only an entry whose rows are open already may
/// overtake, until `row_hit_cap_bursts` came through one activation of the bank. An entry of the
/// other direction that is past the age limit and older than all of the batch keeps its banks too.
///
/// With `scheduling = first-ready` entries of both directions claim, and a bank has one at a time:
/// the next row hit is chosen when the one before it has been served.
class BankClaims {
 public:
  BankClaims(const HbmConfig& config, const TimingTable& table, ChannelTiming& timing,
             Cycles ageLimit, DramQueue& queue, PageCloser& pages);

  /// Whether entries have come or banks have become free since the last `claim`, or an activate
  /// that was put off is due.
  bool due(Cycles now) const { return due_ || nextActivate_ < now + lookahead_; }
  /// Entries have come, or banks have become free.
  void again() { due_ = true; }
  /// Lets waiting entries of the batch claim; `running` is its direction. Without batches all may.
  void claim(Cycles now, Direction running);
  /// Clock of the first activate that was put off, kNever if there is none.
  Cycles nextActivate() const { return nextActivate_; }
  /// Whether the last `claim` has left activates unused: no waiting entry can have one soon.
  bool activatesToSpare(Cycles now) const { return nextActivate_ >= now + lookahead_; }
  /// Whether an entry may get more bursts: if it has claimed, up to the cap of row hits.
  bool mayGrow(const QueueEntry& entry) const {
    return entry.state != DramQueue::State::Ready || !capped(entry);
  }
  /// An entry has got more bursts, all in its first bank.
  void grew(const QueueEntry& entry, std::uint32_t bursts) {
    if (entry.state != DramQueue::State::Ready) return;
    claimedBursts_[directionOf(entry.kind)] += bursts;
    hitBursts_[entry.firstBank] += bursts;
  }
  /// All column commands of a ready entry are planned, and it is in no list any more.
  void release(const QueueEntry& entry) {
    if ((dropUses(entry) & (wanted_ | keptForRefresh_)) != 0) again();
  }

  /// Whether the oldest entry of this direction that waits for its banks finds all its rows open.
  bool oldestHasItsRows(Direction direction) const {
    const Slot oldest = queue_.list(direction, DramQueue::State::Waiting).first;
    return oldest != kNoSlot && closedBanks(queue_[oldest]) == 0;
  }

  /// Banks that a ready entry uses.
  BankMask used() const { return used_[Direction::Read] | used_[Direction::Write]; }
  /// Bursts of all entries of this direction that have ever claimed.
  std::uint64_t claimedBursts(Direction direction) const { return claimedBursts_[direction]; }

  // For refreshes. No entry claims a bank that is blocked (being refreshed) or kept (to be
  // refreshed as soon as its users are served), and none claims anything during a pause.
  void block(BankMask banks) { blocked_ = banks; }
  BankMask blocked() const { return blocked_; }
  void keepForRefresh(BankMask banks) { keptForRefresh_ = banks; }
  /// Nor a bank that is kept for a row clear.
  void keepForClears(BankMask banks) { keptForClears_ = banks; }
  BankMask keptForClears() const { return keptForClears_; }
  void pause(bool paused) { paused_ = paused; }
  bool paused() const { return paused_; }

 private:
  /// An entry whose banks are free, but not all open with its row.
  struct Candidate {
    Slot slot;
    Cycles ready;  ///< when its banks allow their activates
  };

  bool pastAgeLimit(const QueueEntry& entry, Cycles now) const {
    return now - entry.entered > ageLimit_;
  }
  /// Claims for entries whose rows are open, and finds the candidates.
  void claimOpenRows(Cycles now, Direction running);
  /// Closes what is in the way of the candidates and drops those whose banks are in use by now.
  void prepareCandidates(Cycles now);
  void openRowsOfCandidates(Cycles now);
  BankMask keptForOtherDirection(Cycles now, Direction running) const;
  BankMask closedBanks(const QueueEntry& entry) const;
  bool capped(const QueueEntry& entry) const;
  void closeRows(QueueEntry& entry, Cycles now);
  void openRows(QueueEntry& entry, Cycles now);
  /// The rows of the entry are open; from now on its banks are in use.
  void makeReady(Slot slot);
  /// From when on all bursts of an entry can go in one go; 0 if they are in one bank.
  Cycles togetherFrom(const QueueEntry& entry) const;
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
  bool inBatches_;
  std::uint32_t rowHitCap_;
  Cycles ageLimit_;
  Cycles lookahead_;

  PerDirection<std::vector<std::uint16_t>> uses_;  ///< by bank: ready entries
  PerDirection<BankMask> used_;                    ///< banks with such entries
  PerDirection<std::uint64_t> claimedBursts_;
  std::vector<std::uint32_t> hitBursts_;  ///< per bank: claimed since its activate
  std::vector<Candidate> candidates_;     ///< of the present walk, in order of age
  Cycles nextActivate_ = kNever;
  BankMask wanted_ = 0;  ///< by waiting entries of the batch that could not claim
  BankMask blocked_ = 0, keptForRefresh_ = 0, keptForClears_ = 0;
  bool paused_ = false;
  bool due_ = false;
};

}  // namespace t3
