// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace t3 {
namespace {

/// A request may overshoot the DRAM queue when it is empty, and pieces the tracker has counted
/// enter whatever its fill.
constexpr std::uint32_t kSpareSlots = 8;
/// Adaptive page policy: a bank is closed early while its score is at least this.
constexpr std::uint8_t kCloseScore = 2;
constexpr std::uint8_t kMaxScore = 3;

}  // namespace

Channel::Channel(const HbmConfig& config, const TimingTable& table, std::uint32_t groupStride,
                 ChannelId id, ChannelHost& host, HbmStatistics& statistics, Cycles period,
                 Cycles refreshOffset)
    : config_(config),
      table_(table),
      id_(id),
      host_(host),
      statistics_(statistics),
      period_(period),
      timing_(config, table, id, groupStride, period),
      arbiter_(makeArbiter(config)),
      streamCapacity_(config.stream_queue_requests),
      slots_(config.dram_queue_bursts + kSpareSlots),
      planned_(std::bit_ceil(config.dram_queue_bursts + 1 +
                             kSpareSlots * config.channel_interleave_bytes / config.burstBytes())),
      blockShift_(static_cast<unsigned>(std::countr_zero(config.channel_interleave_bytes))),
      users_{std::vector<std::uint16_t>(config.banks), std::vector<std::uint16_t>(config.banks)},
      hitBursts_(config.banks),
      closeScore_(config.banks),
      closedRow_(config.banks, ChannelTiming::kClosed),
      bankBlockedUntil_(config.banks),
      refreshDue_(refreshOffset),
      decisionClocks_(config.decision_clocks),
      ageLimit_(std::llround(config.age_limit_ns * config.clock_mhz * 1e-3)),
      burstClocks_(config.burstClocks()),
      burstShift_(static_cast<unsigned>(std::countr_zero(config.burstClocks()))) {
  for (const auto kind : {DramCommandKind::Read, DramCommandKind::Write, DramCommandKind::Update}) {
    leavesGaps_[indexOf(kind)] =
        table.delay(kind, kind, RuleScope::Group) > table.delay(kind, kind, RuleScope::Channel);
  }
  for (std::size_t i = slots_.size(); i-- > 0;) {
    freeSlots_.push_back(static_cast<std::uint16_t>(i));
  }
}

void Channel::publish(const std::string& prefix, ValueList& list,
                      const std::function<Cycles()>& clock) const {
  static constexpr std::array<const char*, kStreams> kStreamNames = {"compute", "communication",
                                                                     "tracker"};
  static constexpr std::array<const char*, 3> kBusStates = {"idle", "read", "write"};
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    list.level(prefix + kStreamNames[stream] + "_queue", 8, "pieces",
               [this, stream] { return streams_[stream].size; });
  }
  list.choice(prefix + "entered", kStreamNames,
              [this] { return static_cast<std::uint64_t>(entered_); });
  list.level(prefix + "dram_queue", 16, "bursts",
             [this, clock] { return waitingBursts_ + plannedBursts(clock()); });
  list.choice(prefix + "bus", kBusStates, [this, clock]() -> std::uint64_t {
    if (plannedBursts(clock()) == 0) return 0;
    return busDirection_ == kRead ? 1 : 2;
  });
  list.flag(prefix + "refresh_pending", [this] { return refreshPending_; });
  list.counter(prefix + "bursts", "bursts",
               [this] { return statistics_.channelBursts[id_.value]; });
}

// Lists.

void Channel::insert(std::uint16_t index) {
  Entry& entry = slots_[index];
  List& list = listOf(entry);
  std::uint16_t older = list.last;
  while (older != kNone && slots_[older].sequence > entry.sequence) older = slots_[older].older;
  const std::uint16_t younger = older == kNone ? list.first : slots_[older].younger;
  entry.older = older;
  entry.younger = younger;
  (older == kNone ? list.first : slots_[older].younger) = index;
  (younger == kNone ? list.last : slots_[younger].older) = index;
  ++list.size;
}

