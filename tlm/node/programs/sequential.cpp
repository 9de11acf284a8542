// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/programs/sequential.h"

#include <array>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/programs/repeated.h"
#include "tlm/node/system_config.h"

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

/// An all-reduce from a file runs as it is, if nothing comes between its two halves or behind it:
/// one kernel that ends says nothing of the others', so what it sent for a next sublayer would meet
/// theirs.
Collectives wholeFile(const SystemConfig& config) {
  static constexpr std::array<const Collective*, 1> kWhole = {&kAllReduce};
  const bool alone = !config.workload.norms() && config.workload.repeat == 1;
  const bool whole = alone && config.algorithm != nullptr &&
                     config.algorithm->form().algorithm().promise == kAllReduce.promise;
  return whole ? Collectives{kWhole} : Collectives{};
}

}  // namespace

std::unique_ptr<Program> makeSequential(Cluster& cluster) {
  return std::make_unique<Sequential>(cluster);
}

constinit const ModeKind kSequential = {.name = "sequential",
                                        .boundedBy = kByIdealOverlap,
                                        .otherwise = wholeFile,
                                        .program = makeSequential,
                                        .bound = inTurn,
                                        .repeats = true,
                                        .takesFile = true};

}  // namespace t3
