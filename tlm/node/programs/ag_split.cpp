// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/programs/cu_split.h"
#include "tlm/node/programs/repeated.h"

namespace t3 {
namespace {

/// What software can do about the all-gather without new hardware, where a consumer follows: its
/// kernel runs on some compute units while the consumer works on the others, row of tiles by row as
/// they arrive. GEMM, reduce-scatter and norm come before that, on all compute units.
class AgSplit : public Repeated {
 public:
  explicit AgSplit(Cluster& cluster) : Repeated(cluster) {
    cluster.setConsumers(Cluster::Consumers::ByArrival);
  }

 private:
  void begin(std::uint32_t g) override {
    cluster_.startGemm(g, OutputMap{}, Cluster::Order::Free,
                       [this, g](Picoseconds end) { next(end, g, &AgSplit::reduceScatter); });
  }
  void reduceScatter(std::uint32_t g) {
    cluster_.startCollective(g, kReduceScatter,
                             [this, g](Picoseconds end) { next(end, g, &AgSplit::norm); });
  }
  void norm(std::uint32_t g) {
    if (!cluster_.config().workload.norms()) return gatherAndConsume(g);
    cluster_.startNorm(g, false,
                       [this, g](Picoseconds end) { next(end, g, &AgSplit::gatherAndConsume); });
  }
  void gatherAndConsume(std::uint32_t g) {
    cluster_.startConsumer(g);
    cluster_.startCollective(g, kAllGather);
  }
  void next(Picoseconds end, std::uint32_t g, void (AgSplit::*kernel)(std::uint32_t)) {
    cluster_.at(g, end + cluster_.launchLatency(), [this, g, kernel] { (this->*kernel)(g); });
  }
};

void splitGather(SystemConfig& config, std::uint32_t units) {
  config.gpu.gather_compute_units = units;
}

std::optional<std::string> checkAgSplit(const SystemConfig& config, std::uint32_t units) {
  if (!config.workload.consumer.any()) {
    return "expected a mode without a split all-gather, because workload.consumer.columns is 0";
  }
  return checkSplit(config, "ag-split", units);
}

/// The consumer beside the all-gather.
double boundOfAgSplit(const BoundParts& parts) {
  const double reduced = parts.most([&](const GpuBound& gpu) {
    return gpu.start + gpu.gemm + parts.launch + gpu.collectives.of(kReduceScatter);
  });
  const double gathered =
      parts.least([](const GpuBound& gpu) { return gpu.collectives.of(kAllGather); });
  const double consumed = parts.least([](const GpuBound& gpu) { return gpu.consumer; });
  return reduced + parts.launch + std::max(gathered, consumed);
}

}  // namespace

constinit const ModeKind kAgSplit = {.name = "ag-split",
                                     .takesNumber = true,
                                     .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
                                       return std::make_unique<AgSplit>(cluster);
                                     },
                                     .bound = boundOfAgSplit,
                                     .configure = splitGather,
                                     .check = checkAgSplit};

}  // namespace t3