void Channel::append(std::uint16_t index) {
  Entry& entry = slots_[index];
  List& list = listOf(entry);
  entry.older = list.last;
  entry.younger = kNone;
  (list.last == kNone ? list.first : slots_[list.last].younger) = index;
  list.last = index;
  ++list.size;
}

void Channel::remove(std::uint16_t index) {
  const Entry& entry = slots_[index];
  List& list = listOf(entry);
  (entry.older == kNone ? list.first : slots_[entry.older].younger) = entry.younger;
  (entry.younger == kNone ? list.last : slots_[entry.younger].older) = entry.older;
  --list.size;
}

void Channel::move(std::uint16_t index, State state) {
  remove(index);
  slots_[index].state = state;
  insert(index);
}

// Occupancy: what waits plus what is planned and not yet on the command bus.

void Channel::retire(Cycles now) {
  while (plannedSize_ > 0 && plannedAt(0).last <= now) {
    plannedBursts_ -= plannedAt(0).bursts;
    ++plannedFirst_;
    --plannedSize_;
  }
}

std::uint32_t Channel::plannedBursts(Cycles now) const {
  if (plannedSize_ == 0) return 0;
  const Planned& head = plannedAt(0);
  const auto left = static_cast<std::uint32_t>(
      std::clamp<Cycles>((head.last - now + burstClocks_) >> burstShift_, 0, head.bursts));
  return plannedBursts_ - head.bursts + left;
}

Cycles Channel::whenOccupancyAtMost(std::uint32_t bursts) const {
  if (waitingBursts_ > bursts) return kNever;
  std::uint32_t left = bursts - waitingBursts_;
  for (std::size_t i = plannedSize_; i-- > 0;) {
    const Planned& piece = plannedAt(i);
    if (piece.bursts > left) {
      return piece.last + burstClocks_ - (static_cast<Cycles>(left) << burstShift_);
    }
    left -= piece.bursts;
  }
  return 0;
}

// Stream queues and entry into the DRAM queue.

bool Channel::arrive(Piece& piece) {
  StreamQueue& queue = streams_[static_cast<std::size_t>(piece.stream)];
  piece.next = nullptr;
  (queue.last == nullptr ? queue.first : queue.last->next) = &piece;
  queue.last = &piece;
  ++queue.size;
  ++queued_;
  // With enough to do until the next planned decision, the newcomer can wait for that.
  return static_cast<Cycles>(waitingBursts_) << burstShift_ < decisionClocks_ || memory_ != nullptr;
}

void Channel::refill(Cycles now) {
  entryBelow_ = kNoEntry;
  entryDeadline_ = kNever;
  if (queued_ == 0) return;
  // A write that the tracker has counted may have triggered a read already: it goes before
  // anything that arrived since, whatever the fill.
  for (StreamQueue& queue : streams_) {
    if (queue.first != nullptr && queue.first->counted) {
      enter(queue, waitingBursts_ + plannedBursts(now), now);
    }
  }
  std::array<bool, kStreams> held{};
  const auto head = [&](Stream stream) -> Piece* {
    const auto index = static_cast<std::size_t>(stream);
    return held[index] ? nullptr : streams_[index].first;
  };
  while (true) {
    const std::uint32_t occupancy = waitingBursts_ + plannedBursts(now);
    Stream chosen = Stream::Tracker;
    if (head(Stream::Tracker) == nullptr) {
      const Piece* communication = head(Stream::Communication);
      const bool compute = head(Stream::Compute) != nullptr;
      chosen = Stream::Compute;
      if (communication != nullptr) {
        const auto arrival = (static_cast<Cycles>(communication->arrival) + period_ - 1) / period_;
        const ArbiterView view{compute, occupancy, host_.mcaThreshold(), now,
                               std::max(lastCommunication_, arrival)};
        const std::optional<Stream> pick = arbiter_->pick(view);
        if (!pick) {
          entryBelow_ = std::max(view.thresholdBursts, 1u) - 1;
          entryDeadline_ = arbiter_->deadline(view);
          return;
        }
        chosen = *pick;
        if (chosen == Stream::Communication && config_.arbitration == ArbitrationPolicy::Mca &&
            (compute || (view.thresholdBursts != 0 && occupancy >= view.thresholdBursts))) {
          ++statistics_.communicationForced;
        }
      } else if (!compute) {
        return;
      }
    }
    StreamQueue& queue = streams_[static_cast<std::size_t>(chosen)];
    Piece& piece = *queue.first;
    if (occupancy != 0 && occupancy + piece.run.bursts > config_.dram_queue_bursts) {
      entryBelow_ =
          config_.dram_queue_bursts - std::min(piece.run.bursts, config_.dram_queue_bursts);
      return;
    }
    if (piece.tracked && !host_.track(id_, piece)) {
      held[static_cast<std::size_t>(chosen)] = true;
      continue;
    }
    enter(queue, occupancy, now);
  }
}

