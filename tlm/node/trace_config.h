// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/transport/field_info.h"

namespace t3 {

/// Which time of a compute node counts if a trace has both.
enum class ComputeTime : std::uint8_t { Duration, Roofline };
BOOST_DESCRIBE_ENUM(ComputeTime, Duration, Roofline)

/// What a GPU may run at the same time.
enum class TraceOverlap : std::uint8_t {
  None,    ///< one node at a time
  Streams  ///< one node of compute or memory, and one of communication
};
BOOST_DESCRIBE_ENUM(TraceOverlap, None, Streams)

/// Which dimension of a GEMM's output is the outer one in memory.
enum class OutputLayout : std::uint8_t { LongerOuter, RowsOuter };
BOOST_DESCRIBE_ENUM(OutputLayout, LongerOuter, RowsOuter)

/// Which of a GPU's buffers the size of a collective is about.
enum class CommSize : std::uint8_t { Input, Larger };
BOOST_DESCRIBE_ENUM(CommSize, Input, Larger)

/// What becomes of a dependency on a node that is not in the trace.
enum class MissingDependency : std::uint8_t { Refuse, Ignore };
BOOST_DESCRIBE_ENUM(MissingDependency, Refuse, Ignore)

/// How a trace of an iteration is understood. It becomes a graph of kernels on one machine, or is
/// walked with the times of parts that were simulated apart.
struct TraceConfig {
  ComputeTime compute_time = ComputeTime::Duration;
  double peak_share = 1;
  double bandwidth_share = 1;
  double memory_gb_s = 0;
  TraceOverlap overlap = TraceOverlap::None;
  bool launch = true;
  bool host_time = true;
  OutputLayout output_layout = OutputLayout::LongerOuter;
  CommSize comm_size = CommSize::Input;
  MissingDependency missing_dependency = MissingDependency::Refuse;
  std::uint64_t simulated_bytes = 256 << 20;
  std::uint32_t layers = 0;

  static constexpr auto settings() {
    using C = TraceConfig;
    return std::tuple{
        T3_SETTING(
            compute_time, "", 0, 0,
            "time of a compute node of a trace that has both: duration, the one that was measured; "
            "or roofline, from num_ops and tensor_size"),
        T3_SETTING(peak_share, "", 0.001, 1,
                   "of the compute units' peak that a roofline counts on (assumption)"),
        T3_SETTING(bandwidth_share, "", 0.001, 1,
                   "of the memory's peak that a roofline, and memory nodes, count on (assumption)"),
        T3_SETTING(memory_gb_s, "GB/s", 0, 1e6,
                   "of the memory that load and store nodes of a trace mean; 0: the GPU's own "
                   "(assumption)"),
        T3_SETTING(overlap, "", 0, 0,
                   "none: a GPU runs one node of a trace at a time, so every time is that of a "
                   "simulation; streams: one of compute and one of communication, which contend "
                   "in a graph of kernels, and do not slow each other down in a walk over parts "
                   "(assumption)"),
        T3_SETTING(launch, "", 0, 0,
                   "a node of a trace starts gpu.kernel_launch_us after what it waited for "
                   "(assumption); false for traces whose host nodes have that time"),
        T3_SETTING(
            host_time, "", 0, 0,
            "nodes that ran on the CPU take the duration that the trace has; false: no time"),
        T3_SETTING(output_layout, "", 0, 0,
                   "longer-outer: the longer dimension of a GEMM's output is the outer one in "
                   "memory, as in the presets (assumption); rows-outer: M is"),
        T3_SETTING(comm_size, "", 0, 0,
                   "what comm_size of an all-gather counts: input, a GPU's own share, as public "
                   "simulators read it; larger, the whole"),
        T3_SETTING(missing_dependency, "", 0, 0,
                   "refuse a trace in which a node waits for one that is not there, or ignore that "
                   "and say so"),
        T3_SETTING(
            simulated_bytes, "bytes", 65536, 1099511627776.0,
            "the largest collective of a trace that is simulated whole; a larger one is simulated "
            "at this size and at half of it, and its time continued along the line (assumption)"),
        T3_SETTING(layers, "", 0, 1e6,
                   "of the model in a trace: its first so many run, with the nodes without a layer "
                   "that need no later one; 0: all")};
  }
  std::optional<std::string> check() const { return std::nullopt; }
};

}  // namespace t3
