// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/programs/sequential.h"

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/programs/repeated.h"

namespace t3 {
namespace {

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
    const Collective& first = *cluster_.collectives().front();
    if (cluster_.collectives().size() == 1) return cluster_.startCollective(g, first);
    cluster_.startCollective(g, first, [this, g](Picoseconds reduceEnd) {
      cluster_.at(g, reduceEnd + cluster_.launchLatency(), [this, g] { cluster_.startGather(g); });
    });
  }
};

}  // namespace

std::unique_ptr<Program> makeSequential(Cluster& cluster) {
  return std::make_unique<Sequential>(cluster);
}

constinit const ModeKind kSequential = {.name = "sequential",
                                        .boundedBy = kByIdealOverlap,
                                        .program = makeSequential,
                                        .bound = inTurn,
                                        .repeats = true,
                                        .takesFile = true,
                                        .reducesWhole = true};

}  // namespace t3
