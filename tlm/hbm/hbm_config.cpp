// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/hbm_config.h"

#include <bit>
#include <string>

namespace t3 {
namespace {

/// Of a bank: their numbers have 32 bits.
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 31;

}  // namespace

std::optional<std::string> HbmConfig::check() const {
  const auto powerOfTwo = [](std::uint64_t value) { return std::has_single_bit(value); };
  if (channels == 0) return "channels: expected at least one";
  if (channels % stacks != 0) {
    return "stacks: expected a number that divides hbm.channels = " + std::to_string(channels) +
           ", got " + std::to_string(stacks);
  }
  if (!powerOfTwo(channel_bits)) return "channel_bits: expected a power of two";
  if (!powerOfTwo(burst_length)) return "burst_length: expected a power of two";
  if (!powerOfTwo(beats_per_clock) || burst_length < beats_per_clock) {
    return "beats_per_clock: expected 2 or 4, at most burst_length";
  }
  if (!powerOfTwo(bank_groups)) return "bank_groups: expected a power of two";
  if (!powerOfTwo(banks) || banks < bank_groups) {
    return "banks: expected a power of two, at least bank_groups";
  }
  if (!powerOfTwo(page_bytes) || page_bytes < burstBytes()) {
    return "page_bytes: expected a power of two, at least one burst";
  }
  if (!powerOfTwo(channel_interleave_bytes) || channel_interleave_bytes < burstBytes() ||
      channel_interleave_bytes > page_bytes) {
    return "channel_interleave_bytes: expected a power of two from one burst to page_bytes";
  }
  if (address_mapping == AddressMappingPolicy::BurstOverGroups &&
      channel_interleave_bytes < std::uint64_t{burstBytes()} * bank_groups) {
    return "channel_interleave_bytes: expected at least one burst per bank group with "
           "address_mapping burst-over-groups";
  }
  if (capacityBytes() == 0) {
    return "capacity_gib: expected room for a row in each of hbm.channels x hbm.banks banks";
  }
  if (capacityBytes() / channels / banks / page_bytes > kMostRows) {
    return "capacity_gib: expected at most 2^31 rows in a bank";
  }
  if (dram_queue_bursts < channel_interleave_bytes / burstBytes()) {
    return "dram_queue_bursts: expected at least one channel interleave block";
  }
  if (!powerOfTwo(decision_clocks)) return "decision_clocks: expected a power of two";
  if (write_drain_bursts > dram_queue_bursts) {
    return "write_drain_bursts: expected at most dram_queue_bursts";
  }
  if (batch_least_bursts > batch_bursts) {
    return "batch_least_bursts: expected at most batch_bursts";
  }
  if (!(mca.intensity_low <= mca.intensity_medium && mca.intensity_medium <= mca.intensity_high)) {
    return "mca.intensity_high: expected low <= medium <= high";
  }
  if (mca.window_min_ns > mca.window_max_ns) {
    return "mca.window_min_ns: expected at most mca.window_max_ns";
  }
  if (timing.rc_ns < timing.ras_ns) return "timing.rc_ns: expected at least timing.ras_ns";
  if (refresh == RefreshMode::AllBank && timing.rfc_ns >= timing.refi_ns) {
    return "timing.refi_ns: expected more than timing.rfc_ns";
  }
  if (refresh == RefreshMode::PerBank) {
    // A bank must be able to serve a row between its refreshes, and any bank to open one between
    // the refreshes of two others.
    if (timing.rfc_pb_ns + timing.rc_ns >= timing.refi_ns) {
      return "timing.refi_ns: expected more than timing.rfc_pb_ns and timing.rc_ns together";
    }
    if ((timing.rrefd_ns + timing.rrd_l_ns) * banks >= timing.refi_ns) {
      return "timing.refi_ns: expected more than timing.rrefd_ns and timing.rrd_l_ns together for "
             "each of the banks";
    }
  }
  return std::nullopt;
}

}  // namespace t3
