// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/programs/t3.h"

#include <memory>
#include <utility>
#include <vector>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"

namespace t3 {
namespace {

/// T3: the reduce-scatter happens while the GEMM runs; the all-gather follows as usual.
class Fused : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      cluster_.programTracker(g, cluster_.route().updatesPerElement(),
                              [this, g](Picoseconds) { gatherWhenReduced(g); });
    }
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      zero(g);
      cluster_.launch(g, [this, g] {
        // The reduction begins with the GEMM.
        cluster_.progress(g).collectives.of(kReduceScatter).start = now();
        cluster_.startGemm(g, outputMap(g), Cluster::Order::Fused,
                           [this, g](Picoseconds) { gatherWhenReduced(g); });
      });
    }
  }

 private:
  /// Updates add to what is in memory, so memory must hold zeros first. This concerns all chunks
  /// except those that are stored straight into another GPU. The DMA engine writes the zeros beside
  /// the GEMM, in the order in which updates will come; the GPU holds an update whose zeros are not
  /// there yet. A memory whose first update stores needs no zeros.
  void zero(std::uint32_t g) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> areas;
    for (const ChunkId chunk : cluster_.route().order(GpuId{g})) {
      if (cluster_.route().duty(GpuId{g}, chunk) == Route::Duty::Sends) continue;
      const auto some = cluster_.areas(chunk);
      areas.insert(areas.end(), some.begin(), some.end());
    }
    if (cluster_.config().data == DataMode::Checked) poisonWithNan(g, areas);
    if (cluster_.config().hbm.first_update_stores) return;
    cluster_.progress(g).zeroing.start = cluster_.launchTime(g);
    cluster_.node(g).gpu.dma.fillZero(
        std::move(areas), [this, g](Picoseconds when) { cluster_.progress(g).zeroing.end = when; },
        cluster_.launchTime(g));
  }

  /// Memory may hold anything before it is written. A NaN stays in every sum, so a wrong result
  /// shows where the zeros were missing.
  void poisonWithNan(std::uint32_t g,
                     const std::vector<std::pair<std::uint64_t, std::uint64_t>>& areas) {
    for (const auto& [address, bytes] : areas) {
      std::vector<unsigned char> nans(bytes, 0xff);  // in every float format
      cluster_.node(g).debugAccess(tlm::TLM_WRITE_COMMAND, address, nans.data(),
                                   static_cast<std::uint32_t>(bytes));
    }
  }

  OutputMap outputMap(std::uint32_t g) const {
    const Route& route = cluster_.route();
    OutputMap map;
    for (std::uint32_t c = 0; c < route.chunks(); ++c) {
      const TileRange tiles = cluster_.tiling().chunk(ChunkId{c});
      if (route.duty(GpuId{g}, ChunkId{c}) == Route::Duty::Sends) {
        map.remoteMap(tiles, route.peer(GpuId{g}, route.port(GpuId{g}, ChunkId{c})));
      } else {
        map.dmaMap(tiles);
      }
    }
    return map;
  }
};

}  // namespace

std::unique_ptr<Program> makeFused(Cluster& cluster) { return std::make_unique<Fused>(cluster); }

constinit const ModeKind kT3 = {
    .name = "t3", .tracked = true, .program = makeFused, .bound = firstOverlapped};

}  // namespace t3
