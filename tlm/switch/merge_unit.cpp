// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/merge_unit.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "tlm/hbm/near_memory_alu.h"

namespace t3 {

namespace {

DataType typeOf(MergeFormat format) {
  switch (format) {
    case MergeFormat::Fp16:
      return DataType::Fp16;
    case MergeFormat::Bf16:
      return DataType::Bf16;
    default:
      return DataType::Fp32;
  }
}

void add(MergeFlit& sum, const MergeFlit& update) {
  sum.count += update.count;
  if (sum.values.size() != update.values.size()) {
    throw std::logic_error("merge table: updates of one line with and without values");
  }
  applyOperation(MemoryOperation::Add, typeOf(sum.format), sum.values.data(), update.values.data(),
                 sum.values.size());
}

}  // namespace

MergeTable::MergeTable(std::uint32_t sets, std::uint32_t ways) : sets_(sets), ways_(ways) {
  if (!std::has_single_bit(sets) || !std::has_single_bit(ways)) {
    throw std::invalid_argument("merge table: sets and ways are powers of two");
  }
}

std::uint32_t MergeTable::setOf(std::uint64_t line) const {
  const int bits = std::countr_zero(sets_.size());
  if (bits == 0) return 0;
  std::uint64_t set = 0;
  for (; line != 0; line >>= bits) set ^= line & (sets_.size() - 1);
  return static_cast<std::uint32_t>(set);
}

std::optional<MergeFlit> MergeTable::take(MergeFlit update, std::uint32_t expected, bool draining) {
  ++figures_.updates;
  if (draining || update.count == 0 || update.count >= expected ||
      update.format == MergeFormat::None) {
    ++figures_.passed;
    return update;
  }
  Set& set = sets_[setOf(update.line)];
  const auto entry =
      std::ranges::find(set, update.line, [](const Entry& other) { return other.sum.line; });
  if (entry == set.end()) {
    std::optional<MergeFlit> left;
    if (set.size() == ways_) {
      left = remove(set, set.begin());
      ++figures_.partial;
    }
    insert(set, std::move(update));
    return left;
  }
  if (entry->sum.format != update.format || entry->sum.count + update.count > expected) {
    MergeFlit left = remove(set, entry);
    ++figures_.partial;
    insert(set, std::move(update));
    return left;
  }
  add(entry->sum, update);
  entry->marked = false;
  ++figures_.joined;
  if (entry->sum.count < expected) return {};
  ++figures_.complete;
  return remove(set, entry);
}

std::optional<MergeFlit> MergeTable::visit(std::uint32_t number, bool draining) {
  Set& set = sets_[number];
  const auto entry =
      std::ranges::find_if(set, [&](const Entry& other) { return draining || other.marked; });
  if (entry == set.end()) {
    for (Entry& other : set) other.marked = true;
    return {};
  }
  ++figures_.aged;
  return remove(set, entry);
}

MergeFlit MergeTable::remove(Set& set, Set::iterator entry) {
  MergeFlit sum = std::move(entry->sum);
  set.erase(entry);
  --entries_;
  return sum;
}

void MergeTable::insert(Set& set, MergeFlit update) {
  set.push_back({std::move(update)});
  ++entries_;
  figures_.most_entries = std::max<std::uint64_t>(figures_.most_entries, entries_);
}

MergeUnit::MergeUnit(const MergeConfig& config)
    : config_(config), table_(config.sets, config.ways), credits_{config.credits, config.credits} {}

MergeUnit::Class MergeUnit::turn() const {
  const bool update = stages_.back() && credits_[kUpdate] != 0;
  const bool write = write_ && credits_[kWrite] != 0;
  if (update && write) return last_ == kUpdate ? kWrite : kUpdate;
  return update ? kUpdate : write ? kWrite : kNone;
}

MergeUnit::OnLink MergeUnit::onLink() const {
  switch (turn()) {
    case kUpdate:
      return {.update = &*stages_.back()};
    case kWrite:
      return {.write = &*write_};
    default:
      return {};
  }
}

bool MergeUnit::wantsVisit() const {
  const bool goesOn = sweep_ == Sweep::Round || (sweep_ == Sweep::Rest && draining_);
  return goesOn && !table_.empty() && !operation_.visit;
}

bool MergeUnit::sweepHolds() const {
  return sweep_ == Sweep::Clear || (wantsVisit() && waits_ == kMostWaits);
}

bool MergeUnit::roundMayBegin() const {
  return config_.age != 0 && sweep_ == Sweep::Rest && !draining_ && !table_.empty();
}

void MergeUnit::clock(Inputs inputs) {
  // The table is as the operation in B finds it: what is in B now has not been done.
  const Class sent = turn();
  const bool updateTaken = inputs.update && updateReady();
  const bool writeTaken = inputs.write && writeReady();
  const bool go = moves();
  // A time at which a round is to begin lasts until it does.
  const bool round = roundMayBegin() && isTimeForRound();
  if (isTimeForRound() && (go || !round)) lastTime_ = now_;
  ++now_;

  if (go) {
    Operation next;
    const bool empty = table_.empty();  // before what is in B
    const bool wants = wantsVisit();
    const bool visits = wants && (waits_ == kMostWaits || !inputs.update);
    if (updateTaken) next.update = std::move(*inputs.update);
    if (visits) next.visit = set_;
    waits_ = wants && !visits ? waits_ + 1 : 0;

    // What is in B.
    std::optional<MergeFlit> left;
    const bool updates = operation_.update.has_value();
    const bool visited = operation_.visit.has_value();
    if (updates) {
      left = table_.take(std::move(*operation_.update), config_.expected, draining_);
    } else if (visited) {
      left = table_.visit(*operation_.visit, draining_);
    }

    busy_ = {updates || left, busy_[0]};

    // The sweep goes on.
    const bool atLast = set_ + 1 == table_.sets();
    const bool step = (visited && !left) || sweep_ == Sweep::Clear;
    if (step) set_ = atLast ? 0 : set_ + 1;
    switch (sweep_) {
      case Sweep::Clear:
        if (atLast) sweep_ = Sweep::Rest;
        break;
      case Sweep::Round:
        if (empty || (step && atLast)) sweep_ = Sweep::Rest;
        break;
      case Sweep::Rest:
        if (round) {
          sweep_ = Sweep::Round;
          set_ = 0;
        }
        break;
    }

    stages_ = {std::move(left), std::move(stages_[0]), std::move(stages_[1])};
    operation_ = std::move(next);
  }

  if (sent == kWrite) write_.reset();
  if (writeTaken) write_ = std::move(*inputs.write);
  if (sent != kNone) {
    --credits_[sent];
    last_ = sent;
  }
  const std::array back = {inputs.updateCredit, inputs.writeCredit};
  for (const Class which : {kUpdate, kWrite}) {
    if (back[which] && credits_[which] < config_.credits) ++credits_[which];
  }
  draining_ = drainWanted_;
}

bool MergeUnit::empty() const {
  return table_.empty() && !operation_.update && !operation_.visit && !busy_[0] && !busy_[1] &&
         !stages_.back() && !write_;
}

std::uint64_t MergeUnit::quiet() const {
  if (turn() != kNone) return 0;
  if (!moves()) return kForEver;
  const bool inside = operation_.update || operation_.visit || busy_[0] || busy_[1] || stages_[0] ||
                      stages_[1] || waits_ != 0;
  if (inside || sweep_ != Sweep::Rest || draining_ || drainWanted_) return 0;
  if (!roundMayBegin()) return kForEver;
  return isTimeForRound() ? 0 : *lastTime_ + config_.age + 1 - now_;
}

void MergeUnit::pass(std::uint64_t cycles) {
  if (cycles == 0) return;
  if (!roundMayBegin()) {  // times for a round pass
    if (isTimeForRound()) lastTime_ = now_;
    *lastTime_ += (now_ + cycles - 1 - *lastTime_) / (config_.age + 1) * (config_.age + 1);
  }
  now_ += cycles;
}

}  // namespace t3
