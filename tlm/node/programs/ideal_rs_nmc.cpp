// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/program.h"

namespace t3 {
namespace {

/// Of what a GPU does to start its all-gather (the launch, the first slice through memory and link)
/// so much happens while other GPUs still reduce, so it does not count. It also covers what single
/// refreshes (260 ns) move: one may fall into a part that runs alone, and between the kernels of a
/// real mode. Without launch, and with one channel, a mode was up to 0.5 us faster than the plain
/// sum of the parts.
constexpr Picoseconds kHiddenStart = 2'000'000;

/// A bound that no real machine of equal GPUs can beat. Three parts run, each when the one before
/// has drained: t3's GEMM alone (its remote stores cost nothing), the reduce-scatter by DMA and
/// near-memory ALUs alone, and the all-gather, of which the start counts as hidden. The first two
/// count as overlapped.
///
/// The DMA engine reads from memory what t3 stores straight into other GPUs. On a ring that is less
/// than the stores that t3 has to do beside it. Where t3 stores all but its own chunk so, the reads
/// could make a tight memory slower than t3's. And GPUs that all start at once meet at the ports of
/// a switch in an order that may cost them a request (4 us at 2 GB/s), while those of a real run,
/// which start a little apart, miss each other. So there the links alone bound both collectives.
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
    const BoundParts bounds = boundParts(cluster_.config(), cluster_.route(), cluster_.tiling(),
                                         cluster_.collectives(), true);
    const auto closedForm = [&bounds](const Collective& collective) {
      return picosecondsFromNs(bounds.most(
          [&collective](const GpuBound& gpu) { return gpu.collectives.of(collective); }));
    };
    const Picoseconds gemm = lengthOf(gemmOfAll());
    const bool direct = cluster_.route().sideBySide();
    const Picoseconds reduce =
        direct ? closedForm(kReduceScatter) : lengthOf(ofAll(kReduceScatter));
    // Measured without the launch.
    const Picoseconds start = kHiddenStart - std::min(kHiddenStart, cluster_.launchLatency());
    const Picoseconds measured = lengthOf(ofAll(kAllGather));
    const Picoseconds gather =
        direct ? closedForm(kAllGather)
               : std::max(closedForm(kAllGather), measured - std::min(measured, start));
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

/// The isolated parts start and end together on all GPUs and count no launch between them.
double isolated(const BoundParts& parts) {
  const auto slowest = [&parts](const Collective& collective) {
    return parts.most(
        [&collective](const GpuBound& gpu) { return gpu.collectives.of(collective); });
  };
  return std::max(parts.most([](const GpuBound& gpu) { return gpu.gemm; }),
                  slowest(kReduceScatter)) +
         slowest(kAllGather);
}

}  // namespace

constinit const ModeKind kIdealRsNmc = {
    .name = "ideal-rs-nmc",
    .tracked = true,
    .ideal = true,
    .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
      return std::make_unique<IdealRsNmc>(cluster);
    },
    .bound = isolated};

}  // namespace t3
