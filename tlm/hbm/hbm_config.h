// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"

namespace t3 {

class Arbitration;
struct HbmConfig;

/// Which stream's head enters the DRAM queue of a channel next: a row of the table of policies. The
/// setting `HbmConfig::arbitration` points to one; nothing outside its file knows a policy by name.
///
/// To add one to the library: a file in this folder that derives an `Arbiter` (arbiter.h) and
/// defines its row, a declaration below, and a line in policies.cpp. A test or a program of one's
/// own needs only the first, and `config.arbitration = kMine`.
struct ArbitrationPolicy {
  const char* name;
  /// For one memory. `config` outlives it.
  std::unique_ptr<Arbitration> (*make)(const HbmConfig& config);

  /// Those that ship, the default first.
  static std::span<const ArbitrationPolicy* const> table();
};

extern const ArbitrationPolicy kRoundRobinArbitration;
extern const ArbitrationPolicy kComputeFirstArbitration;
extern const ArbitrationPolicy kCommFirstArbitration;
extern const ArbitrationPolicy kMcaArbitration;

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

/// Which queued access has the data bus next, and whose rows are opened.
enum class SchedulingPolicy : std::uint8_t {
  Batches,    ///< reads and writes by turns, each as long as it keeps the channel busy (`Batches`)
  FirstReady  ///< reads and writes alike: a bank serves one access after the other, row hits first,
              ///< and the bus goes to the first that can have it
};
BOOST_DESCRIBE_ENUM(SchedulingPolicy, Batches, FirstReady)

enum class RefreshMode : std::uint8_t { Off, AllBank, PerBank };
BOOST_DESCRIBE_ENUM(RefreshMode, Off, AllBank, PerBank)

/// Who sees to it that the first update of an element finds a zero.
enum class InitialValue : std::uint8_t {
  InMemory,    ///< the banks: clears and read-and-clears, no zeros cross the bus
  ZeroOverBus  ///< software: zeros are written ahead of the updates
};
BOOST_DESCRIBE_ENUM(InitialValue, InMemory, ZeroOverBus)

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

