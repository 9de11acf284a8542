// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/transport/field_info.h"

namespace t3 {

/// One GPU's DMA engine: how many commands it works on, and how much data it may hold between the
/// memory it reads and the link it feeds.
struct DmaConfig {
  std::uint32_t channels = 8;                    ///< commands whose reads are interleaved
  std::uint32_t queue_commands = 4096;           ///< commands taken and waiting for a channel
  std::uint32_t gather_channels = 0;             ///< more, which the all-gather has for itself
  double command_latency_ns = 100.0;             ///< from a trigger being taken to its first read
  std::uint32_t read_bytes = 4096;               ///< largest read request
  std::uint32_t outstanding_reads = 512;         ///< requests read and not yet taken by the link
  std::uint32_t outstanding_bytes = 131072;      ///< the same in bytes: the engine's data buffer
  std::uint32_t fill_bytes = 8192;               ///< largest zeroing write
  std::uint32_t fill_outstanding_bytes = 65536;  ///< zeroing writes in flight

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(DmaConfig, (),
                      (channels, queue_commands, gather_channels, command_latency_ns, read_bytes,
                       outstanding_reads, outstanding_bytes, fill_bytes, fill_outstanding_bytes))

}  // namespace t3
