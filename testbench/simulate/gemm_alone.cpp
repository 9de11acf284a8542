// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/gemm_alone.h"

#include "tlm/node/bounds.h"
#include "tlm/node/program.h"

namespace t3 {
namespace {

class GemmAlone : public Program {
 public:
  using Program::Program;

  void start() override {
    for (const std::uint32_t g : cluster_.own()) {
      cluster_.startGemm(g, OutputMap{}, Cluster::Order::Free, [](Picoseconds) {});
    }
  }
};

}  // namespace

constinit const ModeKind kGemmAlone = {
    .name = "gemm-alone",
    .collectives = {},
    .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
      return std::make_unique<GemmAlone>(cluster);
    },
    .bound =
        [](const BoundParts& parts) {
          return parts.most([](const GpuBound& gpu) { return gpu.start + gpu.gemm; });
        }};

}  // namespace t3
