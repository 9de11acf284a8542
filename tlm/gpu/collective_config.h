// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/clock.h"
#include "tlm/transport/codec.h"
#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// On what the thread blocks of a collective's kernel run.
enum class ThreadBlocks : std::uint8_t {
  Shared,  ///< the kernel's compute units, equally; a step waits for data only
  Own  ///< each on a compute unit of its own, step after step, with buffers for what it receives
};
BOOST_DESCRIBE_ENUM(ThreadBlocks, Shared, Own)

/// What a protocol is on a machine (docs/silicon.md). All but the flag's time is for thread blocks
/// on compute units of their own.
struct ProtocolConfig {
  double sync_ns = -1;
  double block_gb_s = 0;
  std::uint32_t window_bytes = 32;
  double slice_ns = 0;
  std::uint64_t loop_bytes = 0;
  std::uint32_t slices = 0;
  std::uint32_t least_slice_bytes = 32;
  double launch_us = 0;

  static constexpr auto settings() {
    using C = ProtocolConfig;
    return std::tuple{
        T3_SETTING(sync_ns, "ns", -1, 1e6,
                   "from the last byte of a slice in memory to the first load that uses it; -1: "
                   "gpu.collective.slice_sync_ns; LL and LL128 have their flags among the data"),
        T3_SETTING(
            block_gb_s, "GB/s", 0, 100000,
            "bytes that a thread block moves in a second, wherever it stores them; 0: as many "
            "as outstanding_bytes_per_cu allow. With thread_blocks own"),
        T3_SETTING(window_bytes, "bytes", 32, 65536,
                   "what the threads of a thread block move at once; a part of it takes as long as "
                   "the whole. With thread_blocks own"),
        T3_SETTING(slice_ns, "ns", 0, 1e6,
                   "what a slice that is sent or received costs its thread block beyond its bytes: "
                   "barriers, fence, flag. With thread_blocks own"),
        T3_SETTING(loop_bytes, "bytes", 0, 1099511627776.0,
                   "bytes of each chunk that a thread block takes through all its steps before the "
                   "next ones; 0: all; not where collective.loop_bytes says it. With thread_blocks "
                   "own"),
        T3_SETTING(slices, "", 0, 1024,
                   "slices into which a loop of a chunk is cut; 0: slices of slice_bytes. With "
                   "thread_blocks own"),
        T3_SETTING(least_slice_bytes, "bytes", 32, 1073741824,
                   "no slice of these is shorter, but for the last one of a chunk"),
        T3_SETTING(launch_us, "us", 0, 1e6,
                   "what the library adds to gpu.kernel_launch_us; t3sim validate counts both")};
  }
  std::optional<std::string> check() const { return std::nullopt; }
};

/// Collectives that run as kernels on compute units (the baseline).
struct CollectiveConfig {
  std::uint32_t compute_units = 0;
  std::uint32_t slice_bytes = 32768;
  std::uint32_t request_bytes = 8192;
  std::uint32_t outstanding_bytes_per_cu = 16384;
  std::uint32_t add_bytes_per_cu_cycle = 256;
  double slice_sync_ns = 300.0;
  ThreadBlocks thread_blocks = ThreadBlocks::Shared;
  CodecFormat codec = CodecFormat::Off;
  double codec_bytes_per_cu_cycle = 16;
  ProtocolConfig simple = {};
  ProtocolConfig ll{.sync_ns = 0};
  ProtocolConfig ll128{.sync_ns = 0};

  const ProtocolConfig& of(Protocol protocol) const;
  Picoseconds sync(Protocol protocol) const;
  /// Of chunks of `chunkBytes` that are taken through the steps `loopBytes` at a time (0: whole).
  std::uint64_t sliceBytes(Protocol protocol, std::uint64_t chunkBytes,
                           std::uint64_t loopBytes) const;

  static constexpr auto settings() {
    using C = CollectiveConfig;
    return std::tuple{
        T3_SETTING(
            compute_units, "", 0, 4096,
            "compute units that run the kernel; 0 = all of the GPU's, as in the paper's baseline"),
        T3_SETTING(slice_bytes, "bytes", 32, 1073741824,
                   "a step starts on a slice when that slice has arrived, as ring libraries "
                   "pipeline (32 KiB: smaller slices gain nothing on chunks of 1 MB and more, see "
                   "docs/measurements/topologies.md)"),
        T3_SETTING(request_bytes, "bytes", 32, 65536,
                   "largest load or store, a work item of one wavefront group (assumption: 8 KiB)"),
        T3_SETTING(outstanding_bytes_per_cu, "bytes", 32, 1048576,
                   "bytes of one compute unit being loaded, added or stored (assumption: 16 KiB, "
                   "1024 threads with one 16-byte load each)"),
        T3_SETTING(add_bytes_per_cu_cycle, "bytes", 1, 4096,
                   "result bytes a compute unit adds per cycle (64 lanes of 4 bytes)"),
        T3_SETTING(slice_sync_ns, "ns", 0, 1e6,
                   "from the last byte of a slice in memory to the first load that uses it: fence, "
                   "flag, poll (assumption: 300)"),
        T3_SETTING(thread_blocks, "", 0, 0,
                   "shared (the paper's baseline): thread blocks share the kernel's compute units, "
                   "and a step waits for data only; own: each has a compute unit, and does its "
                   "steps one after another, as in collective libraries (docs/workloads.md)"),
        T3_SETTING(
            codec, "", 0, 0,
            "what kernels of collectives store in other GPUs is coded, as gpu.dma.codec says "
            "of each format (docs/compression.md)"),
        T3_SETTING(
            codec_bytes_per_cu_cycle, "bytes", 0.001, 65536,
            "bytes before the codec that a compute unit codes, or decodes, in a cycle "
            "(assumption: 16; an addition takes one instruction for 256, coding some sixteen: "
            "the largest magnitude of 32 values, scaling, rounding, packing)"),
        T3_SETTING_GROUP(simple),
        T3_SETTING_GROUP(ll),
        T3_SETTING_GROUP(ll128)};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
