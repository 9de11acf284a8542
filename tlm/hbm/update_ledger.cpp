// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/update_ledger.h"

#include <algorithm>
#include <iterator>

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
                     counts(bursts, expected),
                     counts(bursts, 1),
                     std::nullopt,
                     {}});
}

void UpdateLedger::expect(std::uint64_t address, std::uint64_t bytes, std::uint32_t expected) {
  auto* range = const_cast<Range*>(find(address));
  if (range == nullptr) return;
  std::vector<Range::Part>& parts = range->parts;
  const auto behind = std::ranges::upper_bound(parts, address, {}, &Range::Part::begin);
  if (behind != parts.begin() && std::prev(behind)->end == address &&
      std::prev(behind)->expected == expected) {
    std::prev(behind)->end += bytes;
  } else {
    parts.insert(behind, {address, address + bytes, expected});
  }
}

UpdateLedger::Range::Expected UpdateLedger::Range::expects(std::size_t burst,
                                                           std::uint32_t burstBytes) const {
  Expected result{expected * burstBytes, expected};
  if (parts.empty()) return result;
  const std::uint64_t begin = base + burst * burstBytes;
  const std::uint64_t end = begin + burstBytes;
  auto part = std::ranges::upper_bound(parts, begin, {}, &Part::end);
  for (; part != parts.end() && part->begin < end; ++part) {
    const std::uint64_t inside = std::min(end, part->end) - std::max(begin, part->begin);
    result.bytes -= (expected - part->expected) * static_cast<std::uint32_t>(inside);
    result.least = std::min(result.least, part->expected);
  }
  return result;
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

template <typename Add>
std::optional<std::uint64_t> UpdateLedger::count(std::uint64_t address, std::uint64_t bytes,
                                                 Add add) {
  std::optional<std::uint64_t> exceeded;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    if (range != nullptr && add(const_cast<Range&>(*range), burst, part) && !exceeded) {
      exceeded = range->base + burst * burstBytes_;
    }
    return true;
  });
  return exceeded;
}

std::optional<std::uint64_t> UpdateLedger::updated(std::uint64_t address, std::uint64_t bytes,
                                                   std::uint32_t times) {
  return count(address, bytes, [&](Range& range, std::size_t burst, std::uint32_t part) {
    return range.updated.add(burst, part * times) > range.expects(burst, burstBytes_).bytes;
  });
}

std::optional<std::uint64_t> UpdateLedger::arrived(std::uint64_t address, std::uint64_t bytes) {
  return count(address, bytes, [this](Range& range, std::size_t burst, std::uint32_t part) {
    if (!range.arrived) range.arrived = counts(range.bytes / burstBytes_, 1);
    return range.arrived->add(burst, part) > burstBytes_;
  });
}

void UpdateLedger::cleared(std::uint64_t address, std::uint64_t bytes) {
  count(address, bytes, [](Range& range, std::size_t burst, std::uint32_t part) {
    range.cleared.add(burst, part);
    return false;
  });
}

template <typename Is>
std::optional<std::uint64_t> UpdateLedger::first(std::uint64_t address, std::uint64_t bytes,
                                                 Is is) const {
  std::optional<std::uint64_t> found;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    if (range == nullptr || !is(*range, burst, part)) return true;
    found = range->base + burst * burstBytes_;
    return false;
  });
  return found;
}

std::optional<std::uint64_t> UpdateLedger::uncleared(std::uint64_t address,
                                                     std::uint64_t bytes) const {
  return first(address, bytes, [](const Range& range, std::size_t burst, std::uint32_t part) {
    return range.start == Start::Uncleared && range.cleared.bytes(burst) < part;
  });
}

std::optional<std::uint64_t> UpdateLedger::unfinished(std::uint64_t address,
                                                      std::uint64_t bytes) const {
  return first(address, bytes, [this](const Range& range, std::size_t burst, std::uint32_t part) {
    return range.updated.bytes(burst) < range.expects(burst, burstBytes_).least * part &&
           range.arrivedBytes(burst) < part;
  });
}

std::optional<std::uint64_t> UpdateLedger::begun(std::uint64_t address, std::uint64_t bytes) const {
  return first(address, bytes, [](const Range& range, std::size_t burst, std::uint32_t) {
    return range.updated.bytes(burst) != 0 || range.arrivedBytes(burst) != 0;
  });
}

template <typename BytesOf>
bool UpdateLedger::everyBurst(std::uint64_t address, std::uint64_t bytes, std::uint32_t times,
                              BytesOf bytesOf) const {
  bool all = true;
  forBursts(address, bytes, [&](const Range* range, std::size_t burst, std::uint32_t part) {
    const std::uint32_t done = range != nullptr ? bytesOf(*range, burst) : 0;
    all = range != nullptr && (part == burstBytes_ ? done == times * part : done >= times * part);
    return all;
  });
  return all;
}

bool UpdateLedger::everyBurstUpdated(std::uint64_t address, std::uint64_t bytes,
                                     std::uint32_t times) const {
  return everyBurst(address, bytes, times, [](const Range& range, std::size_t burst) {
    return range.updated.bytes(burst);
  });
}
bool UpdateLedger::everyBurstCleared(std::uint64_t address, std::uint64_t bytes,
                                     std::uint32_t times) const {
  return everyBurst(address, bytes, times, [](const Range& range, std::size_t burst) {
    return range.cleared.bytes(burst);
  });
}
bool UpdateLedger::everyBurstArrived(std::uint64_t address, std::uint64_t bytes,
                                     std::uint32_t times) const {
  return everyBurst(address, bytes, times, [](const Range& range, std::size_t burst) {
    return range.arrivedBytes(burst);
  });
}

}  // namespace t3
