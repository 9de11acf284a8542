// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/gemm_alone.h"

#include "tlm/node/bounds.h"
#include "tlm/node/modes/blocks.h"

namespace t3 {

constinit const ModeKind kGemmAlone = {
    .name = "gemm-alone",
    .graph =
        [](const SystemConfig&) {
          Graph graph;
          addGemm(graph);
          return graph;
        },
    .bound =
        [](const BoundParts& parts) {
          return parts.most([](const GpuBound& gpu) { return gpu.start + gpu.gemm; });
        }};

}  // namespace t3
