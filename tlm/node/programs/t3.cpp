// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/programs/t3.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tlm/node/bounds.h"
#include "tlm/node/gemm_data.h"
#include "tlm/node/mode.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {
namespace {

/// With all that shares rows of the memory with the areas, in order of their addresses. In an
/// output these are parts of chunks that others store later, and in front of the output and behind
/// it nothing.
Cluster::Areas wholeRows(Cluster::Areas areas, std::uint64_t rowsBytes) {
  std::ranges::sort(areas);
  Cluster::Areas whole;
  for (const auto& [address, bytes] : areas) {
    const std::uint64_t first = address / rowsBytes * rowsBytes;
    const std::uint64_t end = (address + bytes + rowsBytes - 1) / rowsBytes * rowsBytes;
    if (!whole.empty() && first <= whole.back().first + whole.back().second) {
      whole.back().second = std::max(whole.back().second, end - whole.back().first);
    } else {
      whole.emplace_back(first, end - first);
    }
  }
  return whole;
}

}  // namespace

void Fused::setUpAgain(std::uint32_t g) {
  cluster_.programTrackerAgain(g, [this, g] { setUp(g); });
}

void Fused::renew(std::uint32_t g, Picoseconds begins) {
  if (cluster_.config().data == DataMode::Checked) poisonWithNan(g);
  prepareZeros(g, begins);
}

void Fused::begin(std::uint32_t g) {
  // The reduction begins with the GEMM.
  cluster_.progress(g).of(Phase::ReduceScatter).start = now();
  cluster_.startGemm(g, outputMap(g), Cluster::Order::Fused,
                     [this, g](Picoseconds) { gemmEnded(g); });
}

void Fused::prepare(std::uint32_t g) {
  cluster_.programTracker(g, {.readsClear = initialValue() == InitialValue::InMemory},
                          [this, g](Picoseconds) { gatherWhenReduced(g); });
}

InitialValue Fused::initialValue() const { return cluster_.config().hbm.initial_value; }

/// Updates add to what is in memory, so memory must hold zeros first. The GPU holds a write whose
/// bytes are not ready for it.
///
/// * InMemory: the accumulation buffer holds zeros between kernels, because each sum is read once
///   and its read clears it. The chunks that stay are cleared when the kernel starts.
/// * ZeroOverBus: the DMA engine writes the zeros of all chunks that are summed here beside the
///   GEMM, in the order in which updates will come.
/// * FirstUpdateStores: nothing needs zeros; the bits of the bursts are set.
void Fused::prepareZeros(std::uint32_t g, Picoseconds start) {
  if (initialValue() == InitialValue::FirstUpdateStores) {
    for (const OutputBuffer buffer : {OutputBuffer::Output, OutputBuffer::Accumulation}) {
      cluster_.node(g).hbm.armFirstUpdates(cluster_.layout().base(buffer),
                                           cluster_.tiling().outputBytes());
    }
    return;
  }
  const Route& route = cluster_.route();
  const bool clears = initialValue() == InitialValue::InMemory;
  Cluster::Areas areas;
  for (const ChunkId chunk : route.order(GpuId{g})) {
    const Route::Duty duty = route.duty(GpuId{g}, chunk);
    if (duty == Route::Duty::Sends || (clears && duty == Route::Duty::Passes)) continue;
    const auto some = cluster_.areas(chunk, route.buffer(GpuId{g}, chunk));
    areas.insert(areas.end(), some.begin(), some.end());
  }
  const auto done = [this, g](Picoseconds when) { cluster_.progress(g).zeroing.end = when; };
  cluster_.progress(g).zeroing.start = start;
  GpuNode& node = cluster_.node(g);
  if (!clears) return node.gpu.dma.fillZero(std::move(areas), done, start);
  const std::uint64_t rows = node.hbm.rowsBytes();
  if (rows != 0) areas = wholeRows(std::move(areas), rows);
  node.gpu.dma.clear(std::move(areas), static_cast<std::uint32_t>(rows), done, start);
}

/// Only a buffer that holds zeros between kernels is not filled.
void Fused::poisonWithNan(std::uint32_t g) {
  const DebugAccess memory = memoryOf(cluster_.node(g));
  if (cluster_.config().workload.norms()) {
    poison(memory, cluster_.layout().normed, cluster_.tiling().outputBytes());
  }
  for (const OutputBuffer buffer : {OutputBuffer::Output, OutputBuffer::Accumulation}) {
    if (buffer == OutputBuffer::Accumulation && initialValue() == InitialValue::InMemory) continue;
    poison(memory, cluster_.layout().base(buffer), cluster_.tiling().outputBytes());
  }
}

OutputMap Fused::outputMap(std::uint32_t g) const {
  const Route& route = cluster_.route();
  OutputMap map;
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    const TileRange tiles = cluster_.tiling().chunk(ChunkId{c});
    if (route.duty(GpuId{g}, ChunkId{c}) == Route::Duty::Sends) {
      const GpuId peer = route.peer(GpuId{g}, route.port(GpuId{g}, ChunkId{c}));
      map.remoteMap(tiles, peer, route.buffer(peer, ChunkId{c}));
    } else {
      map.dmaMap(tiles, route.buffer(GpuId{g}, ChunkId{c}));
    }
  }
  return map;
}

std::unique_ptr<Program> makeFused(Cluster& cluster) { return std::make_unique<Fused>(cluster); }

std::optional<std::string> checkFused(const SystemConfig& config, std::uint32_t /*number*/) {
  const auto route = config.makeRoute();
  return checkPlan(config.tracker, *route, config.makeTiling(*route), {});
}

constinit const ModeKind kT3 = {.name = "t3",
                                .tracked = true,
                                .boundedBy = kByIdealRsNmc,
                                .program = makeFused,
                                .bound = firstOverlapped,
                                .repeats = true,
                                .takesFile = true,
                                .check = checkFused};

}  // namespace t3
