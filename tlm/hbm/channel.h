// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tlm/hbm/arbitration.h"
#include "tlm/hbm/channel_timing.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/piece.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// One memory channel: stream queues → arbitration → DRAM queue → scheduler → commands.
///
/// The channel is a plain object without a process. `service(now)` makes every decision that falls
/// due before `now + decision_clocks` and says when it wants to be served next, so simulation cost
/// follows requests, not clocks. A decision looks only at what is queued at `now`.
///
/// **Two steps.** A piece in the DRAM queue first *claims* its banks: as soon as they are not in
/// use by another row, precharge and activate are planned at their first legal clock, which hides
/// them behind other banks' data. Claims are all-or-nothing over the banks of a piece and go in
/// order of age per bank, so no two pieces wait for each other; a hit may overtake until
/// `row_hit_cap_bursts` came through one activation. Claimed pieces then compete for the data bus:
/// the one whose first column command can come earliest wins, the older of equals. Over several
/// bank groups a piece goes in one go, not before all its rows are open in time for that: bursts of
/// it that went ahead would keep the bus from others and complete nothing. In one bank group, where
/// tCCDL would leave the bus idle, it goes burst by burst, and pieces of other groups in between.
///
/// **Reads and writes** are served in batches: reads until writes reach `write_high_bursts` (or
/// there are no reads), then writes down to `write_low_bursts`. Banks that the running batch leaves
/// alone are opened for the next one already (and taken back if the batch needs them after all),
/// and while the first access of a new batch still waits for its row or for tWTRL, the old
/// direction goes on.
///
/// **Order.** Pieces that overlap in bytes, one of them writing, are served in the order in which
/// they entered the DRAM queue. A read that such a write blocks starts a write batch.
///
/// **Another memory.** After `forwardTo` there are no commands and no batches: a piece goes to that
/// memory as soon as it is in the DRAM queue and nothing older overlaps it, and counts as in the
/// queue until the memory has answered. Queues, arbitration, the tracker and order are the same.
class Channel {
 public:
  static constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

  Channel(const HbmConfig& config, const TimingTable& table, std::uint32_t groupStride,
          ChannelId id, ChannelHost& host, HbmStatistics& statistics, Cycles period,
          Cycles refreshOffset);
  Channel(Channel&&) = default;

  void observe(CommandObserver* observer) {
    observer_ = observer;
    timing_.observe(observer);
  }

  /// Before the first piece.
  void forwardTo(ChannelMemory& memory) { memory_ = &memory; }
  /// That memory has done the piece it was given with this slot, at `dataEnd`.
  void answered(std::uint16_t slot, Picoseconds dataEnd);

  bool hasRoom(Stream stream) const {
    return streams_[static_cast<std::size_t>(stream)].size < streamCapacity_;
  }
  /// Queues a piece (there must be room). Returns whether it may be able to go before the next
  /// planned service, which should then happen at once.
  bool arrive(Piece& piece);
  /// Decides; returns when to call again at the latest, or kNever.
  Cycles service(Cycles now);
  bool idle() const { return queued_ == 0 && entries_ == 0; }
  /// Adds the channel's values, their names behind `prefix`. `clock` tells the time.
  void publish(const std::string& prefix, ValueList& list,
               const std::function<Cycles()>& clock) const;

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::uint32_t kNoEntry = 0xffffffff;
  enum Direction : std::uint8_t { kRead, kWrite };
  enum class State : std::uint8_t { Free, Blocked, Waiting, Ready };

