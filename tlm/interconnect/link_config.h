// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"

namespace t3 {

/// One direction of a point-to-point link.
struct LinkConfig {
  double bandwidth_gb_s = 75.0;             ///< raw, one direction, 1e9 bytes per second
  double latency_ns = 500.0;                ///< last bit in to last bit out
  std::uint32_t header_bytes = 0;           ///< overhead of each packet
  std::uint32_t packet_bytes = 256;         ///< largest packet payload
  std::uint32_t buffer_bytes = 262144;      ///< receive buffer: bytes in flight or undelivered
  std::uint32_t input_buffer_bytes = 4096;  ///< per initiator, accepted and not yet sent

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(LinkConfig, (),
                      (bandwidth_gb_s, latency_ns, header_bytes, packet_bytes, buffer_bytes,
                       input_buffer_bytes))

}  // namespace t3
