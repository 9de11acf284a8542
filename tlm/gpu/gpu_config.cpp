// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gpu_config.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace t3 {

std::uint64_t GemmConfig::mathCycles(std::uint32_t k) const {
  const double macs = static_cast<double>(tile_rows) * tile_columns * k;
  return static_cast<std::uint64_t>(std::ceil(macs / (macs_per_cu_per_cycle * issue_efficiency)));
}

std::uint64_t GemmConfig::tileCycles(std::uint32_t depth) const {
  const std::uint32_t whole = depth / k_step;
  const std::uint32_t rest = depth % k_step;
  std::uint64_t cycles = whole * mathCycles(k_step) + (rest != 0 ? mathCycles(rest) : 0);
  if (workgroups_per_cu == 1) cycles += std::uint64_t{whole + (rest != 0)} * step_sync_cycles;
  return cycles;
}

double GemmConfig::sustainedShare() const {
  const double macs = static_cast<double>(tile_rows) * tile_columns * k_step;
  return macs / (macs_per_cu_per_cycle * static_cast<double>(tileCycles(k_step)));
}

std::optional<std::string> GemmConfig::check() const {
  if (wavefronts > tile_rows) return "wavefronts: expected at most tile_rows";
  return std::nullopt;
}

std::optional<std::string> L2Config::check() const {
  if (fetch_bytes % line_bytes != 0) return "fetch_bytes: expected a multiple of line_bytes";
  if (capacity_bytes % (std::uint64_t{line_bytes} * ways) != 0) {
    return "capacity_bytes: expected whole sets, a multiple of line_bytes x ways = " +
           std::to_string(std::uint64_t{line_bytes} * ways);
  }
  return std::nullopt;
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
  if (codec_unit != CodecUnit::Model && Codec{codec}.bits() == 0) {
    return "codec_unit: expected model, because the RTL codes block8, block6 and block4 only";
  }
  return std::nullopt;
}

const ProtocolConfig& CollectiveConfig::of(Protocol protocol) const {
  switch (protocol) {
    case Protocol::Simple:
      return simple;
    case Protocol::Ll:
      return ll;
    case Protocol::Ll128:
      return ll128;
  }
  return simple;
}

Picoseconds CollectiveConfig::sync(Protocol protocol) const {
  const double own = of(protocol).sync_ns;
  return picosecondsFromNs(own < 0 ? slice_sync_ns : own);
}

std::uint64_t CollectiveConfig::sliceBytes(Protocol protocol, std::uint64_t chunkBytes,
                                           std::uint64_t loopBytes) const {
  const ProtocolConfig& config = of(protocol);
  if (thread_blocks == ThreadBlocks::Shared || config.slices == 0) return slice_bytes;
  const std::uint64_t loop = loopBytes == 0 ? chunkBytes : std::min(loopBytes, chunkBytes);
  const std::uint64_t slice = (loop + config.slices - 1) / config.slices;
  constexpr std::uint64_t kBurstBytes = 32, kMostBytes = 1 << 30;
  return std::clamp<std::uint64_t>((slice + kBurstBytes - 1) / kBurstBytes * kBurstBytes,
                                   config.least_slice_bytes, kMostBytes);
}

std::optional<std::string> CollectiveConfig::check() const {
  if (request_bytes > slice_bytes) {
    return "request_bytes: expected at most slice_bytes (" + std::to_string(slice_bytes) + ")";
  }
  std::optional<std::string> problem;
  const auto check = [&](const std::string& key, std::uint64_t bytes) {
    if (problem || bytes % 4 == 0) return;
    problem =
        key + ": expected a multiple of 4, so that no element is cut, got " + std::to_string(bytes);
  };
  check("request_bytes", request_bytes);
  check("slice_bytes", slice_bytes);
  const std::pair<const char*, const ProtocolConfig*> protocols[] = {
      {"simple", &simple}, {"ll", &ll}, {"ll128", &ll128}};
  for (const auto& [name, protocol] : protocols) {
    check(name + std::string(".least_slice_bytes"), protocol->least_slice_bytes);
    check(name + std::string(".window_bytes"), protocol->window_bytes);
  }
  return problem;
}

std::optional<std::string> GpuConfig::check() const {
  if (gemm.operand_pitch_align_bytes % l2.fetch_bytes != 0) {
    return "gemm.operand_pitch_align_bytes: expected a multiple of gpu.l2.fetch_bytes (" +
           std::to_string(l2.fetch_bytes) + "), so that no fetch reaches into the next row, got " +
           std::to_string(gemm.operand_pitch_align_bytes);
  }
  if (collective.compute_units > compute_units) {
    return "collective.compute_units: expected at most gpu.compute_units (" +
           std::to_string(compute_units) + "), got " + std::to_string(collective.compute_units);
  }
  return std::nullopt;
}

GpuConfig sharedByKernels(GpuConfig config, std::uint32_t computeUnits, std::uint32_t kernels,
                          std::uint32_t index) {
  const std::uint32_t more = index < computeUnits % kernels ? 1 : 0;
  config.collective.compute_units = std::max(1U, computeUnits / kernels + more);
  return config;
}

}  // namespace t3
