// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

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

/// How a trace of an iteration (--workload) is understood.
struct TraceConfig {
  ComputeTime compute_time = ComputeTime::Duration;
  double peak_share = 1;       ///< of the compute units' peak, for a roofline
  double bandwidth_share = 1;  ///< of the memory's peak, for a roofline, loads and stores
  double memory_gb_s = 0;      ///< of load and store nodes; 0: the GPU's own memory
  TraceOverlap overlap = TraceOverlap::None;
  bool launch = true;     ///< kernels start gpu.kernel_launch_us after what they waited for
  bool host_time = true;  ///< nodes of the CPU take the duration that the trace has
  OutputLayout output_layout = OutputLayout::LongerOuter;
  CommSize comm_size = CommSize::Input;
  MissingDependency missing_dependency = MissingDependency::Refuse;
  std::uint64_t simulated_bytes = 256 << 20;  ///< of the largest collective that is simulated whole

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const { return std::nullopt; }
};
BOOST_DESCRIBE_STRUCT(TraceConfig, (),
                      (compute_time, peak_share, bandwidth_share, memory_gb_s, overlap, launch,
                       host_time, output_layout, comm_size, missing_dependency, simulated_bytes))

}  // namespace t3
