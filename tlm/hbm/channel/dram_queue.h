// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/bank_mask.h"
#include "tlm/hbm/channel/direction.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/piece.h"

namespace t3 {

/// Names an entry of the DRAM queue for as long as it is there.
using Slot = std::uint16_t;
inline constexpr Slot kNoSlot = 0xffff;

/// A piece in the DRAM queue, or several of one row and direction (`Coalescing`), and what the
/// parts of the channel know about it. What the walks over the lists look at for each entry is in
/// the first of two cache lines.
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
  std::uint8_t sharedRules = 0;  ///< of the column commands of a ready entry: `ChannelTiming`
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

/// The DRAM queue of one channel: its entries, each in the list of its direction and state. Lists
/// are in order of age. It stores entries; when they change state is decided by the others.
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

  explicit DramQueue(const HbmConfig& config);

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
  void insert(Slot slot, State state);
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
  bool needs(std::uint32_t bank, std::uint32_t row) const;

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

}  // namespace t3
