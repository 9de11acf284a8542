// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/program.h"

namespace t3 {
namespace {

/// T3: the reduce-scatter happens while the GEMM runs; the all-gather follows as usual.
class Fused : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < ring_.simulated(); ++g) {
      ring_.programTracker(g, ring_.route().updatesPerElement(),
                           [this, g](Picoseconds) { gatherWhenReduced(g); });
    }
    for (std::uint32_t g = 0; g < ring_.simulated(); ++g) {
      zero(g);
      ring_.launch(g, [this, g] {
        ring_.progress(g).reduceStart = now();  // the reduction begins with the GEMM
        ring_.startGemm(g, outputMap(g), Ring::Order::Fused,
                        [this, g](Picoseconds) { gatherWhenReduced(g); });
      });
    }
  }

  bool tracked() const override { return true; }

 private:
  /// Updates add, so what they add to must be zero: all chunks but those that never touch this
  /// GPU's memory. The DMA engine zeroes them beside the GEMM, in the order in which their updates
  /// will come; the GPU holds an update that is ahead of its zeros. A memory that knows a first
  /// update needs none.
  void zero(std::uint32_t g) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> areas;
    for (const ChunkId chunk : ring_.route().order(GpuId{g})) {
      if (ring_.route().duty(GpuId{g}, chunk) == Route::Duty::Sends) continue;
      const auto some = ring_.areas(chunk);
      areas.insert(areas.end(), some.begin(), some.end());
    }
    if (ring_.config().data == DataMode::Checked) litter(g, areas);
    if (ring_.config().hbm.first_update_stores) return;
    ring_.progress(g).zeroStart = ring_.launchTime(g);
    ring_.node(g).gpu.dma.fillZero(
        std::move(areas), [this, g](Picoseconds when) { ring_.progress(g).zeroed = when; },
        ring_.launchTime(g));
  }

  /// Real memory holds anything before it is written; values that no sum survives show where the
  /// zeros were missing.
  void litter(std::uint32_t g, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& areas) {
    for (const auto& [address, bytes] : areas) {
      std::vector<unsigned char> garbage(bytes, 0xff);  // NaN in every float format
      ring_.node(g).debugAccess(tlm::TLM_WRITE_COMMAND, address, garbage.data(),
                                static_cast<std::uint32_t>(bytes));
    }
  }

  OutputMap outputMap(std::uint32_t g) const {
    const Route& route = ring_.route();
    OutputMap map;
    for (std::uint32_t c = 0; c < route.chunks(); ++c) {
      const TileRange tiles = ring_.tiling().chunk(ChunkId{c});
      if (route.duty(GpuId{g}, ChunkId{c}) == Route::Duty::Sends) {
        map.remoteMap(tiles, route.peer(GpuId{g}, route.port(GpuId{g}, ChunkId{c})));
      } else {
        map.dmaMap(tiles);
      }
    }
    return map;
  }

  /// The all-gather needs the compute units (GEMM done) and this GPU's reduced chunk.
  void gatherWhenReduced(std::uint32_t g) {
    const GpuProgress& gpu = ring_.progress(g);
    if (gpu.gemmEnd == 0 || gpu.reduceEnd == 0) return;
    ring_.at(std::max(gpu.gemmEnd, gpu.reduceEnd) + ring_.launchLatency(),
             [this, g] { ring_.startAllGather(g); });
  }
};

}  // namespace

std::unique_ptr<Program> makeFused(Ring& ring) { return std::make_unique<Fused>(ring); }

}  // namespace t3
