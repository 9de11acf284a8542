// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/trace_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> TraceConfig::fields() {
  static constexpr std::array<FieldInfo, 11> kFields{{
      {"compute_time", "", 0, 0,
       "time of a compute node of a trace (--workload) that has both: duration, the one that was "
       "measured; or roofline, from num_ops and tensor_size"},
      {"peak_share", "", 0.001, 1,
       "of the compute units' peak that a roofline counts on (assumption)"},
      {"bandwidth_share", "", 0.001, 1,
       "of the memory's peak that a roofline, and memory nodes, count on (assumption)"},
      {"memory_gb_s", "GB/s", 0, 1e6,
       "of the memory that load and store nodes of a trace mean; 0: the GPU's own (assumption)"},
      {"overlap", "", 0, 0,
       "none: a GPU runs one node of a trace at a time, so every time is that of a simulation; "
       "streams: one of compute and one of communication, which do not slow each other down "
       "(assumption)"},
      {"launch", "", 0, 0,
       "a node of a trace starts gpu.kernel_launch_us after what it waited for (assumption); false "
       "for traces whose host nodes have that time"},
      {"host_time", "", 0, 0,
       "nodes that ran on the CPU take the duration that the trace has; false: no time"},
      {"output_layout", "", 0, 0,
       "longer-outer: the longer dimension of a GEMM's output is the outer one in memory, as in "
       "the presets (assumption); rows-outer: M is"},
      {"comm_size", "", 0, 0,
       "what comm_size of an all-gather counts: input, a GPU's own share, as public simulators "
       "read it; larger, the whole"},
      {"missing_dependency", "", 0, 0,
       "refuse a trace in which a node waits for one that is not there, or ignore that and say so"},
      {"simulated_bytes", "bytes", 65536, 1099511627776.0,
       "the largest collective of a trace that is simulated whole; a larger one is simulated at "
       "this size and at half of it, and its time continued along the line (assumption)"},
  }};
  return kFields;
}

}  // namespace t3
