// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_config.h"

#include <algorithm>

namespace t3 {

const ProtocolConfig& CollectiveConfig::of(Protocol protocol) const {
  switch (protocol) {
    case Protocol::Simple:
      return simple;
    case Protocol::Ll:
      return ll;
    case Protocol::Ll128:
      return ll128;
  }
  return simple;
}

Picoseconds CollectiveConfig::sync(Protocol protocol) const {
  const double own = of(protocol).sync_ns;
  return picosecondsFromNs(own < 0 ? slice_sync_ns : own);
}

std::uint64_t CollectiveConfig::sliceBytes(Protocol protocol, std::uint64_t chunkBytes,
                                           std::uint64_t loopBytes) const {
  const ProtocolConfig& config = of(protocol);
  if (thread_blocks == ThreadBlocks::Shared || config.slices == 0) return slice_bytes;
  const std::uint64_t loop = loopBytes == 0 ? chunkBytes : std::min(loopBytes, chunkBytes);
  const std::uint64_t slice = (loop + config.slices - 1) / config.slices;
  constexpr std::uint64_t kBurstBytes = 32, kMostBytes = 1 << 30;
  return std::clamp<std::uint64_t>((slice + kBurstBytes - 1) / kBurstBytes * kBurstBytes,
                                   config.least_slice_bytes, kMostBytes);
}

std::optional<std::string> CollectiveConfig::check() const {
  if (request_bytes > slice_bytes) {
    return "request_bytes: expected at most slice_bytes (" + std::to_string(slice_bytes) + ")";
  }
  if (slice_bytes % 4 != 0 || request_bytes % 4 != 0) {
    return "request_bytes: expected request_bytes and slice_bytes to be multiples of 4, so that no "
           "element is cut";
  }
  for (const ProtocolConfig* protocol : {&simple, &ll, &ll128}) {
    if (protocol->least_slice_bytes % 4 == 0 && protocol->window_bytes % 4 == 0) continue;
    return "least_slice_bytes: expected it and window_bytes to be multiples of 4 in simple, ll and "
           "ll128, so that no element is cut";
  }
  return std::nullopt;
}

}  // namespace t3
