// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_arrivals.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace t3 {
namespace {

/// Where in its chunk a write begins; empty if it is not all in the arrival's chunk.
std::optional<std::uint64_t> positionOf(const StepProgram::Arrival& arrival,
                                        const ChunkSegments& chunk, std::uint64_t address,
                                        std::uint64_t bytes) {
  if (!arrival.expected || address < arrival.destination.address) return std::nullopt;
  const std::uint64_t offset = address - arrival.destination.address;
  if (!arrival.destination.dense) return chunk.denseOffset(offset, bytes);
  return offset + bytes <= chunk.bytes() ? std::optional(offset) : std::nullopt;
}

}  // namespace

StepArrivals::StepArrivals(std::string owner, const StepProgram& program, std::uint32_t sliceBytes,
                           Picoseconds sync, std::function<void()> ready)
    : owner_(std::move(owner)),
      program_(program),
      sliceBytes_(sliceBytes),
      sync_(sync),
      ready_(std::move(ready)),
      syncing_("syncing", [this](SliceId id) {
        slices_[id.arrival][id.slice].ready = true;
        --missing_;
        ready_();
      }) {
  reset();
}

/// The last slice of a chunk may be shorter.
void StepArrivals::reset() {
  slices_.assign(program_.arrivals.size(), {});
  missing_ = 0;
  for (std::size_t a = 0; a < slices_.size(); ++a) {
    const StepProgram::Arrival& arrival = program_.arrivals[a];
    const std::uint64_t bytes = arrival.expected ? program_.chunkBytes(arrival.shape) : 0;
    for (std::uint64_t first = 0; first < bytes; first += sliceBytes_) {
      slices_[a].push_back({std::min<std::uint64_t>(sliceBytes_, bytes - first)});
    }
    missing_ += slices_[a].size();
  }
}

void StepArrivals::arrived(const Payload& write, Picoseconds when) {
  const std::uint32_t number = traffic(write).step;
  std::uint64_t left = write.get_data_length();
  const auto fail = [&](const char* what) {
    SC_REPORT_ERROR("t3/collective",
                    (owner_ + ": a write of message " + std::to_string(number) + " to address " +
                     std::to_string(write.get_address()) + " " + what)
                        .c_str());
  };
  std::optional<std::uint64_t> position;
  if (number < slices_.size()) {
    const StepProgram::Arrival& arrival = program_.arrivals[number];
    position = positionOf(arrival, (*program_.shapes)[arrival.shape], write.get_address(), left);
  }
  if (!position) return fail("is not part of the collective");
  for (std::uint64_t offset = *position; left > 0;) {
    const SliceId id{number, static_cast<std::uint32_t>(offset / sliceBytes_)};
    Slice& slice = slices_[id.arrival][id.slice];
    const std::uint64_t inSlice =
        std::min(left, (id.slice + std::uint64_t{1}) * sliceBytes_ - offset);
    if (inSlice > slice.bytesLeft) return fail("came more than once");
    slice.bytesLeft -= inSlice;
    slice.latest = std::max(slice.latest, when);
    if (slice.bytesLeft == 0) syncing_.post(slice.latest + sync_, id);
    offset += inSlice;
    left -= inSlice;
  }
}

}  // namespace t3
