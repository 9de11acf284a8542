// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_end.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace t3 {

std::string RunEnd::error() const {
  const auto first = std::ranges::min_element(failures, {}, &Failure::when);
  return first == failures.end() ? "" : first->what;
}

void RunEnd::gather(Peers* peers) {
  if (peers == nullptr) return;
  std::vector<Parcel> parcels(peers->count()), arrived;
  if (peers->self() != 0) {
    parcels[0].put(failures);
    parcels[0].put(verification);
    parcels[0].put(gpus);
  }
  peers->meet({}, parcels, arrived);
  for (std::uint32_t p = 1; peers->self() == 0 && p < peers->count(); ++p) {
    for (Failure& failure : arrived[p].take<std::vector<Failure>>()) {
      // All see the same standstill, each its own GPUs.
      const std::string first = failure.what.substr(0, failure.what.find('\n'));
      if (!failures.empty() && failures.front().what.starts_with(first)) {
        failures.front().what += failure.what.substr(first.size());
      } else {
        failures.push_back(std::move(failure));
      }
    }
    const auto part = arrived[p].take<Verification>();
    verification.elements += part.elements;
    verification.mismatches += part.mismatches;
    std::ranges::move(arrived[p].take<std::vector<GpuFigures>>(), std::back_inserter(gpus));
  }
}

}  // namespace t3