void Channel::enter(StreamQueue& queue, std::uint32_t occupancy, Cycles now) {
  Piece& piece = *queue.first;
  queue.first = piece.next;
  if (queue.first == nullptr) queue.last = nullptr;
  --queue.size;
  --queued_;
  entered_ = piece.stream;
  if (piece.stream != Stream::Tracker) arbiter_->entered(piece.stream);
  if (piece.stream == Stream::Communication) lastCommunication_ = now;

  ++statistics_.occupancy[std::min<std::size_t>(occupancy, statistics_.occupancy.size() - 1)];
  const std::uint16_t index = freeSlots_.back();
  freeSlots_.pop_back();
  piece.entered = static_cast<Picoseconds>(now * period_);
  Entry& entry = slots_[index];
  entry = Entry{};
  entry.piece = &piece;
  entry.begin = piece.address;
  entry.end = piece.address + piece.bytes;
  entry.run = piece.run;
  entry.sequence = nextSequence_++;
  entry.entered = now;
  entry.kind = piece.kind;
  entry.writes = piece.kind != DramCommandKind::Read;
  if (piece.kind == DramCommandKind::Update && !config_.near_memory && memory_ == nullptr) {
    // Read, add in the controller, write: until the write everything that overlaps waits.
    entry.kind = DramCommandKind::Read;
    entry.writesLater = true;
  }
  const std::uint32_t slots = timing_.slots(entry.run.bursts);
  entry.firstBank = timing_.slotBank(entry.run, 0);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    entry.banks |= std::uint64_t{1} << timing_.slotBank(entry.run, slot);
  }
  findBlockers(index);
  entry.state = entry.blockers > 0 ? State::Blocked : State::Waiting;
  append(index);
  ++entries_;
  waitingBursts_ += entry.run.bursts;
  directionBursts_[directionOf(entry.kind)] += entry.run.bursts;
  claimDue_ = true;
}

// The ordering promise.

bool Channel::overlap(const Entry& a, const Entry& b) {
  return (a.writes || b.writes) && a.begin < b.end && b.begin < a.end;
}

Channel::Bucket& Channel::bucketOf(const Entry& entry) {
  // Blocks of one channel are often a power of two apart: multiply before taking the top bits.
  const std::uint64_t block = entry.begin >> blockShift_;
  return buckets_[(block * 0x9e3779b97f4a7c15u) >> 58];
}

void Channel::findBlockers(std::uint16_t index) {
  // No piece crosses a block, so pieces that overlap meet in one bucket. Where nobody there
  // writes, or nobody is at all, there is nothing to look for.
  Entry& entry = slots_[index];
  Bucket& bucket = bucketOf(entry);
  if (entry.writes || bucket.writers > 0) {
    for (std::uint16_t i = bucket.first; i != kNone; i = slots_[i].inBucket) {
      if (!overlap(slots_[i], entry)) continue;
      slots_[i].blocks = true;
      ++entry.blockers;
    }
  }
  (bucket.last == kNone ? bucket.first : slots_[bucket.last].inBucket) = index;
  bucket.last = index;
  bucket.writers = static_cast<std::uint16_t>(bucket.writers + (entry.writes ? 1 : 0));
}

