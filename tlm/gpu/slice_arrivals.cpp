// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/slice_arrivals.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace t3 {
namespace {

void reportError(const std::string& text) { SC_REPORT_ERROR("t3/collective", text.c_str()); }

}  // namespace

SliceArrivals::SliceArrivals(std::string kernel, const CollectiveConfig& config,
                             const std::vector<CollectiveArrival>& arrivals,
                             const std::vector<ChunkSegments>& chunks, std::function<void()> ready)
    : kernel_(std::move(kernel)),
      sliceBytes_(config.slice_bytes),
      sync_(picosecondsFromNs(config.slice_sync_ns)),
      arrivals_(arrivals),
      chunks_(chunks),
      ready_(std::move(ready)),
      syncing_("syncing", [this](SliceId id) {
        slices_[id.arrival][id.slice].ready = true;
        --missing_;
        ready_();
      }) {
  reset();
}

void SliceArrivals::reset() {
  slices_.assign(arrivals_.size(), {});
  missing_ = 0;
  for (std::size_t a = 0; a < slices_.size(); ++a) {
    slices_[a].resize((chunkOf(a).bytes() + sliceBytes_ - 1) / sliceBytes_);
    missing_ += slices_[a].size();
  }
}

/// The last slice of a chunk may be shorter.
std::uint64_t SliceArrivals::sliceBytes(std::uint32_t arrival, std::uint32_t slice) const {
  const std::uint64_t first = std::uint64_t{slice} * sliceBytes_;
  return std::min<std::uint64_t>(chunkOf(arrival).bytes() - first, sliceBytes_);
}

void SliceArrivals::arrived(const Payload& write, Picoseconds when) {
  const std::uint32_t step = traffic(write).step;
  const std::uint64_t address = write.get_address();
  std::uint64_t left = write.get_data_length();

  std::optional<std::uint64_t> position;  // in the chunk
  if (step < arrivals_.size() && address >= arrivals_[step].destination) {
    const std::uint64_t offset = address - arrivals_[step].destination;
    const ChunkSegments& chunk = chunkOf(step);
    if (!arrivals_[step].dense) {
      position = chunk.denseOffset(offset, left);
    } else if (offset + left <= chunk.bytes()) {
      position = offset;
    }
  }
  if (!position) {
    reportError(kernel_ + ": a write of step " + std::to_string(step) + " to address " +
                std::to_string(address) + " is not part of the collective");
    return;
  }

  for (std::uint64_t offset = *position; left > 0;) {
    const auto index = static_cast<std::uint32_t>(offset / sliceBytes_);
    Slice& slice = slices_[step][index];
    const std::uint64_t inSlice = std::min(left, (index + std::uint64_t{1}) * sliceBytes_ - offset);
    slice.arrivedBytes += inSlice;
    slice.latest = std::max(slice.latest, when);
    const std::uint64_t expected = sliceBytes(step, index);
    if (slice.arrivedBytes > expected) {
      reportError(kernel_ + ": a slice of step " + std::to_string(step) +
                  " arrived more than once");
      return;
    }
    if (slice.arrivedBytes == expected) syncing_.post(slice.latest + sync_, {step, index});
    offset += inSlice;
    left -= inSlice;
  }
}

}  // namespace t3
