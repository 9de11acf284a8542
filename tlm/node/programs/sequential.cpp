// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/program.h"

namespace t3 {
namespace {

/// The baseline: three kernels one after the other on each GPU. GPUs meet only through the data
/// that the collective kernels wait for.
class Sequential : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      cluster_.launch(g, [this, g] { gemm(g); });
    }
  }

 private:
  void gemm(std::uint32_t g) {
    // No chunk has to be ready before another.
    cluster_.startGemm(g, OutputMap{}, Cluster::Order::Free, [this, g](Picoseconds gemmEnd) {
      cluster_.at(gemmEnd + cluster_.launchLatency(), [this, g] { reduceScatter(g); });
    });
  }

  void reduceScatter(std::uint32_t g) {
    cluster_.startCollective(g, kReduceScatter, [this, g](Picoseconds reduceEnd) {
      cluster_.at(reduceEnd + cluster_.launchLatency(),
                  [this, g] { cluster_.startCollective(g, kAllGather); });
    });
  }
};

}  // namespace

constinit const ModeKind kSequential = {
    .name = "sequential",
    .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
      return std::make_unique<Sequential>(cluster);
    },
    .bound = inTurn};

}  // namespace t3
