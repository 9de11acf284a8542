// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/gpu/collective_config.h"
#include "tlm/gpu/gemm_config.h"
#include "tlm/transport/codec.h"
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
  CodecFormat codec = CodecFormat::Off;
  double codec_bytes_per_cycle = 256;
  double codec_latency_ns = 20;
  double codec_ratio = 1.5;
  double codec_threshold = 0.01;
  CodecUnit codec_unit = CodecUnit::Model;

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
                   "measured in docs/measurements/topologies.md)"),
        T3_SETTING(
            codec, "", 0, 0,
            "what the DMA engine, and a GEMM, store in other GPUs is coded on its way and "
            "plain again before it enters their memory (docs/compression.md). block8, block6, "
            "block4: 32 values share an exponent, and keep so many bits each; lossless: bits "
            "that differences of neighbours have; threshold: values that are large"),
        T3_SETTING(codec_bytes_per_cycle, "bytes", 0.001, 1e6,
                   "bytes before the codec that the encoder of a GPU takes in a cycle of "
                   "gpu.clock_mhz, and the decoder (assumption: 256, four blocks of 32 values; 358 "
                   "GB/s at 1.4 GHz, more than block4 makes of a 75 GB/s link)"),
        T3_SETTING(codec_latency_ns, "ns", 0, 1e6,
                   "through the encoder, and through the decoder (assumption: 20, some 28 cycles)"),
        T3_SETTING(
            codec_ratio, "", 1, 1000,
            "bytes before the codec by bytes behind it, of lossless and threshold with elided "
            "data; checked data decides itself (assumption: 1.5)"),
        T3_SETTING(codec_threshold, "", 0, 65504,
                   "smaller magnitudes are sent as zeros with threshold (assumption: 0.01)"),
        T3_SETTING(codec_unit, "", 0, 0,
                   "who codes the values of checked data in block8, block6 and block4. model; rtl: "
                   "the RTL of docs/block-codec.md; lockstep: both, compared")};
  }
  std::optional<std::string> check() const;
};

/// The kernel between the reduce-scatter and the all-gather (NormKernel).
struct NormConfig {
  std::uint32_t rows_per_workgroup = 4;

  static constexpr auto settings() {
    using C = NormConfig;
    return std::tuple{
        T3_SETTING(rows_per_workgroup, "rows", 1, 1024,
                   "rows of the output that a workgroup of the norm works on, one after the other "
                   "(assumption; docs/measurements/pairs.md has the times)")};
  }
};

/// One GPU without its memory and links.
struct GpuConfig {
  double clock_mhz = 1400.0;
  std::uint32_t compute_units = 80;
  double kernel_launch_us = 2.0;
  /// Not a setting but the K of mode cu-split:K: this many compute units run the reduce-scatter
  /// beside the GEMM, which has the others. 0: kernels follow one another, each on all that it may
  /// use.
  std::uint32_t split_compute_units = 0;
  /// Not a setting but the K of mode ag-split:K: this many compute units run the all-gather beside
  /// the consumer, which has the others. 0: the consumer has all.
  std::uint32_t gather_compute_units = 0;
  GemmConfig gemm;
  L2Config l2;
  DmaConfig dma;
  CollectiveConfig collective;
  NormConfig norm;

  static constexpr auto settings() {
    using C = GpuConfig;
    return std::tuple{T3_SETTING(clock_mhz, "MHz", 1, 100000,
                                 "clock of the compute units and the L2 (paper: 1.4 GHz)"),
                      T3_SETTING(compute_units, "", 1, 4096, "compute units (paper: 80)"),
                      T3_SETTING(kernel_launch_us, "us", 0, 1000,
                                 "from the end of one kernel to the first instruction of the next "
                                 "(assumption: 2, back-to-back launches on one stream)"),
                      T3_SETTING_GROUP(gemm),
                      T3_SETTING_GROUP(l2),
                      T3_SETTING_GROUP(dma),
                      T3_SETTING_GROUP(collective),
                      T3_SETTING_GROUP(norm)};
  }
  std::optional<std::string> check() const;
  /// Of what trackers drive, or of kernels.
  Codec codec(bool tracked) const {
    return {tracked ? dma.codec : collective.codec, dma.codec_ratio, dma.codec_threshold};
  }
  /// On which kernels of collectives run.
  std::uint32_t collectiveUnits() const {
    return collective.compute_units != 0 ? collective.compute_units : compute_units;
  }
};

/// The share of `computeUnits` that kernel `index` gets, when `kernels` of a collective run side by
/// side.
GpuConfig sharedByKernels(GpuConfig config, std::uint32_t computeUnits, std::uint32_t kernels,
                          std::uint32_t index);

}  // namespace t3
