// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/hbm/arbitration/arbitration_policy.h"
#include "tlm/transport/choice.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// Order of the address fields inside a channel, lowest first (address_mapping.h).
enum class AddressMappingPolicy : std::uint8_t {
  BurstOverGroups,  ///< bank group | column | bank | row: consecutive bursts change bank group
  BlockOverGroups,  ///< column low | bank group | column high | bank | row
  PageOverGroups    ///< column | bank group | bank | row: a page before the next bank group
};
BOOST_DESCRIBE_ENUM(AddressMappingPolicy, BurstOverGroups, BlockOverGroups, PageOverGroups)

/// What happens to a row after its last queued access.
enum class PagePolicy : std::uint8_t {
  Open,     ///< stays open until another row of the bank is needed
  Closed,   ///< precharged as soon as no queued request hits it
  Adaptive  ///< per bank: closed if that was the better choice the last times
};
BOOST_DESCRIBE_ENUM(PagePolicy, Open, Closed, Adaptive)

enum class RefreshMode : std::uint8_t { Off, AllBank, PerBank };
BOOST_DESCRIBE_ENUM(RefreshMode, Off, AllBank, PerBank)

/// Who sees to it that the first update of an element finds a zero.
enum class InitialValue : std::uint8_t {
  InMemory,          ///< the banks: clears and read-and-clears, no zeros cross the bus
  ZeroOverBus,       ///< software: zeros are written ahead of the updates
  FirstUpdateStores  ///< a bit for each burst: its first update replaces what is stored
};
BOOST_DESCRIBE_ENUM(InitialValue, InMemory, ZeroOverBus, FirstUpdateStores)

/// DRAM timing parameters by their JEDEC names. Nanoseconds are rounded up to whole clocks. Values
/// that the standard defines in clocks are given in clocks. Sources: docs/hbm.md.
struct HbmTiming {
  double rcd_rd_ns = 15;
  double rcd_wr_ns = 15;
  double rp_ns = 15;
  double ras_ns = 33;
  double rc_ns = 48;
  double rrd_s_ns = 4;
  double rrd_l_ns = 6;
  double faw_ns = 16;
  double cl_ns = 15;
  double wl_ns = 3;
  double wr_ns = 12;
  double wtr_s_ns = 4;
  double wtr_l_ns = 9;
  double rtp_ns = 4;
  double read_to_write_gap_ns = 2;
  double refi_ns = 3900;
  double rfc_ns = 260;
  double rfc_pb_ns = 160;
  double rrefd_ns = 8;
  std::uint32_t ccd_s_clocks = 1;
  std::uint32_t ccd_l_clocks = 2;
  std::uint32_t activate_command_clocks = 2;

  static std::span<const FieldInfo> fields();
};
BOOST_DESCRIBE_STRUCT(HbmTiming, (),
                      (rcd_rd_ns, rcd_wr_ns, rp_ns, ras_ns, rc_ns, rrd_s_ns, rrd_l_ns, faw_ns,
                       cl_ns, wl_ns, wr_ns, wtr_s_ns, wtr_l_ns, rtp_ns, read_to_write_gap_ns,
                       refi_ns, rfc_ns, rfc_pb_ns, rrefd_ns, ccd_s_clocks, ccd_l_clocks,
                       activate_command_clocks))

/// Communication-aware arbitration. A threshold is a limit on the occupancy of the DRAM queue in
/// bursts; 0 means no limit. It is chosen from the share of the peak bandwidth that the compute
/// stream asked for before the first communication request, the kernel's first loads left out.
struct McaConfig {
  double intensity_high = 0.60;
  double intensity_medium = 0.35;
  double intensity_low = 0.15;
  std::uint32_t threshold_high_bursts = 0;
  std::uint32_t threshold_medium_bursts = 0;
  std::uint32_t threshold_low_bursts = 0;
  std::uint32_t threshold_idle_bursts = 0;
  std::uint32_t threshold_default_bursts = 0;
  double lag_stages = 3;
  double lag_stages_long_ring = 0.5;
  double long_ring_ratio = 1.1;
  double demand_turns = 0.9;
  double demand_limit = 1.15;
  bool only_in_kernels = true;
  double settle_ns = 5000;
  double window_min_ns = 500;
  double window_max_ns = 20000;

