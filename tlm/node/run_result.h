// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/transport/clock.h"
#include "tlm/transport/traffic.h"

namespace t3 {

struct Collective;

/// Absolute times; 0 = not yet.
struct TimeSpan {
  Picoseconds start = 0, end = 0;
};

struct PhaseSpan {
  std::string name;
  Picoseconds start_ps = 0, end_ps = 0;
  std::uint32_t sublayer = 0;  ///< of workload.repeat, from 0 on
};
BOOST_DESCRIBE_STRUCT(PhaseSpan, (), (name, start_ps, end_ps, sublayer))

/// What the figures of a phase are found by. A phase is a kernel of the sublayer or a collective.
struct PhaseName {
  constexpr PhaseName(const char* theName, const char* theShortName)
      : name(theName), shortName(theShortName) {}
  constexpr PhaseName(Phase phase);
  PhaseName(const Collective& collective);

  const char* name;       ///< of its times: "reduce_scatter"
  const char* shortName;  ///< of its byte counts, another one for each phase of a run: "rs"
};
/// Of the phases that most modes have, by `Phase`.
inline constexpr std::array<PhaseName, 5> kSublayerPhases = {{{"gemm", "gemm"},
                                                              {"reduce_scatter", "rs"},
                                                              {"all_gather", "ag"},
                                                              {"norm", "norm"},
                                                              {"consumer", "consumer"}}};
constexpr PhaseName::PhaseName(Phase phase)
    : PhaseName(kSublayerPhases.at(static_cast<std::size_t>(phase))) {}

/// What a phase took and moved: in a run, in one of its sublayers, or on one GPU.
struct PhaseFigures {
  std::string name, short_name;
  /// Of a run and of a sublayer: by how much it ends later than all before it.
  double exposed_ns = 0;
  /// Of a run: what no machine with these compute units, memory and links can be faster than
  /// (bounds.h).
  double bound_ns = 0;
  Picoseconds end_ps = 0;  ///< on a GPU; 0: not yet
  /// DRAM bytes of a GPU; of a run, the mean of the GPUs. An op-and-store counts once, as a write;
  /// zeroing is writes of its phase.
  std::uint64_t dram_read = 0, dram_write = 0;
  /// Of a run: the same in window [index], each MemoryReport::window_ns long, from time 0.
  std::vector<std::uint64_t> read_over_time, write_over_time;
};
BOOST_DESCRIBE_STRUCT(PhaseFigures, (),
                      (name, short_name, exposed_ns, bound_ns, end_ps, dram_read, dram_write,
                       read_over_time, write_over_time))

/// A row for each phase that there is, in the order in which they run. Whoever has a figure of a
/// phase puts it into the phase's row; whoever shows figures shows all rows.
struct PhaseRows {
  std::vector<PhaseFigures> rows;

