// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/program.h"

namespace t3 {
namespace {

/// The bound that nothing real can beat: t3's GEMM alone (its remote stores cost nothing), then
/// the reduce-scatter by DMA and near-memory ALUs alone, then the all-gather; each part starts
/// when the one before has drained, and the first two count as overlapped.
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
        sends ? map.discard(tiles) : map.dmaMap(tiles);
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
          cluster_.programTracker(g, cluster_.route().updatesPerElement() - 1, [](Picoseconds) {});
        }
        for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
          cluster_.progress(g).reduceStart = now();
          cluster_.sendUntracked(g);
        }
        return true;
      case 1:
        for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) cluster_.startAllGather(g);
        return true;
      default:
        return false;
    }
  }

  bool tracked() const override { return true; }

  void summarise(RunResult& result) const override {
    const Picoseconds gemm = latest(&GpuProgress::gemmEnd) - earliest(&GpuProgress::gemmStart);
    const Picoseconds reduce =
        latest(&GpuProgress::reduceEnd) - earliest(&GpuProgress::reduceStart);
    // Without the kernel's launch: a GPU whose own chunk is early launches while others reduce.
    const Picoseconds gather =
        latest(&GpuProgress::gatherEnd) - earliest(&GpuProgress::gatherStart);
    const Picoseconds overlapped = std::max(gemm, reduce);
    result.time_ps = overlapped + gather;
    result.phase_ns = {static_cast<double>(gemm) * 1e-3,
                       static_cast<double>(overlapped - gemm) * 1e-3,
                       static_cast<double>(gather) * 1e-3};
  }

 private:
  int part_ = 0;
};

}  // namespace

std::unique_ptr<Program> makeIdealRsNmc(Cluster& cluster) {
  return std::make_unique<IdealRsNmc>(cluster);
}

}  // namespace t3
