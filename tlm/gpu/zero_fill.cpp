// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/zero_fill.h"

#include <algorithm>
#include <numeric>

namespace t3 {

void ZeroFrontier::begin(const Areas& areas) {
  areas_.clear();
  zeroed_ = total_ = 0;
  for (const auto& [address, bytes] : areas) {
    areas_.push_back({address, bytes, total_});
    total_ += bytes;
  }
  std::sort(areas_.begin(), areas_.end(),
            [](const Area& a, const Area& b) { return a.address < b.address; });
}

void ZeroFrontier::advance(std::uint64_t bytes) {
  zeroed_ += bytes;
  changed();
}

bool ZeroFrontier::ready(std::uint64_t address, std::uint64_t bytes) const {
  if (complete()) return true;
  const std::uint64_t end = address + bytes;
  auto area = std::upper_bound(
      areas_.begin(), areas_.end(), address,
      [](std::uint64_t position, const Area& a) { return position < a.address + a.bytes; });
  for (; area != areas_.end() && area->address < end; ++area) {
    const std::uint64_t last = std::min(end, area->address + area->bytes) - area->address;
    if (area->before + last > zeroed_) return false;
  }
  return true;
}

ZeroFill::ZeroFill(const DmaContext& context)
    : context_(context),
      performed_("filled", [this](std::uint64_t number) { performed(number); }) {}

void ZeroFill::beginClear(Ranges ranges, std::uint32_t rowsBytes, Done done, Picoseconds start,
                          NodeId node) {
  // A few sets of rows in flight keep every bank group of every channel at work.
  constexpr std::uint64_t kSetsInFlight = 4;
  const std::uint32_t largest = rowsBytes != 0 ? rowsBytes : context_.config.fill_bytes;
  const std::uint64_t outstanding =
      rowsBytes != 0 ? kSetsInFlight * rowsBytes : context_.config.fill_outstanding_bytes;
  begin(std::move(ranges), std::move(done), start,
        {MemoryOperation::Clear, largest, outstanding, node});
}

void ZeroFill::begin(Ranges ranges, Done done, Picoseconds start, Requests requests) {
  if (active_) {
    SC_REPORT_ERROR("t3/dma", "a fill while another is under way");
    return;
  }
  active_ = true;
  ranges_ = std::move(ranges);
  requests_ = requests;
  range_ = 0;
  issuedOfRange_ = 0;
  done_ = std::move(done);
  frontier_.begin(ranges_);
  context_.engine.announce(
      {.kind = EventKind::ZeroBegin,
       .bytes =
           std::accumulate(ranges_.begin(), ranges_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& area) { return sum + area.second; })});
  // The first entry is empty. It starts the fill, and ends it if there is nothing to fill.
  stores_.push_back({});
  performed_.post(std::max(now(), start), firstNumber_);
}

void ZeroFill::issue() {
  const bool clears = requests_.operation == MemoryOperation::Clear;
  while (range_ < ranges_.size()) {
    const auto [address, length] = ranges_[range_];
    const auto bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(length - issuedOfRange_, requests_.largest));
    if (bytes == 0) {
      ++range_;
      issuedOfRange_ = 0;
      continue;
    }
    if (outstandingBytes_ + bytes > requests_.outstanding) return;
    Payload& zeros =
        context_.requests.make(tlm::TLM_WRITE_COMMAND, address + issuedOfRange_, bytes, !clears);
    TrafficExtension& extension = traffic(zeros);
    extension.stream = Stream::Communication;
    extension.phase = Phase::Gemm;
    extension.node = requests_.node;
    extension.operation = requests_.operation;
    extension.context = firstNumber_ + stores_.size();
    stores_.push_back({bytes, false});
    issuedOfRange_ += bytes;
    outstandingBytes_ += bytes;
    (clears ? statistics_.clearBytes : statistics_.fillBytes) += bytes;
    context_.memory.send(zeros);
  }
}

void ZeroFill::performed(std::uint64_t number) {
  Store& store = stores_[number - firstNumber_];
  store.performed = true;
  outstandingBytes_ -= store.bytes;
  std::uint64_t zeroed = 0;
  while (!stores_.empty() && stores_.front().performed) {
    zeroed += stores_.front().bytes;
    stores_.pop_front();
    ++firstNumber_;
  }
  issue();
  if (zeroed != 0) frontier_.advance(zeroed);
  if (outstandingBytes_ != 0) return;
  active_ = false;
  context_.engine.announce({.kind = EventKind::ZeroEnd});
  const Done done = std::exchange(done_, nullptr);  // it may start the next fill
  if (done) done(now());
}

}  // namespace t3
