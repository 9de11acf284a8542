// SPDX-License-Identifier: Apache-2.0
#include "tlm/switch/merge_table.h"

#include <algorithm>
#include <bit>
#include <iterator>
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
  ++statistics_.taken;
  if (draining || update.count == 0 || update.count >= expected ||
      update.format == MergeFormat::None) {
    ++statistics_.passed;
    return update;
  }
  Set& set = sets_[setOf(update.line)];
  const auto entry =
      std::ranges::find(set, update.line, [](const Entry& other) { return other.sum.line; });
  if (entry == set.end()) {
    std::optional<MergeFlit> left;
    if (set.size() == ways_) {
      left = remove(set, set.begin());
      ++statistics_.partial;
    }
    insert(set, std::move(update));
    return left;
  }
  if (entry->sum.format != update.format || entry->sum.count + update.count > expected) {
    MergeFlit left = remove(set, entry);
    ++statistics_.partial;
    insert(set, std::move(update));
    return left;
  }
  add(entry->sum, update);
  entry->marked = false;
  ++statistics_.joined;
  if (entry->sum.count < expected) return {};
  ++statistics_.complete;
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
  ++statistics_.aged;
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
  statistics_.most = std::max(statistics_.most, entries_);
}

}  // namespace t3