  static constexpr auto settings() {
    using C = HbmTiming;
    return std::tuple{
        T3_SETTING(rcd_rd_ns, "ns", 1, 100,
                   "ACT to RD; 12 tCK at 850 MHz (public GPU simulator, HBM2)"),
        T3_SETTING(rcd_wr_ns, "ns", 1, 100, "ACT to WR; as rcd_rd_ns"),
        T3_SETTING(rp_ns, "ns", 1, 100, "PRE to ACT; 12 tCK at 850 MHz"),
        T3_SETTING(ras_ns, "ns", 1, 200, "ACT to PRE; 28 tCK at 850 MHz"),
        T3_SETTING(rc_ns, "ns", 1, 300, "ACT to ACT, same bank; 40 tCK at 850 MHz"),
        T3_SETTING(rrd_s_ns, "ns", 1, 100,
                   "ACT to ACT, other bank group; 3 tCK at 850 MHz, gem5 HBM2"),
        T3_SETTING(rrd_l_ns, "ns", 1, 100, "ACT to ACT, same bank group; gem5 HBM_2000_4H_1x64"),
        T3_SETTING(faw_ns, "ns", 1, 200, "window of at most four ACT; gem5 HBM_2000_4H_1x64"),
        T3_SETTING(cl_ns, "ns", 1, 100, "RD to its first data; 12 tCK at 850 MHz"),
        T3_SETTING(wl_ns, "ns", 1, 100, "WR to its first data; 2 tCK at 850 MHz"),
        T3_SETTING(wr_ns, "ns", 1, 100, "end of write data to PRE; 10 tCK at 850 MHz"),
        T3_SETTING(wtr_s_ns, "ns", 0, 100,
                   "end of write data to RD, other bank group; 3 tCK at 850 MHz"),
        T3_SETTING(wtr_l_ns, "ns", 0, 100, "end of write data to RD, same bank group; gem5 HBM2"),
        T3_SETTING(rtp_ns, "ns", 1, 100, "RD to PRE; 3 tCK at 850 MHz"),
        T3_SETTING(read_to_write_gap_ns, "ns", 0, 100,
                   "idle data bus between read and write data; Ramulator 2 HBM2 (2 tCK)"),
        T3_SETTING(refi_ns, "ns", 500, 100000, "mean time between refreshes of a row set; JESD235"),
        T3_SETTING(rfc_ns, "ns", 10, 2000, "all-bank refresh; JESD235 for 4 Gb a channel"),
        T3_SETTING(rfc_pb_ns, "ns", 10, 2000, "per-bank refresh; Ramulator 2 HBM2"),
        T3_SETTING(rrefd_ns, "ns", 1, 200,
                   "per-bank refresh to ACT or refresh elsewhere; Ramulator 2 HBM2"),
        T3_SETTING(ccd_s_clocks, "clocks", 1, 64,
                   "column to column, other bank group; at least one burst"),
        T3_SETTING(ccd_l_clocks, "clocks", 1, 64, "column to column, same bank group; 2 tCK"),
        T3_SETTING(activate_command_clocks, "clocks", 1, 4,
                   "row bus clocks of ACT; two in JESD235")};
  }
};

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

  static constexpr auto settings() {
    using C = McaConfig;
    return std::tuple{
        T3_SETTING(intensity_high, "", 0, 1,
                   "share of peak from which a kernel is memory-intensive"),
        T3_SETTING(intensity_medium, "", 0, 1, "share of peak from which it is moderately so"),
        T3_SETTING(intensity_low, "", 0, 1, "share of peak from which it is a little so"),
        T3_SETTING(threshold_high_bursts, "bursts", 0, 4096,
                   "limit for high intensity; 0 = none (the paper: 5)"),
        T3_SETTING(threshold_medium_bursts, "bursts", 0, 4096,
                   "limit for medium intensity; 0 = none (the paper: 10)"),
        T3_SETTING(threshold_low_bursts, "bursts", 0, 4096,
                   "limit for low intensity; 0 = none (the paper: 30)"),
        T3_SETTING(threshold_idle_bursts, "bursts", 0, 4096, "limit below intensity_low; 0 = none"),
        T3_SETTING(threshold_default_bursts, "bursts", 0, 4096, "limit until measured; 0 = none"),
        T3_SETTING(
            lag_stages, "stages", 0, 1e6,
            "output of so many GEMM stages, not yet sent on, puts communication first; 0 = never"),
        T3_SETTING(lag_stages_long_ring, "stages", 0, 1e6,
                   "the same where the ring takes longer than the GEMM if nothing is in their way"),
        T3_SETTING(
            long_ring_ratio, "", 0, 1e6,
            "the ring takes longer if its links need more than so many times the GEMM's math"),
        T3_SETTING(demand_turns, "", 0, 1e6,
                   "the streams take turns if GEMM and collectives ask for more than this share of "
                   "the peak"),
        T3_SETTING(demand_limit, "", 0, 1e6,
                   "communication goes first if GEMM and collectives ask for more than this share "
                   "of the peak"),
        T3_SETTING(only_in_kernels, "", 0, 0,
                   "between kernels compute and communication take turns; if false, as in the last "
                   "kernel"),
        T3_SETTING(settle_ns, "ns", 0, 1e9,
                   "of the kernel's first loads, which the intensity leaves out"),
        T3_SETTING(window_min_ns, "ns", 1, 1e9, "shortest time an intensity is measured over"),
        T3_SETTING(window_max_ns, "ns", 1, 1e9,
                   "longest time, if no communication begins earlier")};
  }
};

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

  static constexpr auto settings() {
    using C = HbmEnergy;
    return std::tuple{
        T3_SETTING(activate_pj, "pJ", 0, 1e6, "ACT and its PRE; O'Connor et al., MICRO 2017, HBM2"),
        T3_SETTING(read_pj_per_bit, "pJ/bit", 0, 1e3,
                   "array to pin; O'Connor et al., MICRO 2017, HBM2"),
        T3_SETTING(write_pj_per_bit, "pJ/bit", 0, 1e3, "pin to array; as reads"),
        T3_SETTING(update_pj_per_bit, "pJ/bit", 0, 1e3,
                   "write plus read and add at the bank; assumption"),
        T3_SETTING(read_clear_pj_per_bit, "pJ/bit", 0, 1e3, "as updates; assumption"),
        T3_SETTING(clear_pj_per_bit, "pJ/bit", 0, 1e3,
                   "an update without the way from the pin to the bank; assumption"),
        T3_SETTING(row_clear_pj, "pJ", 0, 1e6, "two ACT with their PRE; assumption"),
        T3_SETTING(refresh_nj, "nJ", 0, 1e6, "all-bank refresh of one channel; assumption")};
  }
};

