// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/link_config.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace t3 {

std::span<const FieldInfo> LinkConfig::fields() {
  static constexpr std::array<FieldInfo, 9> kFields{{
      {"bandwidth_gb_s", "GB/s", 0.001, 100000,
       "raw bandwidth of one direction, 1e9 bytes per second (paper: 150 GB/s bidirectional ring, "
       "read as 75 each way)"},
      {"latency_ns", "ns", 0, 1e6, "from the last bit sent to the last bit delivered (paper: 500)"},
      {"header_bytes", "bytes", 0, 4096,
       "overhead of each packet (0: the paper's figure is read as payload bandwidth)"},
      {"packet_bytes", "bytes", 1, 65536, "largest packet payload (assumption: 256)"},
      {"credit_latency_ns", "ns", -1, 1e6,
       "from room in the receive buffer to the sender's knowledge of it; -1: as latency_ns, "
       "credits travel the link's way back (assumption)"},
      {"buffer_bytes", "bytes", 0, 268435456,
       "receive buffer: payload bytes sent and not yet known to be taken; below (latency + credit "
       "latency) x bandwidth plus two requests the link cannot run at full rate. 0: 256 KiB, or "
       "that product plus 64 KiB if it is more (assumption)"},
      {"input_buffer_bytes", "bytes", 1, 16777216,
       "per initiator, accepted and not yet sent; a larger request is accepted when it is alone "
       "(assumption: 4 KiB)"},
      {"gather_last", "", 0, 0,
       "a write of the all-gather is sent only when no initiator has another one to send; true in "
       "t3-ag, where both are under way at the same time"},
      {"lose_write", "", 0, 4294967295,
       "the K-th write sent on each of a GPU's links is lost on the wire, and nobody sends it "
       "again: a "
       "fault to plant, for trying the checks and the debugging tools; 0: none"},
  }};
  return kFields;
}

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
