// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"

namespace t3 {

/// One GPU's DMA engine: how many commands it works on, and how much data it may hold between the
/// memory it reads and the link it feeds.
struct DmaConfig {
  std::uint32_t channels = 8;
  std::uint32_t queue_commands = 4096;
  std::uint32_t gather_channels = 0;
  double command_latency_ns = 100.0;
  double command_overhead_ns = 0.0;
  bool whole_chunks = false;
  std::uint32_t read_bytes = 4096;
  std::uint32_t outstanding_reads = 512;
  std::uint32_t outstanding_bytes = 131072;
  std::uint32_t fill_bytes = 8192;
  std::uint32_t fill_outstanding_bytes = 65536;

  static constexpr auto settings() {
    using C = DmaConfig;
    return std::tuple{
        T3_SETTING(channels, "", 1, 64,
                   "commands whose reads are interleaved, request by request (assumption: 8)"),
        T3_SETTING(queue_commands, "", 1, 8192,
                   "commands taken and waiting for a channel; a full queue holds the tracker's "
                   "command stream, and with it the commands of other links (a place for each of "
                   "the tracker's 4096 slots, as in its own queue; assumption)"),
        T3_SETTING(
            gather_channels, "", 0, 64,
            "more channels, for commands of the all-gather only, with a data buffer of their own "
            "in proportion, so that they hold up no reduce-scatter; 0: all commands share channels "
            "and buffer; t3-ag then has as many as `channels` (assumption)"),
        T3_SETTING(command_latency_ns, "ns", 0, 1e6,
                   "from a trigger being taken to its first read: descriptor fetch and set-up "
                   "(assumption: 100)"),
        T3_SETTING(command_overhead_ns, "ns", 0, 1e6,
                   "for so long a command holds its channel before its first read, while the next "
                   "one waits; copy engines need microseconds (docs/silicon-overlap.md; "
                   "assumption: 0, the engine prepares a command beside the one before)"),
        T3_SETTING(
            whole_chunks, "", 0, 0,
            "a triggered command waits for all commands of its chunk of a GEMM's output, as where "
            "software starts a copy engine once for a chunk (docs/silicon-overlap.md); else "
            "each block leaves when it is done"),
        T3_SETTING(
            read_bytes, "bytes", 32, 65536,
            "largest read request; a request never leaves one wavefront tile (assumption: 4 KiB)"),
        T3_SETTING(outstanding_reads, "", 1, 65536,
                   "requests from the issue of the read to the acceptance of its data by the link "
                   "(assumption: 512, the buffer in 256-byte rows)"),
        T3_SETTING(outstanding_bytes, "bytes", 256, 16777216,
                   "the same in bytes: the engine's data buffer (assumption: 128 KiB, 1.7 us of a "
                   "75 GB/s link)"),
        T3_SETTING(fill_bytes, "bytes", 32, 65536,
                   "largest zeroing write (8 KiB: one 256-byte piece for each of 32 channels)"),
        T3_SETTING(fill_outstanding_bytes, "bytes", 32, 67108864,
                   "zeroing writes in flight (64 KiB, some 150 GB/s: ahead of the updates, and no "
                   "longer queue in front of DMA reads and other GPUs' updates than need be; "
                   "measured in docs/measurements/topologies.md)")};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
