// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/link_config.h"

#include <algorithm>
#include <cmath>

namespace t3 {

std::uint64_t LinkConfig::bufferBytes() const {
  if (buffer_bytes != 0) return buffer_bytes;
  constexpr std::uint64_t kRequests = std::uint64_t{64} << 10;
  constexpr std::uint64_t kLeast = std::uint64_t{256} << 10;
  const auto inFlight =
      static_cast<std::uint64_t>(std::ceil((latency_ns + creditLatencyNs()) * bandwidth_gb_s));
  return std::max(kLeast, inFlight + kRequests);
}

std::optional<std::string> LinkConfig::check() const {
  if (credit_latency_ns < 0 && credit_latency_ns != -1) {
    return "credit_latency_ns: expected -1 or at least 0";
  }
  if (buffer_bytes != 0 && buffer_bytes < packet_bytes) {
    return "buffer_bytes: expected 0 or at least packet_bytes (" + std::to_string(packet_bytes) +
           ")";
  }
  return std::nullopt;
}

}  // namespace t3