  /// A slot of the DRAM queue; what the walks over the lists look at comes first.
  struct Entry {
    std::uint64_t banks = 0;     ///< mask
    std::uint64_t sequence = 0;  ///< age: order of entering
    Cycles notBefore = 0;        ///< of the first column command; set anew by each claim
    Cycles entered = 0;
    std::uint32_t firstBank = 0;
    std::uint16_t older = kNone, younger = kNone;  ///< in its list
    DramCommandKind kind = DramCommandKind::Read;
    State state = State::Free;
    bool writes = false;               ///< in the end: reads only overlap with such
    bool blocks = false;               ///< some younger entry waits for this one
    bool writesLater = false;          ///< first half of an update without near-memory ALU
    std::uint32_t planned = 0;         ///< bursts whose column commands are planned
    Cycles added = 0;                  ///< when the sum of such an update is there to be written
    std::uint16_t blockers = 0;        ///< older overlapping entries
    std::uint16_t activations = 0;     ///< planned for this piece
    std::uint16_t inBucket = kNone;    ///< next in its bucket
    std::uint64_t begin = 0, end = 0;  ///< byte addresses
    BurstRun run;
    Piece* piece = nullptr;
  };
  /// Entries of one direction and state, in order of age.
  struct List {
    std::uint16_t first = kNone, last = kNone;
    std::uint32_t size = 0;
  };
  /// Entries whose blocks hash alike: where an overlap is looked for.
  struct Bucket {
    std::uint16_t first = kNone, last = kNone;  ///< the older first: they leave soonest
    std::uint16_t writers = 0;
  };
  struct StreamQueue {
    Piece* first = nullptr;
    Piece* last = nullptr;
    std::uint32_t size = 0;
  };
  /// Planned column commands that are not issued yet, for the occupancy.
  struct Planned {
    Cycles last;
    std::uint32_t bursts;
  };

  static Direction directionOf(DramCommandKind kind) {
    return kind == DramCommandKind::Read ? kRead : kWrite;
  }
  static Direction opposite(Direction direction) { return direction == kRead ? kWrite : kRead; }
  static std::size_t stateIndex(State state) { return static_cast<std::size_t>(state) - 1; }
  List& list(Direction direction, State state) { return lists_[direction][stateIndex(state)]; }
  List& listOf(const Entry& entry) { return list(directionOf(entry.kind), entry.state); }
  void insert(std::uint16_t index);
  void append(std::uint16_t index);  ///< the same for the youngest
  void remove(std::uint16_t index);
  void move(std::uint16_t index, State state);

  void retire(Cycles now);
  std::uint32_t plannedBursts(Cycles now) const;
  Cycles whenOccupancyAtMost(std::uint32_t bursts) const;
  void refill(Cycles now);
  void enter(StreamQueue& queue, std::uint32_t occupancy, Cycles now);

  static bool overlap(const Entry& a, const Entry& b);
  Bucket& bucketOf(const Entry& entry);
  void findBlockers(std::uint16_t index);
  void leaveBucket(std::uint16_t index);
  void releaseBlocked(const Entry& served);

  void refresh(Cycles now);
  void refreshAllBanks(Cycles now);
  void refreshOneByOne(Cycles now);
  void unblockBanks(Cycles now);

  bool tooOld(Direction direction, Cycles now);
  void decideDirection(Cycles now);
  void claimBanks(Cycles now);
  /// The oldest entry of a list that is not older than `sequence`.
  std::uint16_t firstFrom(const List& list, std::uint64_t sequence) const;
  /// `wanted` are the banks of older entries that could not claim.
  bool claim(Entry& entry, std::uint64_t wanted, Cycles now);
  void claimAgain() { claimDue_ = claimAll_ = true; }
  void openRows(Entry& entry, Cycles now);
  void giveUpClaims(Direction direction, std::uint64_t banks);
  std::uint64_t dropUsers(const Entry& entry);
  std::uint16_t earliest(Direction direction, Cycles now, Cycles& at);
  Cycles togetherFrom(const Entry& entry) const;
  /// Bursts of a piece that are planned in one go.
  std::uint32_t goBursts(const Entry& entry) const;
  void commit(std::uint16_t index, Cycles now);
  void leave(std::uint16_t index, Picoseconds dataEnd);
  Cycles forward(Cycles now);
  void closeUnusedRows(const Entry& served, Cycles now);
  Cycles nextService(Cycles now, Cycles due) const;

