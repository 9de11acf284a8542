// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/hbm_config.h"

#include <array>
#include <bit>
#include <cmath>

namespace t3 {

std::span<const FieldInfo> HbmTiming::fields() {
  static constexpr std::array<FieldInfo, 22> rows{{
      {"rcd_rd_ns", "ns", 1, 100, "ACT to RD; 12 tCK at 850 MHz (public GPU simulator, HBM2)"},
      {"rcd_wr_ns", "ns", 1, 100, "ACT to WR; as rcd_rd_ns"},
      {"rp_ns", "ns", 1, 100, "PRE to ACT; 12 tCK at 850 MHz"},
      {"ras_ns", "ns", 1, 200, "ACT to PRE; 28 tCK at 850 MHz"},
      {"rc_ns", "ns", 1, 300, "ACT to ACT, same bank; 40 tCK at 850 MHz"},
      {"rrd_s_ns", "ns", 1, 100, "ACT to ACT, other bank group; 3 tCK at 850 MHz, gem5 HBM2"},
      {"rrd_l_ns", "ns", 1, 100, "ACT to ACT, same bank group; gem5 HBM_2000_4H_1x64"},
      {"faw_ns", "ns", 1, 200, "window of at most four ACT; gem5 HBM_2000_4H_1x64"},
      {"cl_ns", "ns", 1, 100, "RD to its first data; 12 tCK at 850 MHz"},
      {"wl_ns", "ns", 1, 100, "WR to its first data; 2 tCK at 850 MHz"},
      {"wr_ns", "ns", 1, 100, "end of write data to PRE; 10 tCK at 850 MHz"},
      {"wtr_s_ns", "ns", 0, 100, "end of write data to RD, other bank group; 3 tCK at 850 MHz"},
      {"wtr_l_ns", "ns", 0, 100, "end of write data to RD, same bank group; gem5 HBM2"},
      {"rtp_ns", "ns", 1, 100, "RD to PRE; 3 tCK at 850 MHz"},
      {"read_to_write_gap_ns", "ns", 0, 100,
       "idle data bus between read and write data; Ramulator 2 HBM2 (2 tCK)"},
      {"refi_ns", "ns", 500, 100000, "mean time between refreshes of a row set; JESD235"},
      {"rfc_ns", "ns", 10, 2000, "all-bank refresh; JESD235 for 4 Gb a channel"},
      {"rfc_pb_ns", "ns", 10, 2000, "per-bank refresh; Ramulator 2 HBM2"},
      {"rrefd_ns", "ns", 1, 200, "per-bank refresh to ACT or refresh elsewhere; Ramulator 2 HBM2"},
      {"ccd_s_clocks", "clocks", 1, 64, "column to column, other bank group; at least one burst"},
      {"ccd_l_clocks", "clocks", 1, 64, "column to column, same bank group; 2 tCK"},
      {"activate_command_clocks", "clocks", 1, 4, "row bus clocks of ACT; two in JESD235"},
  }};
  return rows;
}

std::span<const FieldInfo> McaConfig::fields() {
  static constexpr std::array<FieldInfo, 17> rows{{
      {"intensity_high", "", 0, 1, "share of peak from which a kernel is memory-intensive"},
      {"intensity_medium", "", 0, 1, "share of peak from which it is moderately so"},
      {"intensity_low", "", 0, 1, "share of peak from which it is a little so"},
      {"threshold_high_bursts", "bursts", 0, 4096,
       "limit for high intensity; 0 = none (the paper: 5)"},
      {"threshold_medium_bursts", "bursts", 0, 4096,
       "limit for medium intensity; 0 = none (the paper: 10)"},
      {"threshold_low_bursts", "bursts", 0, 4096,
       "limit for low intensity; 0 = none (the paper: 30)"},
      {"threshold_idle_bursts", "bursts", 0, 4096, "limit below intensity_low; 0 = none"},
      {"threshold_default_bursts", "bursts", 0, 4096, "limit until measured; 0 = none"},
      {"lag_stages", "stages", 0, 1e6,
       "output of so many GEMM stages, not yet sent on, puts communication first; 0 = never"},
      {"lag_stages_long_ring", "stages", 0, 1e6,
       "the same where the ring takes longer than the GEMM if nothing is in their way"},
      {"long_ring_ratio", "", 0, 1e6,
       "the ring takes longer if its links need more than so many times the GEMM's math"},
      {"demand_turns", "", 0, 1e6,
       "the streams take turns if GEMM and collectives ask for more than this share of the peak"},
      {"demand_limit", "", 0, 1e6,
       "communication goes first if GEMM and collectives ask for more than this share of the peak"},
      {"only_in_kernels", "", 0, 0,
       "between kernels compute and communication take turns; if false, as in the last kernel"},
      {"settle_ns", "ns", 0, 1e9, "of the kernel's first loads, which the intensity leaves out"},
      {"window_min_ns", "ns", 1, 1e9, "shortest time an intensity is measured over"},
      {"window_max_ns", "ns", 1, 1e9, "longest time, if no communication begins earlier"},
  }};
  return rows;
}

std::span<const FieldInfo> HbmEnergy::fields() {
  static constexpr std::array<FieldInfo, 8> rows{{
      {"activate_pj", "pJ", 0, 1e6, "ACT and its PRE; O'Connor et al., MICRO 2017, HBM2"},
      {"read_pj_per_bit", "pJ/bit", 0, 1e3, "array to pin; O'Connor et al., MICRO 2017, HBM2"},
      {"write_pj_per_bit", "pJ/bit", 0, 1e3, "pin to array; as reads"},
      {"update_pj_per_bit", "pJ/bit", 0, 1e3, "write plus read and add at the bank; assumption"},
      {"read_clear_pj_per_bit", "pJ/bit", 0, 1e3, "as updates; assumption"},
      {"clear_pj_per_bit", "pJ/bit", 0, 1e3,
       "an update without the way from the pin to the bank; assumption"},
      {"row_clear_pj", "pJ", 0, 1e6, "two ACT with their PRE; assumption"},
      {"refresh_nj", "nJ", 0, 1e6, "all-bank refresh of one channel; assumption"},
  }};
  return rows;
}

std::span<const FieldInfo> HbmConfig::fields() {
  static constexpr std::array<FieldInfo, 37> rows{{
      {"clock_mhz", "MHz", 1, 10000,
       "command clock; beats_per_clock times that is the data rate of a pin"},
      {"channels", "", 1, 1024, "channels, a power of two (pseudo channels count each)"},
      {"channel_bits", "bits", 8, 1024, "width of a channel's data bus"},
      {"burst_length", "", 2, 64, "data beats of one column command, a power of two"},
      {"beats_per_clock", "", 2, 4, "data beats of one clock: 2 for HBM2 and HBM2E, 4 for HBM3"},
      {"bank_groups", "", 1, 16, "bank groups of a channel, a power of two"},
      {"banks", "", 1, 64, "banks of a channel over all groups, a power of two"},
      {"page_bytes", "bytes", 64, 65536, "row of one bank, a power of two"},
      {"capacity_gib", "GiB", 1, 1024, "all channels together"},
      {"channel_interleave_bytes", "bytes", 16, 65536,
       "consecutive bytes on one channel, a power of two"},
      {"address_mapping", "", 0, 0,
       "order of the address fields inside a channel; default as in Accel-Sim SM7_QV100"},
      {"channel_hash", "", 0, 0, "exclusive-or the channel with all higher address bits"},
      {"bank_hash", "", 0, 0, "exclusive-or the bank with the row"},
      {"group_hash", "", 0, 0,
       "exclusive-or the bank group with the address above it; not burst-over-groups"},
      {"page_policy", "", 0, 0, "what happens to a row after its last queued access"},
      {"refresh", "", 0, 0, "none, all banks of a channel at once, or bank by bank"},
      {"refresh_stagger", "", 0, 0,
       "channels refresh one after the other, not together; slower if few requests are under way"},
      {"stream_queue_requests", "requests", 1, 65536, "each stream queue of each channel"},
      {"dram_queue_bursts", "bursts", 2, 4096, "DRAM queue of each channel"},
      {"row_hit_cap_bursts", "bursts", 1, 65536,
       "bursts that one activation of a bank serves while another row waits"},
      {"batch_bursts", "bursts", 1, 65536,
       "longest batch of reads or of writes while the other direction waits"},
      {"batch_least_bursts", "bursts", 1, 65536,
       "shortest batch that busy banks or old requests of the other direction end"},
      {"write_drain_bursts", "bursts", 1, 4096,
       "queued writes for which reads that run dry give way"},
      {"coalescing", "", 0, 0,
       "queued writes answer reads of their bytes and take in writes to the same bursts"},
      {"age_limit_ns", "ns", 1, 1e9, "time after which a request goes before younger ones"},
      {"decision_clocks", "clocks", 1, 1024,
       "how far ahead of the data bus decisions are taken, a power of two"},
      {"response_latency_ns", "ns", 0, 1e6,
       "controller and PHY, added to each response; gem5 front end + back end"},
      {"arbitration", "", 0, 0, "which stream's request enters the DRAM queue next"},
      {"turn_bursts", "bursts", 1, 65536,
       "where compute and communication take turns, one enters so many bursts before the other"},
      {"starvation_limit_ns", "ns", 1, 1e9,
       "compute-first: from one entry of communication to the next; mca: wait of a piece until it "
       "takes "
       "turns with compute"},
      {"near_memory", "", 0, 0,
       "ALUs at the banks; without, an update is a read, an addition and a write"},
      {"update_ccd_l_factor", "", 1, 16, "an op-and-store holds its bank group this many tCCDL"},
      {"update_write_back_ns", "ns", 0, 1000,
       "end of update data to its result in the row; delays reads and precharge of the bank"},
      {"controller_add_ns", "ns", 0, 1000, "addition in the controller, near_memory = false"},
      {"initial_value", "", 0, 0,
       "where the zeros under the first updates come from: in-memory, banks clear what they hold; "
       "zero-over-bus, the DMA engine writes zeros; first-update-stores, the first update of a "
       "burst finds zeros whatever is stored (assumption; the paper does not say)"},
      {"row_clear_ns", "ns", 0, 1e6,
       "a bank clears one of its rows: two tRAS and tRP, as RowClone copies a row of zeros "
       "(assumption)"},
      {"statistics_window_ns", "ns", 1, 1e9,
       "resolution of the bandwidth over time; doubled while a run has more than 65,536 windows"},
  }};
  return rows;
}

std::optional<std::string> HbmConfig::check() const {
  const auto powerOfTwo = [](std::uint64_t value) { return std::has_single_bit(value); };
  if (!powerOfTwo(channels)) return "channels: expected a power of two";
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
  if (capacityBytes() % (std::uint64_t{channels} * banks * page_bytes) != 0) {
    return "capacity_gib: expected a whole number of rows in every bank";
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
  const double refreshes = refresh == RefreshMode::AllBank   ? timing.rfc_ns
                           : refresh == RefreshMode::PerBank ? timing.rrefd_ns * banks
                                                             : 0;
  if (refreshes >= timing.refi_ns) {
    return "timing.refi_ns: expected more than the time one refresh of all banks takes";
  }
  return std::nullopt;
}

}  // namespace t3
