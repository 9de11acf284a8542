// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/program.h"

namespace t3 {
namespace {

/// A bound that no real machine can beat. Three parts run, each when the one before has drained:
/// t3's GEMM alone (its remote stores cost nothing), the reduce-scatter by DMA and near-memory ALUs
/// alone, and the all-gather. The first two count as overlapped.
class IdealRsNmc : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      const Route& route = cluster_.route();
      OutputMap map;
      for (std::uint32_t c = 0; c < route.chunks(); ++c) {
        const TileRange tiles = cluster_.tiling().chunk(ChunkId{c});
        const bool sends = route.duty(GpuId{g}, ChunkId{c}) == Route::Duty::Sends;
        sends ? map.discard(tiles) : map.dmaMap(tiles, route.buffer(GpuId{g}, ChunkId{c}));
      }
      cluster_.launch(g, [this, g, map] {
        cluster_.startGemm(g, map, Cluster::Order::Fused, [](Picoseconds) {});
      });
    }
  }

  bool resume() override {
    switch (part_++) {
      case 0:
        // The local update of every element is in memory already; the others complete it. All are
        // programmed before any sends, because updates arrive from the first send on.
        for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
          cluster_.programTracker(g, cluster_.route().updatesPerElement() - 1, false,
                                  [](Picoseconds) {});
        }
        for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
          cluster_.progress(g).collectives.of(kReduceScatter).start = now();
          cluster_.sendUntracked(g);
        }
        return true;
      case 1:
        for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
          cluster_.startCollective(g, kAllGather);
        }
        return true;
      default:
        return false;
    }
  }

  void summarise(RunResult& result) const override {
    const Picoseconds gemm = lengthOf(gemmOfAll());
    const Picoseconds reduce = lengthOf(ofAll(kReduceScatter));
    // Without the kernel's launch: a GPU whose own chunk is early launches while others reduce.
    const Picoseconds gather = lengthOf(ofAll(kAllGather));
    const Picoseconds overlapped = std::max(gemm, reduce);
    result.time_ps = overlapped + gather;
    result.phase_ns = {static_cast<double>(gemm) * 1e-3,
                       static_cast<double>(overlapped - gemm) * 1e-3,
                       static_cast<double>(gather) * 1e-3};
    result.sublayers = {{0, result.time_ps, result.phase_ns}};
  }

 private:
  static Picoseconds lengthOf(const TimeSpan& span) { return span.end - span.start; }

  int part_ = 0;
};

/// Where t3 stores from the compute units to all other GPUs at the same time, the bound sends with
/// the DMA engine. The engine must not limit it, so there are as many engines as ports.
void addEngines(SystemConfig& config, std::uint32_t /*number*/) {
  const auto route = config.makeRoute();
  if (!route->sideBySide()) return;
  for (std::uint32_t DmaConfig::*part :
       {&DmaConfig::channels, &DmaConfig::outstanding_reads, &DmaConfig::outstanding_bytes}) {
    config.gpu.dma.*part *= route->ports();
  }
}

/// The isolated parts count no launch between them.
double bound(const BoundParts& parts) {
  BoundParts isolated = parts;
  isolated.launch = 0;
  return firstOverlapped(isolated);
}

}  // namespace

constinit const ModeKind kIdealRsNmc = {
    .name = "ideal-rs-nmc",
    .tracked = true,
    .ideal = true,
    .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
      return std::make_unique<IdealRsNmc>(cluster);
    },
    .bound = bound,
    .configure = addEngines};

}  // namespace t3