  /// Added if it is not there.
  PhaseFigures& row(const PhaseName& phase);
  /// Null, or zeros, if it is not there.
  const PhaseFigures* find(const PhaseName& phase) const;
  const PhaseFigures& of(const PhaseName& phase) const;
  /// The exposed times alone, less those of `before`.
  PhaseRows exposedSince(const PhaseRows& before) const;
};
BOOST_DESCRIBE_STRUCT(PhaseRows, (), (rows))

/// From the start of the first GPU's first kernel to the end of the last GPU's last one. GPUs are
/// not in step, so sublayers overlap.
struct SublayerSpan {
  Picoseconds start_ps = 0, end_ps = 0;
  PhaseRows by_phase;  ///< exposed times, from the end of the sublayer before
};
BOOST_DESCRIBE_STRUCT(SublayerSpan, (), (start_ps, end_ps, by_phase))

/// What it costs to set a tracker up, of the GPU where it takes longest.
struct SetupFigures {
  std::uint64_t register_accesses = 0;  ///< for the last sublayer
  double first_ns = 0;  ///< all of it, before the first sublayer; no part of the run's time
  double again_ns = 0;  ///< for one more sublayer
  /// How much later a sublayer begins than a kernel launch after the one before, mean of the GPUs
  /// and sublayers: what the set-up, and other GPUs that are not ready, are waited for.
  double wait_ns = 0;
};
BOOST_DESCRIBE_STRUCT(SetupFigures, (), (register_accesses, first_ns, again_ns, wait_ns))

/// Sums over all N GPUs.
struct TrackerTotals {
  std::uint64_t updates = 0, triggers = 0, releases = 0, stall_cycles = 0, rtl_cycles = 0;
};
BOOST_DESCRIBE_STRUCT(TrackerTotals, (), (updates, triggers, releases, stall_cycles, rtl_cycles))
/// `times` as much of everything.
TrackerTotals& operator*=(TrackerTotals& totals, std::uint64_t times);

struct GpuResult {
  std::uint32_t gpu = 0;
  PhaseRows by_phase;
  std::uint64_t link_bytes = 0;  ///< payload bytes this GPU sent
  double mca_threshold =
      0;  ///< DRAM queue occupancy limit chosen (bursts); 0 = no limit or not used
  double row_hit_rate = 0;
  Picoseconds zeroed_ps = 0;  ///< when the initial value was in memory; 0 where nothing is zeroed
  /// How long the first of the GEMM's stores, and the first of other GPUs' updates, waited for the
  /// initial value, in total.
  Picoseconds store_zero_wait_ps = 0, ingress_zero_wait_ps = 0;
};
BOOST_DESCRIBE_STRUCT(GpuResult, (),
                      (gpu, by_phase, link_bytes, mca_threshold, row_hit_rate, zeroed_ps,
                       store_zero_wait_ps, ingress_zero_wait_ps))

struct Verification {
  DataMode data = DataMode::Elided;
  std::uint64_t elements = 0;  ///< output elements compared over all GPUs (checked), else 0
  std::uint64_t mismatches = 0;
};
BOOST_DESCRIBE_STRUCT(Verification, (), (data, elements, mismatches))

/// One statistic of the GPUs' memories.
struct MemoryFigure {
  std::string name, description, unit;
  std::vector<double> per_gpu;  ///< of the simulated GPUs
};
BOOST_DESCRIBE_STRUCT(MemoryFigure, (), (name, description, unit, per_gpu))

/// What the memories did: docs/hbm.md "Statistics".
struct MemoryReport {
  std::vector<MemoryFigure> figures;
  /// Pieces that entered a DRAM queue in which [index] bursts waited; all channels and GPUs.
  std::vector<std::uint64_t> queue_occupancy;
  double window_ns = 0;  ///< of the bytes over time
};
BOOST_DESCRIBE_STRUCT(MemoryReport, (), (figures, queue_occupancy, window_ns))

struct RunResult;
/// Makes the result of one sublayer that of `times`, each like the first: for bounds. What single
/// GPUs and their memories did stays that of the one sublayer that was simulated, as do bounds.
void countAgain(RunResult& result, std::uint32_t times);

/// Measured outcome of one simulated mode. Host figures are added by the program.
struct RunResult {
  /// Empty if every check of the run held. Else one line; for a run that was stuck, the
  /// deadlock report follows below it.
  std::string error;
  Picoseconds time_ps = 0;
  double bound_ns = 0;  ///< of its phases as the mode arranges them, with the launches between them
  PhaseRows by_phase;
  std::vector<PhaseSpan> phases;
  std::vector<SublayerSpan> sublayers;
  /// Time of a sublayer in the middle of many: mean of all but the first, from end to end. None if
  /// there is only one.
  std::optional<double> steady_ns;
  SetupFigures setup;
  std::uint64_t link_bytes = 0;    ///< payload bytes, sum over the links of all N GPUs
  std::vector<GpuResult> per_gpu;  ///< of the simulated GPUs
  TrackerTotals tracker_stats;
  Verification verification;
  std::uint64_t dram_bursts = 0;  ///< of the simulated GPUs: what host speed is measured in
  MemoryReport memory;
};
BOOST_DESCRIBE_STRUCT(RunResult, (),
                      (error, time_ps, bound_ns, by_phase, phases, sublayers, steady_ns, setup,
                       link_bytes, per_gpu, tracker_stats, verification, dram_bursts, memory))

}  // namespace t3
