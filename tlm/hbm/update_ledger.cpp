// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/update_ledger.h"

#include <algorithm>

namespace t3 {

void UpdateLedger::watch(std::uint64_t base, std::uint64_t bytes, std::uint32_t expected,
                         Start start) {
  const std::uint64_t first = base / burstBytes_ * burstBytes_;
  const std::uint64_t bursts = (base + bytes - first + burstBytes_ - 1) / burstBytes_;
  std::erase_if(ranges_, [&](const Range& range) { return range.base == first; });
  ranges_.push_back({first,
                     bursts * burstBytes_,
                     expected,
                     start,
                     std::vector<std::uint16_t>(bursts),
                     std::vector<std::uint16_t>(bursts),
                     {},
                     {}});
}

void UpdateLedger::expect(std::uint64_t address, std::uint64_t bytes, std::uint32_t expected) {
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    if (range == nullptr) return true;
    auto& parts = const_cast<Range*>(range)->parts;
    const auto all = static_cast<std::uint16_t>(range->expected);
    if (parts.empty()) {
      parts.resize(range->updatedBytes.size(),
                   {static_cast<std::uint16_t>(all * burstBytes_), all});
    }
    Range::Part& one = parts[burst];
    one.bytes = static_cast<std::uint16_t>(one.bytes - (all - expected) * part);
    one.least = std::min(one.least, static_cast<std::uint16_t>(expected));
    return true;
  });
}

const UpdateLedger::Range* UpdateLedger::find(std::uint64_t address) const {
  for (const Range& range : ranges_) {
    if (address - range.base < range.bytes) return &range;
  }
  return nullptr;
}

template <typename Visit>
void UpdateLedger::forBursts(std::uint64_t address, std::uint64_t bytes, Visit visit) const {
  const std::uint64_t end = address + bytes;
  const Range* range = nullptr;
  while (address < end) {
    const std::uint64_t next = std::min(end, address / burstBytes_ * burstBytes_ + burstBytes_);
    if (range == nullptr || address - range->base >= range->bytes) range = find(address);
    const std::size_t burst =
        range != nullptr ? static_cast<std::size_t>((address - range->base) / burstBytes_) : 0;
    if (!visit(range, burst, static_cast<std::uint32_t>(next - address))) return;
    address = next;
  }
}

template <typename Limit>
std::optional<std::uint64_t> UpdateLedger::count(std::vector<std::uint16_t> Range::*counts,
                                                 std::uint64_t address, std::uint64_t bytes,
                                                 Limit limit) {
  std::optional<std::uint64_t> exceeded;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    if (range == nullptr) return true;
    std::vector<std::uint16_t>& all = const_cast<Range*>(range)->*counts;
    if (all.empty()) all.resize(range->updatedBytes.size());
    std::uint16_t& count = all[burst];
    count = static_cast<std::uint16_t>(std::min<std::uint32_t>(count + part, 0xffff));
    if (count > limit(*range, burst) && !exceeded) exceeded = range->base + burst * burstBytes_;
    return true;
  });
  return exceeded;
}

std::optional<std::uint64_t> UpdateLedger::updated(std::uint64_t address, std::uint64_t bytes) {
  return count(&Range::updatedBytes, address, bytes, [this](const Range& range, std::size_t burst) {
    return range.parts.empty() ? range.expected * burstBytes_
                               : std::uint32_t{range.parts[burst].bytes};
  });
}

std::optional<std::uint64_t> UpdateLedger::arrived(std::uint64_t address, std::uint64_t bytes) {
  return count(&Range::arrivedBytes, address, bytes,
               [this](const Range&, std::size_t) { return burstBytes_; });
}

void UpdateLedger::cleared(std::uint64_t address, std::uint64_t bytes) {
  count(&Range::clearedBytes, address, bytes, [](const Range&, std::size_t) { return 0xffffU; });
}

std::optional<std::uint64_t> UpdateLedger::uncleared(std::uint64_t address,
                                                     std::uint64_t bytes) const {
  std::optional<std::uint64_t> found;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    if (range == nullptr || range->start == Start::Free || range->clearedBytes[burst] >= part) {
      return true;
    }
    found = range->base + burst * burstBytes_;
    return false;
  });
  return found;
}

std::optional<std::uint64_t> UpdateLedger::unfinished(std::uint64_t address,
                                                      std::uint64_t bytes) const {
  std::optional<std::uint64_t> found;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    if (range == nullptr || range->updatedBytes[burst] >= range->least(burst) * part ||
        range->arrived(burst) >= part) {
      return true;
    }
    found = range->base + burst * burstBytes_;
    return false;
  });
  return found;
}

std::optional<std::uint64_t> UpdateLedger::begun(std::uint64_t address, std::uint64_t bytes) const {
  std::optional<std::uint64_t> found;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t) {
    if (range == nullptr || (range->updatedBytes[burst] == 0 && range->arrived(burst) == 0)) {
      return true;
    }
    found = range->base + burst * burstBytes_;
    return false;
  });
  return found;
}

bool UpdateLedger::untouched(std::uint64_t burst) const {
  const Range* range = find(burst);
  return range != nullptr && range->updatedBytes[(burst - range->base) / burstBytes_] == 0;
}

bool UpdateLedger::everyBurstUpdated(std::uint64_t address, std::uint64_t bytes,
                                     std::uint32_t times) const {
  return everyBurst(&Range::updatedBytes, address, bytes, times);
}

bool UpdateLedger::everyBurstCleared(std::uint64_t address, std::uint64_t bytes,
                                     std::uint32_t times) const {
  return everyBurst(&Range::clearedBytes, address, bytes, times);
}

bool UpdateLedger::everyBurstArrived(std::uint64_t address, std::uint64_t bytes,
                                     std::uint32_t times) const {
  return everyBurst(&Range::arrivedBytes, address, bytes, times);
}

bool UpdateLedger::everyBurst(std::vector<std::uint16_t> Range::*counts, std::uint64_t address,
                              std::uint64_t bytes, std::uint32_t times) const {
  bool all = true;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    const bool counted = range != nullptr && !(range->*counts).empty();
    const std::uint32_t done = counted ? (range->*counts)[burst] : 0;
    all = range != nullptr && (part == burstBytes_ ? done == times * part : done >= times * part);
    return all;
  });
  return all;
}

}  // namespace t3