  static std::span<const FieldInfo> fields();
};
BOOST_DESCRIBE_STRUCT(McaConfig, (),
                      (intensity_high, intensity_medium, intensity_low, threshold_high_bursts,
                       threshold_medium_bursts, threshold_low_bursts, threshold_idle_bursts,
                       threshold_default_bursts, lag_stages, lag_stages_long_ring, long_ring_ratio,
                       demand_turns, demand_limit, only_in_kernels, settle_ns, window_min_ns,
                       window_max_ns))

/// Energy of each command, for the report only.
struct HbmEnergy {
  double activate_pj = 909;
  double read_pj_per_bit = 3.5;
  double write_pj_per_bit = 3.5;
  double update_pj_per_bit = 4.4;
  double read_clear_pj_per_bit = 4.4;
  double clear_pj_per_bit = 0.9;
  double row_clear_pj = 1818;
  double refresh_nj = 50;

  static std::span<const FieldInfo> fields();
};
BOOST_DESCRIBE_STRUCT(HbmEnergy, (),
                      (activate_pj, read_pj_per_bit, write_pj_per_bit, update_pj_per_bit,
                       read_clear_pj_per_bit, clear_pj_per_bit, row_clear_pj, refresh_nj))

/// The memory of one GPU: channels, their controllers and the near-memory ALUs. Defaults: HBM2 at
/// 2 Gb/s per pin, 32 channels of 128 bit, 1.024 TB/s.
struct HbmConfig {
  double clock_mhz = 1000.0;
  std::uint32_t channels = 32;
  std::uint32_t channel_bits = 128;
  std::uint32_t burst_length = 2;
  std::uint32_t beats_per_clock = 2;
  std::uint32_t bank_groups = 4;
  std::uint32_t banks = 16;
  std::uint32_t page_bytes = 2048;
  std::uint32_t capacity_gib = 16;
  std::uint32_t channel_interleave_bytes = 256;
  AddressMappingPolicy address_mapping = AddressMappingPolicy::BlockOverGroups;
  bool channel_hash = true;
  bool bank_hash = true;
  bool group_hash = true;
  PagePolicy page_policy = PagePolicy::Open;
  RefreshMode refresh = RefreshMode::AllBank;
  bool refresh_stagger = false;

  std::uint32_t stream_queue_requests = 32;
  std::uint32_t dram_queue_bursts = 64;
  std::uint32_t row_hit_cap_bursts = 32;
  std::uint32_t batch_bursts = 256;
  std::uint32_t batch_least_bursts = 16;
  std::uint32_t write_drain_bursts = 8;
  bool coalescing = true;
  double age_limit_ns = 1000;
  std::uint32_t decision_clocks = 16;
  double response_latency_ns = 20;

  Choice<ArbitrationPolicy> arbitration = kRoundRobinArbitration;
  std::uint32_t turn_bursts = 256;
  double starvation_limit_ns = 2000;
  McaConfig mca = {};

  bool near_memory = true;
  std::uint32_t update_ccd_l_factor = 2;
  double update_write_back_ns = 8;
  double controller_add_ns = 4;
  InitialValue initial_value = InitialValue::InMemory;
  double row_clear_ns = 81;

  double statistics_window_ns = 10000;
  HbmTiming timing = {};
  HbmEnergy energy = {};

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;

  std::uint32_t burstBytes() const { return channel_bits / 8 * burst_length; }
  /// Clocks for which one burst occupies the data bus.
  std::uint32_t burstClocks() const { return burst_length / beats_per_clock; }
  std::uint64_t capacityBytes() const { return std::uint64_t{capacity_gib} << 30; }
  /// All channels, bytes per nanosecond (= GB/s).
  double peakBytesPerNs() const {
    return channels * (channel_bits / 8.0) * beats_per_clock * clock_mhz * 1e-3;
  }
};
BOOST_DESCRIBE_STRUCT(HbmConfig, (),
                      (clock_mhz, channels, channel_bits, burst_length, beats_per_clock,
                       bank_groups, banks, page_bytes, capacity_gib, channel_interleave_bytes,
                       address_mapping, channel_hash, bank_hash, group_hash, page_policy, refresh,
                       refresh_stagger, stream_queue_requests, dram_queue_bursts,
                       row_hit_cap_bursts, batch_bursts, batch_least_bursts, write_drain_bursts,
                       coalescing, age_limit_ns, decision_clocks, response_latency_ns, arbitration,
                       turn_bursts, starvation_limit_ns, mca, near_memory, update_ccd_l_factor,
                       update_write_back_ns, controller_add_ns, initial_value, row_clear_ns,
                       statistics_window_ns, timing, energy))

}  // namespace t3