/// The memory of one GPU: channels, their controllers and the near-memory ALUs. Defaults: HBM2 at
/// 2 Gb/s per pin, 32 channels of 128 bit, 1.024 TB/s.
struct HbmConfig {
  static constexpr std::uint32_t kMostStacks = 8;

  double clock_mhz = 1000.0;
  std::uint32_t channels = 32;
  std::uint32_t stacks = 1;
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
  SchedulingPolicy scheduling = SchedulingPolicy::Batches;
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

  static constexpr auto settings() {
    using C = HbmConfig;
    return std::tuple{
        T3_SETTING(clock_mhz, "MHz", 1, 10000,
                   "command clock; beats_per_clock times that is the data rate of a pin"),
        T3_SETTING(channels, "", 1, 1024, "channels, any number (pseudo channels count each)"),
        T3_SETTING(stacks, "", 1, kMostStacks,
                   "stacks, each with as many channels, one after the other, and a tracker of "
                   "tracker.lanes lanes of its own; joins say what all of them have counted "
                   "(docs/stack-join.md). Nothing but the trackers depends on it"),
        T3_SETTING(channel_bits, "bits", 8, 1024, "width of a channel's data bus"),
        T3_SETTING(burst_length, "", 2, 64, "data beats of one column command, a power of two"),
        T3_SETTING(beats_per_clock, "", 2, 4,
                   "data beats of one clock: 2 for HBM2 and HBM2E, 4 for HBM3"),
        T3_SETTING(bank_groups, "", 1, 16, "bank groups of a channel, a power of two"),
        T3_SETTING(banks, "", 1, 64, "banks of a channel over all groups, a power of two"),
        T3_SETTING(page_bytes, "bytes", 64, 65536, "row of one bank, a power of two"),
        T3_SETTING(capacity_gib, "GiB", 1, 1024,
                   "all channels together; what is not a row in every bank is not used"),
        T3_SETTING(channel_interleave_bytes, "bytes", 16, 65536,
                   "consecutive bytes on one channel, a power of two"),
        T3_SETTING(
            address_mapping, "", 0, 0,
            "order of the address fields inside a channel; default as in Accel-Sim SM7_QV100"),
        T3_SETTING(channel_hash, "", 0, 0, "hash all higher address bits into the channel"),
        T3_SETTING(bank_hash, "", 0, 0, "exclusive-or the bank with the row"),
        T3_SETTING(group_hash, "", 0, 0,
                   "exclusive-or the bank group with the address above it; not burst-over-groups"),
        T3_SETTING(page_policy, "", 0, 0, "what happens to a row after its last queued access"),
        T3_SETTING(refresh, "", 0, 0, "none, all banks of a channel at once, or bank by bank"),
        T3_SETTING(refresh_stagger, "", 0, 0,
                   "channels refresh one after the other, not together; slower if few requests are "
                   "under way"),
        T3_SETTING(stream_queue_requests, "requests", 1, 65536,
                   "each stream queue of each channel"),
        T3_SETTING(dram_queue_bursts, "bursts", 2, 4096, "DRAM queue of each channel"),
        T3_SETTING(scheduling, "", 0, 0,
                   "batches: reads and writes by turns; first-ready: reads and writes alike, a "
                   "bank serves one access after the other, row hits first, and the bus goes to "
                   "the first that can have it (FR-FCFS as in Accel-Sim)"),
        T3_SETTING(row_hit_cap_bursts, "bursts", 1, 65536,
                   "bursts that one activation of a bank serves while another row waits"),
        T3_SETTING(batch_bursts, "bursts", 1, 65536,
                   "longest batch of reads or of writes while the other direction waits"),
        T3_SETTING(batch_least_bursts, "bursts", 1, 65536,
                   "shortest batch that busy banks or old requests of the other direction end"),
        T3_SETTING(write_drain_bursts, "bursts", 1, 4096,
                   "queued writes for which reads that run dry give way"),
        T3_SETTING(
            coalescing, "", 0, 0,
            "queued writes answer reads of their bytes and take in writes to the same bursts"),
        T3_SETTING(age_limit_ns, "ns", 1, 1e9,
                   "time after which a request goes before younger ones"),
        T3_SETTING(decision_clocks, "clocks", 1, 1024,
                   "how far ahead of the data bus decisions are taken, a power of two"),
        T3_SETTING(response_latency_ns, "ns", 0, 1e6,
                   "controller and PHY, added to each response; gem5 front end + back end"),
        T3_SETTING(arbitration, "", 0, 0, "which stream's request enters the DRAM queue next"),
        T3_SETTING(turn_bursts, "bursts", 1, 65536,
                   "where compute and communication take turns, one enters so many bursts before "
                   "the other"),
        T3_SETTING(starvation_limit_ns, "ns", 1, 1e9,
                   "compute-first: from one entry of communication to the next; mca: wait of a "
                   "piece until it takes turns with compute"),
        T3_SETTING_GROUP(mca),
        T3_SETTING(near_memory, "", 0, 0,
                   "ALUs at the banks; without, an update is a read, an addition and a write"),
        T3_SETTING(update_ccd_l_factor, "", 1, 16,
                   "an op-and-store holds its bank group this many tCCDL"),
        T3_SETTING(
            update_write_back_ns, "ns", 0, 1000,
            "end of update data to its result in the row; delays reads and precharge of the bank"),
        T3_SETTING(controller_add_ns, "ns", 0, 1000,
                   "addition in the controller, near_memory = false"),
        T3_SETTING(initial_value, "", 0, 0,
                   "where the zeros under the first updates come from: in-memory, banks clear what "
                   "they hold; zero-over-bus, the DMA engine writes zeros (assumption; the paper "
                   "does not say)"),
        T3_SETTING(row_clear_ns, "ns", 0, 1e6,
                   "a bank clears one of its rows: two tRAS and tRP, as RowClone copies a row of "
                   "zeros (assumption)"),
        T3_SETTING(statistics_window_ns, "ns", 1, 1e9,
                   "resolution of the bandwidth over time; doubled while a run has more than "
                   "65,536 windows"),
        T3_SETTING_GROUP(timing),
        T3_SETTING_GROUP(energy)};
  }
  std::optional<std::string> check() const;

  std::uint32_t burstBytes() const { return channel_bits / 8 * burst_length; }
  /// Clocks for which one burst occupies the data bus.
  std::uint32_t burstClocks() const { return burst_length / beats_per_clock; }
  /// Whole rows, as many in every bank.
  std::uint64_t capacityBytes() const {
    const std::uint64_t rows = std::uint64_t{channels} * banks * page_bytes;
    return (std::uint64_t{capacity_gib} << 30) / rows * rows;
  }
  /// All channels, bytes per nanosecond (= GB/s).
  double peakBytesPerNs() const {
    return channels * (channel_bits / 8.0) * beats_per_clock * clock_mhz * 1e-3;
  }
};

}  // namespace t3