  Planned& plannedAt(std::size_t index) {
    return planned_[(plannedFirst_ + index) & (planned_.size() - 1)];
  }
  const Planned& plannedAt(std::size_t index) const {
    return planned_[(plannedFirst_ + index) & (planned_.size() - 1)];
  }
  Cycles onGrid(Cycles at) const { return at & ~(decisionClocks_ - 1); }

  template <typename Visit>
  void forBanks(std::uint64_t mask, Visit visit) const {
    for (; mask != 0; mask &= mask - 1) {
      visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
    }
  }

  const HbmConfig& config_;
  const TimingTable& table_;
  ChannelId id_;
  ChannelHost& host_;
  ChannelMemory* memory_ = nullptr;
  HbmStatistics& statistics_;
  Cycles period_;
  ChannelTiming timing_;
  CommandObserver* observer_ = nullptr;
  std::unique_ptr<Arbiter> arbiter_;

  std::array<StreamQueue, kStreams> streams_{};
  std::uint32_t streamCapacity_;
  std::uint32_t queued_ = 0;  ///< pieces in stream queues
  Cycles lastCommunication_ = 0;
  Stream entered_ = Stream::Compute;     ///< the arbitration's last choice
  std::uint32_t entryBelow_ = kNoEntry;  ///< occupancy a refused head waits for
  Cycles entryDeadline_ = kNever;        ///< or until then

  std::vector<Entry> slots_;
  std::vector<std::uint16_t> freeSlots_;
  std::array<std::array<List, 3>, 2> lists_{};
  std::uint64_t nextSequence_ = 0;
  std::uint32_t entries_ = 0;
  std::uint32_t waitingBursts_ = 0;  ///< in the DRAM queue, column commands not planned yet
  std::array<std::uint32_t, 2> directionBursts_{};
  std::vector<Planned> planned_;  ///< ring, its size a power of two
  std::size_t plannedFirst_ = 0, plannedSize_ = 0;
  std::uint32_t plannedBursts_ = 0;
  unsigned blockShift_;
  std::array<Bucket, 64> buckets_{};

  std::array<std::vector<std::uint16_t>, 2> users_;  ///< per direction and bank: ready entries
  std::array<std::uint64_t, 2> usedBanks_{};         ///< those with users
  std::vector<std::uint32_t> hitBursts_;             ///< per bank: admitted since its activate
  std::vector<std::uint8_t> closeScore_;             ///< per bank: adaptive page policy
  std::vector<std::int64_t> closedRow_;              ///< per bank: the row closed early
  std::array<std::uint64_t, 2> wantedBanks_{};       ///< of waiting entries that could not claim
  bool claimDue_ = false;
  bool claimAll_ = false;           ///< those refused before may succeed now
  bool rowsOpened_ = false;         ///< by the present walk
  std::uint64_t firstUntried_ = 0;  ///< entries from this sequence on have not been tried
  Direction direction_ = kRead;     ///< of the running batch
  Direction busDirection_ = kRead;  ///< of the last planned column command
  std::uint32_t batchBursts_ = 0;   ///< served since the batch began

  std::vector<Cycles> bankBlockedUntil_;  ///< by a refresh
  std::uint64_t blockedBanks_ = 0;
  Cycles unblockAt_ = 0;            ///< of the first of them
  std::uint64_t refreshWants_ = 0;  ///< bank waiting for its users to be refreshed
  Cycles refreshDue_;
  std::uint32_t refreshBank_ = 0;
  bool refreshPending_ = false;
  Cycles lastService_ = 0;
  Cycles decisionClocks_, ageLimit_;
  /// By kind of column command: tCCDL leaves clocks that other bank groups could use.
  std::array<bool, kDramCommandKinds> leavesGaps_{};
  Cycles burstClocks_;
  unsigned burstShift_;  ///< log2 of that
};

}  // namespace t3