void Channel::leaveBucket(std::uint16_t index) {
  Bucket& bucket = bucketOf(slots_[index]);
  std::uint16_t before = kNone;
  for (std::uint16_t i = bucket.first; i != index; i = slots_[i].inBucket) before = i;
  (before == kNone ? bucket.first : slots_[before].inBucket) = slots_[index].inBucket;
  if (bucket.last == index) bucket.last = before;
  bucket.writers = static_cast<std::uint16_t>(bucket.writers - (slots_[index].writes ? 1 : 0));
}

void Channel::releaseBlocked(const Entry& served) {
  for (auto& direction : lists_) {
    std::uint16_t next = kNone;
    for (std::uint16_t i = direction[stateIndex(State::Blocked)].first; i != kNone; i = next) {
      next = slots_[i].younger;
      if (slots_[i].sequence < served.sequence || !overlap(slots_[i], served)) continue;
      if (--slots_[i].blockers == 0) {
        move(i, State::Waiting);
        claimAgain();
      }
    }
  }
}

// Refresh.

void Channel::refresh(Cycles now) {
  if (config_.refresh == RefreshMode::Off || refreshDue_ > now) return;
  if (config_.refresh == RefreshMode::AllBank) {
    refreshAllBanks(now);
  } else {
    refreshOneByOne(now);
  }
}

void Channel::refreshAllBanks(Cycles now) {
  const Cycles interval = table_.refreshInterval();
  const Cycles duration = table_.refreshDuration(DramCommandKind::RefreshAll);
  while (refreshDue_ <= now) {
    giveUpClaims(opposite(direction_), ~std::uint64_t{0});
    if (list(direction_, State::Ready).size > 0) {
      // The batch's claimed rows are used first (the standard lets refreshes be postponed);
      // nothing new is claimed meanwhile, so this ends.
      refreshPending_ = true;
      return;
    }
    // An idle channel refreshed when it was due, which is told only now that somebody looks.
    const Cycles at = timing_.refreshAll(entries_ == 0 ? std::max(refreshDue_, lastService_) : now);
    ++statistics_.commands[indexOf(DramCommandKind::RefreshAll)];
    refreshDue_ += interval;
    refreshPending_ = false;
    claimAgain();
    if (at + duration > now) {
      blockedBanks_ = ~std::uint64_t{0} >> (64 - config_.banks);
      unblockAt_ = at + duration;
      std::fill(bankBlockedUntil_.begin(), bankBlockedUntil_.end(), unblockAt_);
    }
  }
}

void Channel::refreshOneByOne(Cycles now) {
  const Cycles interval = table_.refreshInterval() / config_.banks;
  const Cycles duration = table_.refreshDuration(DramCommandKind::RefreshBank);
  while (refreshDue_ <= now) {
    const std::uint64_t bit = std::uint64_t{1} << refreshBank_;
    if (((usedBanks_[kRead] | usedBanks_[kWrite]) & bit) != 0) {
      refreshWants_ = bit;  // no new claims of it; comes back when its users are served
      return;
    }
    refreshWants_ = 0;
    const Cycles earliest = entries_ == 0 ? std::max(refreshDue_, lastService_) : now;
    const Cycles at = timing_.refreshBank(refreshBank_, earliest, earliest);
    ++statistics_.commands[indexOf(DramCommandKind::RefreshBank)];
    refreshDue_ += interval;
    claimAgain();
    if (at + duration > now) {
      unblockAt_ = blockedBanks_ == 0 ? at + duration : std::min(unblockAt_, at + duration);
      blockedBanks_ |= bit;
      bankBlockedUntil_[refreshBank_] = at + duration;
    }
    refreshBank_ = (refreshBank_ + 1) % config_.banks;
  }
}

