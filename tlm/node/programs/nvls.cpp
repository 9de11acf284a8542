// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/nvls.h"

#include <array>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/programs/repeated.h"

namespace t3 {
namespace {

constexpr std::array<const Collective*, 1> kAllInOne{&kNvlsAllReduce};
constexpr std::array<const Collective*, 2> kBothSides{&kNvlsReduceScatter, &kNvlsAllGather};

/// The rival of the baseline where a switch adds and copies: the GEMM, and then one kernel that
/// loads sums and stores them in all GPUs at once. With a norm it is a reduce-scatter, the norm and
/// an all-gather.
class Nvls : public Repeated {
 public:
  using Repeated::Repeated;

 private:
  void begin(std::uint32_t g) override {
    cluster_.startGemm(g, OutputMap{}, Cluster::Order::Free, [this, g](Picoseconds gemmEnd) {
      cluster_.at(g, gemmEnd + cluster_.launchLatency(), [this, g] { reduce(g); });
    });
  }

  void reduce(std::uint32_t g) {
    const Collective& first = *cluster_.collectives().front();
    if (&first == &kNvlsAllReduce) return cluster_.startCollective(g, first);
    cluster_.startCollective(g, first, [this, g](Picoseconds end) {
      cluster_.at(g, end + cluster_.launchLatency(), [this, g] { cluster_.startGather(g); });
    });
  }
};

std::optional<std::string> needSwitch(const SystemConfig& config, std::uint32_t /*number*/) {
  if (config.algorithm != nullptr) {
    return "expected a mode that runs workload.collective, because nvls brings its own";
  }
  if (config.merges()) return std::nullopt;
  return "expected a mode that needs no switch to add, because switch.merge is off";
}

}  // namespace

constinit const ModeKind kNvls = {.name = "nvls",
                                  .needsMerging = true,
                                  .collectives = kAllInOne,
                                  .withNorm = kBothSides,
                                  .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
                                    return std::make_unique<Nvls>(cluster);
                                  },
                                  .bound = inTurn,
                                  .repeats = true,
                                  .check = needSwitch};

}  // namespace t3
