// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_config.h"

#include <algorithm>
#include <utility>

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
  std::optional<std::string> problem;
  const auto check = [&](const std::string& key, std::uint64_t bytes) {
    if (problem || bytes % 4 == 0) return;
    problem =
        key + ": expected a multiple of 4, so that no element is cut, got " + std::to_string(bytes);
  };
  check("request_bytes", request_bytes);
  check("slice_bytes", slice_bytes);
  const std::pair<const char*, const ProtocolConfig*> protocols[] = {
      {"simple", &simple}, {"ll", &ll}, {"ll128", &ll128}};
  for (const auto& [name, protocol] : protocols) {
    check(name + std::string(".least_slice_bytes"), protocol->least_slice_bytes);
    check(name + std::string(".window_bytes"), protocol->window_bytes);
  }
  return problem;
}

}  // namespace t3
