// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> DmaConfig::fields() {
  static constexpr std::array<FieldInfo, 9> kFields{{
      {"channels", "", 1, 64,
       "commands whose reads are interleaved, request by request (assumption: 8)"},
      {"queue_commands", "", 1, 8192,
       "commands taken and waiting for a channel; a full queue holds the tracker's command stream, "
       "and with it the commands of other links (a place for each of the tracker's 4096 slots, as "
       "in "
       "its own queue; assumption)"},
      {"gather_channels", "", 0, 64,
       "more channels, for commands of the all-gather only, with a data buffer of their own in "
       "proportion, so that they hold up no reduce-scatter; 0: all commands share channels and "
       "buffer; t3-ag then has as many as `channels` (assumption)"},
      {"command_latency_ns", "ns", 0, 1e6,
       "from a trigger being taken to its first read: descriptor fetch and set-up (assumption: "
       "100)"},
      {"read_bytes", "bytes", 32, 65536,
       "largest read request; a request never leaves one wavefront tile (assumption: 4 KiB)"},
      {"outstanding_reads", "", 1, 65536,
       "requests from the issue of the read to the acceptance of its data by the link (assumption: "
       "512, the buffer in 256-byte rows)"},
      {"outstanding_bytes", "bytes", 256, 16777216,
       "the same in bytes: the engine's data buffer (assumption: 128 KiB, 1.7 us of a 75 GB/s "
       "link)"},
      {"fill_bytes", "bytes", 32, 65536,
       "largest zeroing write (8 KiB: one 256-byte piece for each of 32 channels)"},
      {"fill_outstanding_bytes", "bytes", 32, 67108864,
       "zeroing writes in flight (64 KiB, some 150 GB/s: ahead of the updates, and no longer queue "
       "in front of DMA reads and other GPUs' updates than need be; measured in "
       "docs/measurements/topologies.md)"},
  }};
  return kFields;
}

std::optional<std::string> DmaConfig::check() const {
  if (read_bytes > outstanding_bytes) {
    return "read_bytes: expected at most outstanding_bytes (" + std::to_string(outstanding_bytes) +
           ")";
  }
  if (fill_bytes > fill_outstanding_bytes) {
    return "fill_bytes: expected at most fill_outstanding_bytes (" +
           std::to_string(fill_outstanding_bytes) + ")";
  }
  return std::nullopt;
}

}  // namespace t3
