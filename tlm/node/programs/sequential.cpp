// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

namespace t3 {
namespace {

/// The baseline: three kernels one after the other on each GPU. GPUs meet only through the data
/// that the collective kernels wait for.
class Sequential : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < ring_.simulated(); ++g) {
      ring_.launch(g, [this, g] { gemm(g); });
    }
  }

  bool tracked() const override { return false; }

 private:
  void gemm(std::uint32_t g) {
    // No chunk has to be ready before another, so the kernel takes its best order.
    ring_.startGemm(g, OutputMap{}, Ring::Order::Free, [this, g](Picoseconds gemmEnd) {
      ring_.at(gemmEnd + ring_.launchLatency(), [this, g] { reduceScatter(g); });
    });
  }

  void reduceScatter(std::uint32_t g) {
    ring_.startReduceScatter(g, [this, g](Picoseconds reduceEnd) {
      ring_.at(reduceEnd + ring_.launchLatency(), [this, g] { ring_.startAllGather(g); });
    });
  }
};

}  // namespace

std::unique_ptr<Program> makeSequential(Ring& ring) { return std::make_unique<Sequential>(ring); }

}  // namespace t3