void Channel::unblockBanks(Cycles now) {
  if (blockedBanks_ == 0 || now < unblockAt_) return;
  unblockAt_ = kNever;
  std::uint64_t still = 0;
  forBanks(blockedBanks_, [&](std::uint32_t bank) {
    if (bankBlockedUntil_[bank] <= now) return;
    still |= std::uint64_t{1} << bank;
    unblockAt_ = std::min(unblockAt_, bankBlockedUntil_[bank]);
  });
  blockedBanks_ = still;
  claimAgain();
}

// Scheduling.

bool Channel::tooOld(Direction direction, Cycles now) {
  const auto old = [&](std::uint16_t first) {
    return first != kNone && now - slots_[first].entered > ageLimit_;
  };
  return old(list(direction, State::Waiting).first) || old(list(direction, State::Ready).first);
}

void Channel::decideDirection(Cycles now) {
  const auto eligible = [&](Direction direction) {
    return list(direction, State::Waiting).size + list(direction, State::Ready).size > 0;
  };
  const bool reads = eligible(kRead);
  const bool writes = eligible(kWrite);
  Direction wanted = direction_;
  if (!reads || !writes) {
    if (reads || writes) wanted = reads ? kRead : kWrite;
  } else if (direction_ == kRead) {
    const bool full = directionBursts_[kWrite] >= config_.write_high_bursts;
    const bool served = batchBursts_ >= config_.write_high_bursts - config_.write_low_bursts;
    const bool readBlocked = list(kRead, State::Blocked).size > 0;
    if (readBlocked || (served && (full || tooOld(kWrite, now)))) wanted = kWrite;
  } else {
    const bool drained = directionBursts_[kWrite] <= config_.write_low_bursts &&
                         list(kRead, State::Blocked).size == 0 && !tooOld(kWrite, now);
    if (drained || batchBursts_ >= config_.write_high_bursts) wanted = kRead;
  }
  if (wanted == direction_) return;
  direction_ = wanted;
  batchBursts_ = 0;
  claimAgain();
  claimBanks(now);
}

void Channel::claimBanks(Cycles now) {
  claimDue_ = false;
  if (refreshPending_) {
    wantedBanks_ = {};
    return;
  }
  const bool all = std::exchange(claimAll_, false);
  const std::uint64_t untried = std::exchange(firstUntried_, nextSequence_);
  rowsOpened_ = false;
  // The running batch first; what it leaves alone is opened for the next batch already.
  for (const Direction direction : {direction_, opposite(direction_)}) {
    const bool running = direction == direction_;
    // If only newcomers have come, all others would be refused again and still keep their banks.
    // Not so in the other direction where the batch has just taken banks back or opened rows.
    const bool anew = all || claimAll_ || (!running && rowsOpened_);
    if (anew) wantedBanks_[direction] = 0;
    const std::uint64_t used = usedBanks_[direction] | (running ? 0 : usedBanks_[direction_]);
    std::uint64_t& wanted = wantedBanks_[direction];
    const std::uint64_t ofBatch = running ? 0 : wantedBanks_[direction_];
    std::uint16_t next = firstFrom(list(direction, State::Waiting), anew ? 0 : untried);
    while (next != kNone) {
      const std::uint16_t i = next;
      Entry& entry = slots_[i];
      next = entry.younger;
      // The usual refusal, at the price of two loads: the row is not open, and a bank is in use or
      // an older entry's.
      const bool hopeless = (entry.banks & (wanted | ofBatch | used)) != 0 &&
                            timing_.openRow(entry.firstBank) != entry.run.row;
      if (!hopeless && claim(entry, wanted | ofBatch, now)) {
        move(i, State::Ready);
      } else {
        wanted |= entry.banks;
      }
    }
  }
}

std::uint16_t Channel::firstFrom(const List& list, std::uint64_t sequence) const {
  if (sequence == 0) return list.first;
  std::uint16_t first = kNone;
  for (std::uint16_t i = list.last; i != kNone && slots_[i].sequence >= sequence;
       i = slots_[i].older) {
    first = i;
  }
  return first;
}

