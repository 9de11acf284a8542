// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

namespace t3 {
namespace {

/// The overlap that needs no new hardware: the reduce-scatter kernel runs on some compute units
/// while the GEMM produces on the others, chunk by chunk in the route's order. It starts on a chunk
/// when the whole local copy is in memory, and adds the others' partial sums as they arrive. The
/// all-gather follows both, on all compute units.
class CuSplit : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      cluster_.launch(g, [this, g] { launchBoth(g); });
    }
  }

  bool tracked() const override { return false; }

 private:
  void launchBoth(std::uint32_t g) {
    const auto gather = [this, g](Picoseconds) { gatherWhenReduced(g); };
    cluster_.startReduceScatter(g, gather, CollectiveKernel::LocalCopies::Announced);
    OutputMap output;
    output.writeThrough({0, cluster_.tiling().tiles()});
    cluster_.startGemm(g, std::move(output), Cluster::Order::ByChunk, gather);
  }
};

}  // namespace

std::unique_ptr<Program> makeCuSplit(Cluster& cluster) {
  return std::make_unique<CuSplit>(cluster);
}

}  // namespace t3
