// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_arrivals.h"

#include <algorithm>
#include <utility>

namespace t3 {

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
  for (const StepProgram::Arrival& arrival : program.arrivals) {
    std::vector<Slice>& slices = slices_.emplace_back();
    for (std::uint64_t first = 0; first < program.chunkBytes; first += sliceBytes) {
      slices.push_back(
          {arrival.chunks * std::min<std::uint64_t>(sliceBytes, program.chunkBytes - first)});
    }
    missing_ += slices.size();
  }
}

void StepArrivals::arrived(const Payload& write, Picoseconds when) {
  const std::uint32_t number = traffic(write).step;
  const std::uint64_t bytes = write.get_data_length();
  const auto fail = [&](const char* what) {
    SC_REPORT_ERROR("t3/collective",
                    (owner_ + ": a write of message " + std::to_string(number) + " to address " +
                     std::to_string(write.get_address()) + " " + what)
                        .c_str());
  };
  if (number >= slices_.size()) return fail("is not part of the algorithm");
  const StepProgram::Arrival& arrival = program_.arrivals[number];
  const std::uint64_t offset = write.get_address() - arrival.destination;
  const std::uint64_t inChunk = offset % program_.chunkBytes;
  if (write.get_address() < arrival.destination ||
      offset + bytes > arrival.chunks * program_.chunkBytes ||
      inChunk / sliceBytes_ != (inChunk + bytes - 1) / sliceBytes_) {
    return fail("is not part of a slice");
  }
  const SliceId id{number, static_cast<std::uint32_t>(inChunk / sliceBytes_)};
  Slice& slice = slices_[id.arrival][id.slice];
  if (bytes > slice.bytesLeft) return fail("came more than once");
  slice.bytesLeft -= bytes;
  slice.latest = std::max(slice.latest, when);
  if (slice.bytesLeft == 0) syncing_.post(slice.latest + sync_, id);
}

}  // namespace t3
