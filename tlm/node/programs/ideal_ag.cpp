// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "tlm/node/mode.h"
#include "tlm/node/programs/ideal_rs_nmc.h"
#include "tlm/node/programs/t3_ag.h"

namespace t3 {
namespace {

TrackerUse gatherUse(const SystemConfig& config) {
  return {.sums = TrackerUse::Sums::None,
          .gathers = true,
          .norms = config.workload.norms(),
          .multicasts = config.merges()};
}

/// What T3-AG cannot be faster than, where all GPUs are equal and own equal chunks: its GEMM and
/// its consumer alone, one behind the other on the same compute units, or its reduce-scatter and
/// its all-gather, each alone, one after the other on the links, whichever is longer. The own
/// chunks are in memory when the all-gather starts; DMA engines send them, and trackers forward
/// what arrives.
class IdealAg : public IdealRsNmc {
 public:
  using IdealRsNmc::IdealRsNmc;

  void start() override {
    IdealRsNmc::start();
    cluster_.setConsumers(Cluster::Consumers::Early);
    if (!cluster_.consumer()) return;
    for (const std::uint32_t g : cluster_.own()) {
      cluster_.launch(g, [this, g] { cluster_.startConsumer(g); });
    }
  }

  void summarise(const std::vector<GpuFigures>& gpus, RunResult& result) const override {
    const Picoseconds gemm = gemmTime(gpus);
    TimeSpan both = spanOf(gpus, 0, Phase::Gemm);
    if (cluster_.consumer()) both.end = std::max(both.end, spanOf(gpus, 0, Phase::Consumer).end);
    const Picoseconds pair = both.length();
    const Picoseconds reduce = reduceTime(gpus);
    const Picoseconds links =
        picosecondsFromNs(bounds().most([](const GpuBound& gpu) { return gpu.links; }));
    // Closed forms have a latency each. What is gathered may follow the sums on a link, so the
    // links have to pay one only.
    const bool measured = cluster_.route().fastestAlone();
    const Picoseconds sent = measured ? std::max(links, reduce + gatherTime(gpus, 0)) : links;
    const Picoseconds gathered = std::max(gemm, sent);
    result.time_ps = std::max(pair, sent);
    const Picoseconds exposed = gathered - gemm;
    const Picoseconds reduceExposed = std::max(gemm, reduce) - gemm;
    result.add(
        {0,
         result.time_ps,
         {{nanoseconds(gemm), nanoseconds(reduceExposed), nanoseconds(exposed - reduceExposed), 0,
           nanoseconds(result.time_ps - gathered)}}});
  }

 protected:
  bool gathersByTracker() const override { return true; }
  void gather() override {
    for (const std::uint32_t g : cluster_.own()) {
      cluster_.programTracker(g, gatherUse(cluster_.config()), {});
    }
    for (const std::uint32_t g : cluster_.own()) {
      cluster_.progress(g).of(Phase::AllGather).start = now();
      cluster_.sendOwnChunks(g);
    }
  }
};

std::optional<std::string> checkGather(const SystemConfig& config, std::uint32_t number) {
  if (auto problem = checkOthersSums(config, number)) return problem;
  const auto route = config.makeRoute();
  return checkPlan(config.tracker, *route, config.makeTiling(*route), gatherUse(config));
}

/// The parts count no launch and no start.
double partsAlone(const BoundParts& parts) {
  return parts.most([](const GpuBound& gpu) { return std::max(gpu.pair, gpu.links); });
}

}  // namespace

constinit const ModeKind kIdealAg = {.name = "ideal-ag",
                                     .tracked = true,
                                     .gathers = true,
                                     .ideal = true,
                                     .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
                                       return std::make_unique<IdealAg>(cluster);
                                     },
                                     .bound = partsAlone,
                                     .configure = configureForGather,
                                     .check = checkGather};

}  // namespace t3
