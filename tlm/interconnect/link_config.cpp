// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/link_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> LinkConfig::fields() {
  static constexpr std::array<FieldInfo, 6> kFields{{
      {"bandwidth_gb_s", "GB/s", 0.001, 100000,
       "raw bandwidth of one direction, 1e9 bytes per second (paper: 150 GB/s bidirectional ring, "
       "read as 75 each way)"},
      {"latency_ns", "ns", 0, 1e6, "from the last bit sent to the last bit delivered (paper: 500)"},
      {"header_bytes", "bytes", 0, 4096,
       "overhead of each packet (0: the paper's figure is read as payload bandwidth)"},
      {"packet_bytes", "bytes", 1, 65536, "largest packet payload (assumption: 256)"},
      {"buffer_bytes", "bytes", 1, 268435456,
       "receive buffer: payload bytes sent and not yet taken by the destination; below latency x "
       "bandwidth plus two requests the link cannot run at full rate (assumption: 256 KiB)"},
      {"input_buffer_bytes", "bytes", 1, 16777216,
       "per initiator, accepted and not yet sent; a larger request is accepted when it is alone "
       "(assumption: 4 KiB)"},
  }};
  return kFields;
}

std::optional<std::string> LinkConfig::check() const {
  if (buffer_bytes < packet_bytes) {
    return "buffer_bytes: expected at least packet_bytes (" + std::to_string(packet_bytes) + ")";
  }
  return std::nullopt;
}

}  // namespace t3
