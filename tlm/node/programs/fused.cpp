// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/program.h"

namespace t3 {
namespace {

constexpr std::uint32_t kUpdatesPerElement = 2;  // the local store and the neighbour's sum

/// T3: the reduce-scatter happens while the GEMM runs; the all-gather follows as usual.
class Fused : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < ring_.simulated(); ++g) {
      ring_.programTracker(g, kUpdatesPerElement, [this, g](Picoseconds) { gatherWhenReduced(g); });
    }
    for (std::uint32_t g = 0; g < ring_.simulated(); ++g) {
      zero(g);
      ring_.launch(g, [this, g] {
        ring_.progress(g).reduceStart = now();  // the reduction begins with the GEMM
        ring_.startGemm(g, outputMap(g), ring_.order(g),
                        [this, g](Picoseconds) { gatherWhenReduced(g); });
      });
    }
  }

  bool tracked() const override { return true; }

 private:
  /// Updates add, so what they add to must be zero: all chunks but the first of each ring, which
  /// never touch this GPU's memory. The DMA engine zeroes them beside the GEMM, in the order in
  /// which their updates will come; the GPU holds an update that is ahead of its zeros. A memory
  /// that knows a first update needs none.
  void zero(std::uint32_t g) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> areas;
    const std::vector<ChunkId> order = ring_.order(g);
    for (std::size_t i = ring_.rings().size(); i < order.size(); ++i) {
      const auto chunk = ring_.areas(order[i]);
      areas.insert(areas.end(), chunk.begin(), chunk.end());
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
    const std::vector<ChunkId> order = ring_.order(g);
    OutputMap map;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const TileRange tiles = ring_.tiling().chunk(order[i]);
      if (i < ring_.rings().size()) {
        map.remoteMap(tiles, ring_.ringOf(order[i]).next(GpuId{g}));
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
