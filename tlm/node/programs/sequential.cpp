// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/programs/repeated.h"

namespace t3 {
namespace {

/// The baseline: three kernels one after the other on each GPU, or two where a file has an
/// all-reduce. GPUs meet only through the data
/// that the collective kernels wait for.
class Sequential : public Repeated {
 public:
  using Repeated::Repeated;

 private:
  void begin(std::uint32_t g) override {
    // No chunk has to be ready before another.
    cluster_.startGemm(g, OutputMap{}, Cluster::Order::Free, [this, g](Picoseconds gemmEnd) {
      cluster_.at(g, gemmEnd + cluster_.launchLatency(), [this, g] { reduce(g); });
    });
  }

  void reduce(std::uint32_t g) {
    if (cluster_.collectives().front() == &kAllReduce) {
      return cluster_.startCollective(g, kAllReduce);
    }
    cluster_.startCollective(g, kReduceScatter, [this, g](Picoseconds reduceEnd) {
      cluster_.at(g, reduceEnd + cluster_.launchLatency(), [this, g] { cluster_.startGather(g); });
    });
  }
};

}  // namespace

constinit const ModeKind kSequential = {
    .name = "sequential",
    .boundedBy = kByIdealOverlap,
    .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
      return std::make_unique<Sequential>(cluster);
    },
    .bound = inTurn,
    .repeats = true,
    .takesFile = true,
    .reducesWhole = true};

}  // namespace t3
