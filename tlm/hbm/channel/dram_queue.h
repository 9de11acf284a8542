// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"

namespace t3 {

/// Direction of the data bus. An update moves its data in the direction of a write.
enum class Direction : std::uint8_t { Read, Write };

constexpr Direction directionOf(DramCommandKind column) {
  return isRead(column) ? Direction::Read : Direction::Write;
}
constexpr Direction opposite(Direction direction) {
  return direction == Direction::Read ? Direction::Write : Direction::Read;
}

/// One `T` for each direction.
template <typename T>
struct PerDirection {
  std::array<T, 2> values{};

  T& operator[](Direction direction) { return values[static_cast<std::size_t>(direction)]; }
  const T& operator[](Direction direction) const {
    return values[static_cast<std::size_t>(direction)];
  }
  auto begin() { return values.begin(); }
  auto end() { return values.end(); }
  auto begin() const { return values.begin(); }
  auto end() const { return values.end(); }
};

/// A set of banks of one channel, bit n for bank n.
using BankMask = std::uint64_t;

constexpr BankMask maskOf(std::uint32_t bank) { return BankMask{1} << bank; }
constexpr bool contains(BankMask mask, std::uint32_t bank) { return (mask >> bank & 1) != 0; }

/// Calls `visit(bank)` for each bank of the set, the lowest first.
template <typename Visit>
void forEachBank(BankMask mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

/// Names an entry of the DRAM queue for as long as it is there.
using Slot = std::uint16_t;
inline constexpr Slot kNoSlot = 0xffff;

/// A piece in the DRAM queue, or several of one row and direction (`Coalescing`). What walks over
/// the lists look at is in the first of two cache lines.
struct alignas(64) QueueEntry {
  /// Blocked: waits for older entries that overlap it (`Hazards`). Waiting: for its banks
  /// (`BankClaims`). Ready: for the data bus (`ColumnScheduler`).
  enum class State : std::uint8_t { Free, Blocked, Waiting, Ready };

  BankMask banks = 0;
  std::uint64_t sequence = 0;  ///< age: order of entering
  /// No column command before: set anew by each claim, and raised by what its bank allows.
  Cycles notBefore = 0;
  Cycles entered = 0;
  BurstRun run;                             ///< `bursts` are those of all pieces
  Slot older = kNoSlot, younger = kNoSlot;  ///< neighbours in its list
  std::uint8_t firstBank = 0;
  std::uint8_t sharedRules = 0;  ///< of the column commands of a ready entry: `ReadyTimes`
  DramCommandKind kind = DramCommandKind::Read;
  State state = State::Free;
  bool writes = false;               ///< sooner or later: reads overlap only with such entries
  bool blocks = false;               ///< some younger entry waits for this one
  bool writesLater = false;          ///< this is the read of an update without near-memory ALU
  std::uint32_t planned = 0;         ///< bursts whose column commands are planned
  std::uint32_t pieceEnd = 0;        ///< of them, when those of `piece` are all planned
  Cycles added = 0;                  ///< when the sum of such an update is there to be written
  std::uint16_t blockers = 0;        ///< older pieces that overlap this one
  Slot inBucket = kNoSlot;           ///< next in its bucket (`Hazards`)
  BankMask closedFor = 0;            ///< banks closed for this piece, not yet opened
  std::uint64_t begin = 0, end = 0;  ///< byte addresses
  Piece* piece = nullptr;            ///< the one whose bursts go next; `Piece::next` are the others
  Piece* lastPiece = nullptr;
};

static_assert(sizeof(QueueEntry) == 128);

/// The DRAM queue of one channel: entries, each in the list of its direction and state, in order of
/// age.
class DramQueue {
 public:
  using State = QueueEntry::State;
  struct List {
    Slot first = kNoSlot, last = kNoSlot;
    std::uint32_t size = 0;
  };
  /// Slots beyond `dram_queue_bursts`: an empty queue takes a piece of any length, and pieces that
  /// the tracker has counted enter even if the queue is full.
  static constexpr std::uint32_t kSpareSlots = 8;

  explicit DramQueue(const HbmConfig& config) : slots_(config.dram_queue_bursts + kSpareSlots) {
    for (std::size_t i = slots_.size(); i-- > 0;) freeSlots_.push_back(static_cast<Slot>(i));
  }

  bool empty() const { return entries_ == 0; }
  QueueEntry& operator[](Slot slot) { return slots_[slot]; }
  const QueueEntry& operator[](Slot slot) const { return slots_[slot]; }
  const List& list(Direction direction, State state) const {
    return lists_[direction][stateIndex(state)];
  }
  /// The sequence number that the next entry gets.
  std::uint64_t nextSequence() const { return nextSequence_; }

  /// A slot for a piece that enters at `now`; in no list before `append`.
  Slot take(Piece& piece, Cycles now) {
    const Slot slot = freeSlots_.back();
    freeSlots_.pop_back();
    ++entries_;
    QueueEntry& entry = slots_[slot];
    entry = QueueEntry{};
    piece.next = nullptr;
    entry.piece = entry.lastPiece = &piece;
    entry.pieceEnd = piece.run.bursts;
    entry.begin = piece.address;
    entry.end = piece.address + piece.bytes;
    entry.run = piece.run;
    entry.sequence = nextSequence_++;
    entry.entered = now;
    entry.kind = piece.kind;
    entry.writes = piece.kind != DramCommandKind::Read;
    return slot;
  }
  /// Adds a piece to an entry, behind `before`, which is one of its pieces.
  void join(Slot slot, Piece& piece, Piece& before) {
    QueueEntry& entry = slots_[slot];
    piece.next = before.next;
    before.next = &piece;
    if (entry.lastPiece == &before) entry.lastPiece = &piece;
    entry.run.bursts += piece.run.bursts;
    entry.begin = std::min(entry.begin, piece.address);
    entry.end = std::max(entry.end, piece.address + piece.bytes);
  }
  /// The present piece of an entry has been planned; goes on to the next one.
  void nextPiece(Slot slot) {
    QueueEntry& entry = slots_[slot];
    entry.piece = entry.piece->next;
    if (entry.piece != nullptr) entry.pieceEnd += entry.piece->run.bursts;
  }
  /// Puts the youngest entry into the list of `state`.
  void append(Slot slot, State state) {
    QueueEntry& entry = slots_[slot];
    entry.state = state;
    List& list = listOf(entry);
    entry.older = list.last;
    entry.younger = kNoSlot;
    (list.last == kNoSlot ? list.first : slots_[list.last].younger) = slot;
    list.last = slot;
    ++list.size;
  }
  /// Puts an entry of any age into the list of `state`.
  void insert(Slot slot, State state) {
    QueueEntry& entry = slots_[slot];
    entry.state = state;
    List& list = listOf(entry);
    Slot older = list.last;
    while (older != kNoSlot && slots_[older].sequence > entry.sequence) older = slots_[older].older;
    const Slot younger = older == kNoSlot ? list.first : slots_[older].younger;
    entry.older = older;
    entry.younger = younger;
    (older == kNoSlot ? list.first : slots_[older].younger) = slot;
    (younger == kNoSlot ? list.last : slots_[younger].older) = slot;
    ++list.size;
  }
  /// Takes an entry out of its list.
  void remove(Slot slot) {
    const QueueEntry& entry = slots_[slot];
    List& list = listOf(entry);
    (entry.older == kNoSlot ? list.first : slots_[entry.older].younger) = entry.younger;
    (entry.younger == kNoSlot ? list.last : slots_[entry.younger].older) = entry.older;
    --list.size;
  }
  void move(Slot slot, State state) {
    remove(slot);
    insert(slot, state);
  }
  /// Ends the use of a slot that is in no list.
  void free(Slot slot) {
    slots_[slot].state = State::Free;
    freeSlots_.push_back(slot);
    --entries_;
  }

  /// Whether any entry needs this row.
  bool needs(std::uint32_t bank, std::uint32_t row) const {
    for (const auto& direction : lists_) {
      for (const List& list : direction) {
        for (Slot i = list.first; i != kNoSlot; i = slots_[i].younger) {
          if (contains(slots_[i].banks, bank) && slots_[i].run.row == row) return true;
        }
      }
    }
    return false;
  }

 private:
  static std::size_t stateIndex(State state) { return static_cast<std::size_t>(state) - 1; }
  List& listOf(const QueueEntry& entry) {
    return lists_[directionOf(entry.kind)][stateIndex(entry.state)];
  }

  std::vector<QueueEntry> slots_;
  std::vector<Slot> freeSlots_;
  PerDirection<std::array<List, 3>> lists_;
  std::uint64_t nextSequence_ = 0;
  std::uint32_t entries_ = 0;
};

/// How full the DRAM queue is, in bursts. A burst counts from the entry of its piece until its
/// column command is on the command bus: it *waits* until that is planned, and is *planned* until
/// its clock has come.
///
/// There is one record of planned commands for each piece, with the clock of its last one; its
/// bursts leave one each burst time, the last at that clock.
class QueueOccupancy {
 public:
  explicit QueueOccupancy(const HbmConfig& config)
      : planned_(std::bit_ceil(config.dram_queue_bursts + 1 +
                               DramQueue::kSpareSlots * config.channel_interleave_bytes /
                                   config.burstBytes())),
        burstClocks_(config.burstClocks()),
        burstShift_(static_cast<unsigned>(std::countr_zero(config.burstClocks()))) {}

  /// `bursts` begin to wait.
  void wait(Direction direction, std::uint32_t bursts) { waiting_[direction] += bursts; }
  /// `bursts` wait no longer, their column commands are planned, the last one at `last`.
  void plan(Direction direction, std::uint32_t bursts, Cycles last) {
    waiting_[direction] -= bursts;
    at(size_++) = {last, bursts};
    plannedBursts_ += bursts;
  }
  /// `bursts` wait no longer: a memory of the caller's has done them.
  void leave(Direction direction, std::uint32_t bursts) { waiting_[direction] -= bursts; }
  /// Forgets records whose last command was at or before `now`.
  void retire(Cycles now) {
    while (size_ > 0 && at(0).last <= now) {
      plannedBursts_ -= at(0).bursts;
      ++first_;
      --size_;
    }
  }

  std::uint32_t waiting(Direction direction) const { return waiting_[direction]; }
  std::uint32_t waiting() const { return waiting_[Direction::Read] + waiting_[Direction::Write]; }
  /// Clocks that the data bus needs for all that waits.
  Cycles waitingClocks() const { return static_cast<Cycles>(waiting()) << burstShift_; }
  std::uint32_t planned(Cycles now) const {
    // Of a channel that rests, records may be over that are not forgotten yet.
    std::uint32_t bursts = plannedBursts_;
    std::size_t first = 0;
    for (; first < size_ && at(first).last < now; ++first) bursts -= at(first).bursts;
    if (first == size_) return 0;
    const Record& head = at(first);
    const auto left = static_cast<std::uint32_t>(
        std::clamp<Cycles>((head.last - now + burstClocks_) >> burstShift_, 0, head.bursts));
    return bursts - head.bursts + left;
  }
  std::uint32_t all(Cycles now) const { return waiting() + planned(now); }
  /// First clock at which the queue holds at most `bursts`; kNever if more than that wait.
  Cycles whenAtMost(std::uint32_t bursts) const {
    if (waiting() > bursts) return kNever;
    std::uint32_t left = bursts - waiting();
    for (std::size_t i = size_; i-- > 0;) {
      const Record& record = at(i);
      if (record.bursts > left) {
        return record.last + burstClocks_ - (static_cast<Cycles>(left) << burstShift_);
      }
      left -= record.bursts;
    }
    return 0;
  }

 private:
  struct Record {
    Cycles last;
    std::uint32_t bursts;
  };

  Record& at(std::size_t index) { return planned_[(first_ + index) & (planned_.size() - 1)]; }
  const Record& at(std::size_t index) const {
    return planned_[(first_ + index) & (planned_.size() - 1)];
  }

  PerDirection<std::uint32_t> waiting_;
  std::vector<Record> planned_;  ///< ring, its size a power of two
  std::size_t first_ = 0, size_ = 0;
  std::uint32_t plannedBursts_ = 0;
  Cycles burstClocks_;
  unsigned burstShift_;  ///< log2 of that
};

}  // namespace t3
