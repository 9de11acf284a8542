// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/channel_state.h"

namespace t3 {

/// Closes rows that no queued entry needs any more, as `page_policy` says. `Adaptive` keeps a score
/// for each bank: up when a row that was left open was closed for another one, down when a row that
/// was closed early was needed again. A bank with a high score is closed early.
class PageCloser {
 public:
  explicit PageCloser(ChannelState& channel);

  /// `row` is about to be opened in a closed bank.
  void missed(std::uint32_t bank, std::uint32_t row) {
    if (closedRow_[bank] == row && score_[bank] > 0) --score_[bank];
  }
  /// The open row of this bank is about to be closed for another one.
  void conflicted(std::uint32_t bank) {
    if (score_[bank] < kMaxScore) ++score_[bank];
  }
  /// The last column command of `entry`, which is in no list any more, is planned.
  void served(const QueueEntry& entry, Cycles now) {
    if (policy_ != PagePolicy::Open) closeUnneeded(entry, now);
  }

 private:
  static constexpr std::uint8_t kMaxScore = 3;
  /// A bank is closed early while its score is at least this.
  static constexpr std::uint8_t kCloseScore = 2;

  void closeUnneeded(const QueueEntry& entry, Cycles now);

  const PagePolicy policy_;
  ChannelState& channel_;
  std::vector<std::uint8_t> score_;      ///< per bank
  std::vector<std::int64_t> closedRow_;  ///< per bank: the row closed early
};

/// Which entry uses which banks. A waiting entry *claims* its banks, all or none, as soon as no
/// entry with another row uses them, and is ready for the data bus then. Only entries of the
/// running batch claim: a row opened for the other direction would keep its bank from the batch,
/// and closing it unused would waste one of the four activates of a tFAW.
///
/// **Which row is opened next.** The oldest entry that wants a bank is a candidate. The row in its
/// way is closed at once. The activate goes to the candidate that can have it first (tRRDL holds a
/// bank group back that was just used), to the older of equals. That is decided when it is due
/// within `2 * decision_clocks`, so that more candidates may come. An oldest candidate past the age
/// limit goes first.
///
/// **Order.** Claims of a bank go by age: the banks of a refused entry are kept for it, so no two
/// entries wait for each other. An entry whose rows are open may overtake, until
/// `row_hit_cap_bursts` came through one activation. An older entry of the other direction that is
/// past the age limit keeps its banks too.
///
/// With `scheduling = first-ready` entries of both directions claim, one at a time for each bank:
/// the next row hit is chosen when the one before has been served.
class BankClaims {
 public:
  BankClaims(ChannelState& channel, PageCloser& pages);

  /// Whether entries have come, banks have become free, or an activate that was put off is due.
  bool due(Cycles now) const { return due_ || nextActivate_ < now + lookahead_; }
  /// Entries have come, or banks have become free.
  void again() { due_ = true; }
  /// Lets waiting entries of the batch claim; `running` is its direction.
  void claim(Cycles now, Direction running);
  /// Clock of the first activate that was put off, kNever if there is none.
  Cycles nextActivate() const { return nextActivate_; }
  /// Whether activates are left unused: no waiting entry can have one soon.
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

  /// Whether the oldest waiting entry of this direction finds all its rows open.
  bool oldestHasItsRows(Direction direction) const {
    const Slot oldest = channel_.queue.list(direction, DramQueue::State::Waiting).first;
    return oldest != kNoSlot && closedBanks(channel_.queue[oldest]) == 0;
  }

  /// Banks that a ready entry uses.
  BankMask used() const { return used_[Direction::Read] | used_[Direction::Write]; }
  /// Of all entries of this direction that have ever claimed.
  std::uint64_t claimedBursts(Direction direction) const { return claimedBursts_[direction]; }

  /// For maintenance. No entry claims a bank that is blocked (being refreshed), or kept for a
  /// refresh or a row clear; none claims during a pause.
  void block(BankMask banks) { blocked_ = banks; }
  BankMask blocked() const { return blocked_; }
  void keepForRefresh(BankMask banks) { keptForRefresh_ = banks; }
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

  ChannelState& channel_;
  PageCloser& pages_;
  bool inBatches_;
  std::uint32_t rowHitCap_;
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
