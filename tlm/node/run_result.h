// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/switch/switch_figures.h"
#include "tlm/tracker/tracker_figures.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// A phase of a run: the GEMM, a collective, the norm, the consumer.
struct PhaseFigures {
  std::string name;       ///< empty: the run has no such phase
  double exposed_ns = 0;  ///< these add up to the time of the run
  double bound_ns = 0;    ///< what no machine with these units and links can be faster than
  std::uint64_t dram_read = 0, dram_write = 0;  ///< mean of the GPUs; zeroing is a write
};
BOOST_DESCRIBE_STRUCT(PhaseFigures, (), (name, exposed_ns, bound_ns, dram_read, dram_write))

/// Absolute times.
struct TimeSpan {
  Picoseconds start = kNoTime;  ///< kNoTime: not yet
  Picoseconds end = 0;          ///< 0: not yet

  bool begun() const { return start != kNoTime; }
  Picoseconds length() const { return begun() ? end - std::min(start, end) : 0; }
};

/// Of a round of a graph on a GPU: one sublayer, or one collective alone.
struct SublayerTimes {
  TimeSpan zeroing;
  ByPhase<TimeSpan> phases;     ///< from the begin of the first node of a phase to the last end
  Picoseconds waited = 0;       ///< to begin, longer than the launch takes
  std::vector<TimeSpan> nodes;  ///< of the graph
};
BOOST_DESCRIBE_STRUCT(SublayerTimes, (), (zeroing, phases, waited, nodes))

/// A node of the graph of kernels, over all rounds.
struct NodeFigures {
  std::string name, kind;
  Picoseconds start_ps = 0, end_ps = 0;  ///< of the first GPU's first, of the last GPU's last
  // Means of the GPUs:
  double exposed_ns = 0;  ///< these add up to the time in which any node runs
  std::uint64_t dram_read = 0, dram_write = 0;
  std::uint64_t link_bytes = 0;  ///< payload that was sent
};
BOOST_DESCRIBE_STRUCT(NodeFigures, (),
                      (name, kind, start_ps, end_ps, exposed_ns, dram_read, dram_write, link_bytes))

struct PhaseSpan {
  std::string name;
  Picoseconds start_ps = 0, end_ps = 0;
  std::uint32_t sublayer = 0;  ///< of workload.repeat, from 0 on
};
BOOST_DESCRIBE_STRUCT(PhaseSpan, (), (name, start_ps, end_ps, sublayer))

/// From the start of the first GPU's first kernel to the end of the last GPU's last one. GPUs are
/// not in step, so sublayers overlap.
struct SublayerSpan {
  Picoseconds start_ps = 0, end_ps = 0;
  ByPhase<double> phase_ns;  ///< exposed times, from the end of the sublayer before
};
BOOST_DESCRIBE_STRUCT(SublayerSpan, (), (start_ps, end_ps, phase_ns))

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

struct GpuResult {
  std::uint32_t gpu = 0;
  Picoseconds gemm_end_ps = 0, reduce_scatter_end_ps = 0, all_gather_end_ps = 0,
              consumer_end_ps = 0;
  PhaseBytes dram_bytes;
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
                      (gpu, gemm_end_ps, reduce_scatter_end_ps, all_gather_end_ps, consumer_end_ps,
                       dram_bytes, link_bytes, mca_threshold, row_hit_rate, zeroed_ps,
                       store_zero_wait_ps, ingress_zero_wait_ps))

/// How far coded sums are from the exact sums of the parts, relative to the largest of the 32 exact
/// sums of a block.
struct CodingError {
  double max = 0, rms = 0;
  double bound = 0;               ///< of the format and the route: no error is above it
  std::uint64_t above_bound = 0;  ///< errors that are
};
BOOST_DESCRIBE_STRUCT(CodingError, (), (max, rms, bound, above_bound))

struct Verification {
  DataMode data = DataMode::Elided;
  std::uint64_t elements = 0;  ///< output elements compared over all GPUs (checked), else 0
  std::uint64_t mismatches = 0;
  /// Of sums of K of N contributions, checked: how far N/K times them are from the sums of all,
  /// root mean square, over that of the latter.
  std::optional<double> left_out_error;
  // Checked, of the last sublayer's first output: of sums that a codec was on the way of, and of
  // what other GPUs have of them.
  std::optional<CodingError> sums_error, gathered_error;
};
BOOST_DESCRIBE_STRUCT(Verification, (),
                      (data, elements, mismatches, left_out_error, sums_error, gathered_error))

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
  double window_ns = 0;
  /// Bytes served in window [index], `window_ns` each from time 0; mean of the GPUs.
  std::vector<PhaseBytes> bytes_over_time;
};
BOOST_DESCRIBE_STRUCT(MemoryReport, (), (figures, queue_occupancy, window_ns, bytes_over_time))

struct RunResult;
/// Makes the result of one sublayer that of `times`, each like the first: for bounds. What single
/// GPUs and their memories did stays that of the one sublayer that was simulated, as do the bounds.
void countAgain(RunResult& result, std::uint32_t times);

/// Measured outcome of one simulated mode. Host figures are added by the program.
struct RunResult {
  /// Empty if every check of the run held. Else one line; for a run that was stuck, the
  /// deadlock report follows below it.
  std::string error;
  Picoseconds time_ps = 0;
  /// By the numbers of the phases. Collectives with numbers behind Phase::Consumer bring a name.
  std::vector<PhaseFigures> by_phase = {
      {"gemm"}, {"reduce_scatter"}, {"all_gather"}, {"norm"}, {"consumer"}, {}, {}, {}};
  double bound_ns = 0;  ///< of all phases as the mode arranges them, with launches between them
  std::vector<PhaseSpan> phases;
  std::vector<NodeFigures> nodes;  ///< none of a collective from a file
  std::vector<SublayerSpan> sublayers;
  /// Time of a sublayer in the middle of many: mean of all but the first, from end to end. None if
  /// there is only one.
  std::optional<double> steady_ns;
  SetupFigures setup;
  std::uint64_t link_bytes = 0;        ///< payload bytes, sum over the links of all N GPUs
  std::uint64_t plain_link_bytes = 0;  ///< the same in front of codecs
  std::vector<GpuResult> per_gpu;      ///< of the simulated GPUs
  TrackerTotals tracker_stats;         ///< all N GPUs
  std::optional<MergeFigures> merged;  ///< of a switch that adds updates, all ports
  std::optional<LoadFigures> summed;   ///< of one that has answered loads
  Verification verification;
  std::uint64_t dram_bursts = 0;  ///< of the simulated GPUs: what host speed is measured in
  MemoryReport memory;

  PhaseFigures& of(Phase phase) { return by_phase.at(static_cast<std::size_t>(phase)); }
  const PhaseFigures& of(Phase phase) const { return by_phase.at(static_cast<std::size_t>(phase)); }
  /// Phases behind Phase::Consumer.
  std::vector<PhaseFigures> others() const;
  ByPhase<double> phaseNs() const;  ///< exposed
  PhaseBytes dramBytes() const;     ///< mean of the GPUs
  std::uint64_t totalBytes() const;
  /// Adds a sublayer; its exposed times count in those of the run.
  void add(const SublayerSpan& sublayer);
};
BOOST_DESCRIBE_STRUCT(RunResult, (),
                      (error, time_ps, by_phase, bound_ns, phases, nodes, sublayers, steady_ns,
                       setup, link_bytes, plain_link_bytes, per_gpu, tracker_stats, merged, summed,
                       verification, dram_bursts, memory))

}  // namespace t3