bool Channel::claim(Entry& entry, std::uint64_t wanted, Cycles now) {
  if ((entry.banks & (blockedBanks_ | refreshWants_)) != 0) return false;
  const Direction direction = directionOf(entry.kind);
  const bool reserved = (entry.banks & wanted) != 0;
  std::uint64_t closed = 0;
  bool capped = false;
  forBanks(entry.banks, [&](std::uint32_t bank) {
    if (timing_.openRow(bank) == entry.run.row) {
      capped |= hitBursts_[bank] >= config_.row_hit_cap_bursts;
    } else {
      closed |= std::uint64_t{1} << bank;
    }
  });
  if (closed == 0) {
    if (reserved && capped) return false;
  } else {
    if (reserved || (closed & usedBanks_[direction]) != 0) return false;
    if ((closed & usedBanks_[opposite(direction)]) != 0) {
      if (direction != direction_) return false;
      giveUpClaims(opposite(direction), closed);
    }
    openRows(entry, now);
    rowsOpened_ = true;
  }

  entry.notBefore = std::max(entry.added, togetherFrom(entry));
  const std::uint32_t share = timing_.burstsPerBank(entry.run.bursts - entry.planned);
  usedBanks_[direction] |= entry.banks;
  forBanks(entry.banks, [&](std::uint32_t bank) {
    ++users_[direction][bank];
    hitBursts_[bank] += share;
  });
  return true;
}

void Channel::openRows(Entry& entry, Cycles now) {
  forBanks(entry.banks, [&](std::uint32_t bank) {
    const std::int64_t row = timing_.openRow(bank);
    if (row == entry.run.row) return;
    ++entry.activations;
    if (row == ChannelTiming::kClosed) {
      ++statistics_.rowMisses;
      // Closing it early was right unless the very same row is needed again.
      if (closedRow_[bank] == entry.run.row && closeScore_[bank] > 0) --closeScore_[bank];
    } else {
      ++statistics_.rowConflicts;
      if (closeScore_[bank] < kMaxScore) ++closeScore_[bank];
      timing_.precharge(bank, now);
      ++statistics_.commands[indexOf(DramCommandKind::Precharge)];
    }
  });
  const std::uint32_t slots = timing_.slots(entry.run.bursts);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t bank = timing_.slotBank(entry.run, slot);
    if (timing_.openRow(bank) == entry.run.row) continue;
    timing_.activate(bank, entry.run.row, now, now);
    ++statistics_.commands[indexOf(DramCommandKind::Activate)];
    hitBursts_[bank] = 0;
  }
}

std::uint64_t Channel::dropUsers(const Entry& entry) {
  const Direction direction = directionOf(entry.kind);
  std::uint64_t free = 0;
  forBanks(entry.banks, [&](std::uint32_t bank) {
    if (--users_[direction][bank] == 0) free |= std::uint64_t{1} << bank;
  });
  usedBanks_[direction] &= ~free;
  return free;
}

void Channel::giveUpClaims(Direction direction, std::uint64_t banks) {
  std::uint16_t next = kNone;
  for (std::uint16_t i = list(direction, State::Ready).first; i != kNone; i = next) {
    next = slots_[i].younger;
    if ((slots_[i].banks & banks) == 0) continue;
    dropUsers(slots_[i]);
    move(i, State::Waiting);
  }
  claimAgain();
}

std::uint16_t Channel::earliest(Direction direction, Cycles now, Cycles& at) {
  std::uint16_t best = list(direction, State::Ready).first;
  if (best == kNone) return kNone;
  const auto possible = [&](const Entry& entry) {
    return std::max({timing_.bankReady(entry.kind, entry.firstBank), entry.notBefore,
                     timing_.channelReady(entry.kind), now});
  };
  at = possible(slots_[best]);
  const Cycles soonest = std::max(timing_.channelReady(slots_[best].kind), now);
  // Once the oldest is too old, the others only get what delays it by less than one burst: a burst
  // of theirs, but no more of them, may take the clock or two that tCCDL makes it wait.
  const bool reserved = now - slots_[best].entered > ageLimit_;
  const Cycles reservedFrom = at;
  for (std::uint16_t i = slots_[best].younger; i != kNone && at > soonest; i = slots_[i].younger) {
    const Entry& entry = slots_[i];
    const Cycles other = possible(entry);
    if (other >= at) continue;
    if (reserved) {
      const Cycles spacing = table_.delay(entry.kind, entry.kind, RuleScope::Channel);
      if (other + spacing * (goBursts(entry) - 1) >= reservedFrom) continue;
    }
    at = other;
    best = i;
  }
  return best;
}

