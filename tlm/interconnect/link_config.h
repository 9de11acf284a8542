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
  double credit_latency_ns = -1;            ///< room in the buffer freed to known; < 0: latency_ns
  std::uint32_t buffer_bytes = 0;           ///< receive buffer, see `bufferBytes`
  std::uint32_t input_buffer_bytes = 4096;  ///< per initiator, accepted and not yet sent
  bool gather_last = false;                 ///< an all-gather's write waits while others do
  std::uint32_t lose_write = 0;             ///< the write sent that never arrives; 0: none

  double creditLatencyNs() const { return credit_latency_ns < 0 ? latency_ns : credit_latency_ns; }
  /// `buffer_bytes`, or where that is 0 what keeps the link at full rate: 256 KiB, or a round trip
  /// of latency and credit at the link's bandwidth plus 64 KiB for whole requests.
  std::uint64_t bufferBytes() const;

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(LinkConfig, (),
                      (bandwidth_gb_s, latency_ns, header_bytes, packet_bytes, credit_latency_ns,
                       buffer_bytes, input_buffer_bytes, gather_last, lose_write))

}  // namespace t3