Cycles Channel::togetherFrom(const Entry& entry) const {
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

std::uint32_t Channel::goBursts(const Entry& entry) const {
  const std::uint32_t left = entry.run.bursts - entry.planned;
  if (timing_.slots(entry.run.bursts) > 1) return left;
  return leavesGaps_[indexOf(entry.kind)] ? 1 : left;
}

void Channel::commit(std::uint16_t index, Cycles now) {
  Entry& entry = slots_[index];
  const Direction direction = directionOf(entry.kind);
  const std::uint32_t bursts = goBursts(entry);
  const Cycles earliest = std::max(now, entry.notBefore);
  // What goes burst by burst stays in its first bank; several go only as the whole piece.
  const Cycles last = bursts == 1 ? timing_.column(entry.kind, entry.firstBank,
                                                   entry.run.column + entry.planned, earliest)
                                  : timing_.columns(entry.kind, entry.run, earliest).last;

  statistics_.commands[indexOf(entry.kind)] += bursts;
  const std::uint32_t opened = std::min<std::uint32_t>(entry.activations, bursts);
  statistics_.rowHits += bursts - opened;
  entry.activations = static_cast<std::uint16_t>(entry.activations - opened);
  statistics_.channelBursts[id_.value] += bursts;
  plannedAt(plannedSize_) = {last, bursts};
  ++plannedSize_;
  plannedBursts_ += bursts;
  waitingBursts_ -= bursts;
  directionBursts_[direction] -= bursts;
  if (direction == direction_) batchBursts_ += bursts;
  if (direction != busDirection_) {
    busDirection_ = direction;
    ++statistics_.turnarounds;
  }
  entry.planned += bursts;
  if (entry.planned < entry.run.bursts) return;

  remove(index);
  const std::uint64_t wanted = wantedBanks_[kRead] | wantedBanks_[kWrite] | refreshWants_;
  if ((dropUsers(entry) & wanted) != 0) claimAgain();
  if (config_.page_policy != PagePolicy::Open) closeUnusedRows(entry, now);

  const Cycles dataEnd = last + table_.dataEnd(entry.kind);
  if (entry.writesLater) {
    entry.writesLater = false;
    entry.kind = DramCommandKind::Write;
    entry.planned = 0;
    entry.added = dataEnd + table_.addClocks();
    entry.state = State::Waiting;
    insert(index);
    waitingBursts_ += entry.run.bursts;
    directionBursts_[kWrite] += entry.run.bursts;
    claimAgain();
    return;
  }
  leave(index, static_cast<Picoseconds>(dataEnd * period_));
}

void Channel::leave(std::uint16_t index, Picoseconds dataEnd) {
  Entry& entry = slots_[index];
  if (entry.blocks) releaseBlocked(entry);
  leaveBucket(index);
  entry.state = State::Free;
  freeSlots_.push_back(index);
  --entries_;
  host_.served(id_, *entry.piece, dataEnd);
}

void Channel::closeUnusedRows(const Entry& served, Cycles now) {
  forBanks(served.banks, [&](std::uint32_t bank) {
    if (timing_.openRow(bank) != served.run.row) return;
    if (config_.page_policy == PagePolicy::Adaptive && closeScore_[bank] < kCloseScore) return;
    for (const auto& direction : lists_) {
      for (const List& list : direction) {
        for (std::uint16_t i = list.first; i != kNone; i = slots_[i].younger) {
          if ((slots_[i].banks >> bank & 1) != 0 && slots_[i].run.row == served.run.row) return;
        }
      }
    }
    timing_.precharge(bank, now);
    ++statistics_.commands[indexOf(DramCommandKind::Precharge)];
    closedRow_[bank] = served.run.row;
  });
}

// Another memory behind the controller.

Cycles Channel::forward(Cycles now) {
  refill(now);
  while (true) {
    const std::uint16_t read = list(kRead, State::Waiting).first;
    const std::uint16_t write = list(kWrite, State::Waiting).first;
    if (read == kNone && write == kNone) break;
    const bool readFirst =
        write == kNone || (read != kNone && slots_[read].sequence < slots_[write].sequence);
    const std::uint16_t oldest = readFirst ? read : write;
    move(oldest, State::Ready);
    memory_->access(id_, oldest, *slots_[oldest].piece);
  }
  // Otherwise the next arrival or answer brings it back.
  return entryDeadline_ == kNever ? kNever : std::max(entryDeadline_, now + 1);
}

void Channel::answered(std::uint16_t slot, Picoseconds dataEnd) {
  const Entry& entry = slots_[slot];
  waitingBursts_ -= entry.run.bursts;
  directionBursts_[directionOf(entry.kind)] -= entry.run.bursts;
  statistics_.channelBursts[id_.value] += entry.run.bursts;
  remove(slot);
  leave(slot, dataEnd);
}

Cycles Channel::service(Cycles now) {
  if (memory_ != nullptr) return forward(now);
  const Cycles horizon = now + decisionClocks_;
  Cycles due = kNever;
  // An idle channel may still announce refreshes of the time since its last service.
  if (observer_ != nullptr) {
    observer_->settled(id_, static_cast<Picoseconds>(lastService_ * period_));
  }
  retire(now);
  refresh(now);
  refill(now);
  if (claimDue_) claimBanks(now);
  while (entries_ > 0) {
    unblockBanks(now);
    decideDirection(now);
    Cycles at = kNever;
    std::uint16_t chosen = earliest(direction_, now, at);
    const Direction other = opposite(direction_);
    if (list(other, State::Ready).first != kNone) {
      // What is left of the other direction goes while the bus still has its direction and the
      // first of the new one waits for its row anyway, or where nothing else can go at all.
      Cycles otherAt = kNever;
      const std::uint16_t filler = earliest(other, now, otherAt);
      const bool gap =
          chosen != kNone && busDirection_ == other &&
          otherAt + table_.delay(slots_[filler].kind, slots_[chosen].kind, RuleScope::Channel) < at;
      if (chosen == kNone || gap) {
        chosen = filler;
        at = otherAt;
      }
    }
    if (chosen == kNone || at >= horizon) {
      // Nothing (more) can go. Rows that the pieces served so far have freed are claimed now, all
      // in one walk: at this clock it makes no difference when.
      if (claimDue_) {
        claimBanks(now);
        continue;
      }
      due = at;
      break;
    }
    commit(chosen, now);
    refresh(now);
  }
  lastService_ = now;
  return nextService(now, due);
}

Cycles Channel::nextService(Cycles now, Cycles due) const {
  Cycles next = kNever;
  if (entries_ > 0) {
    if (due != kNever) {
      next = onGrid(due);
    } else {
      next = blockedBanks_ != 0 ? unblockAt_ : now + decisionClocks_;
    }
    if (config_.refresh != RefreshMode::Off && refreshDue_ > now) {
      next = std::min(next, refreshDue_);
    }
  }
  if (entryBelow_ != kNoEntry) {
    // A head that waits for the queue to drain (to below MCA's threshold, or to where it fits).
    // While other pieces still wait, their decisions come first and this is asked again.
    next = std::min({next, entryDeadline_, whenOccupancyAtMost(entryBelow_)});
  }
  return next == kNever ? kNever : std::max(next, now + 1);
}

}  // namespace t3
