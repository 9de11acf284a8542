// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/tracked_grid.h"

#include <algorithm>

#include "tlm/tracker/tracker_config.h"

namespace t3 {
namespace {

/// A slot of the tracker counts two contributions to the longest slice.
constexpr std::uint32_t kLongestSlice = TrackerConfig::kMostCount / 2;
/// Elements of the tracker's grid; only bytes count.
constexpr std::uint32_t kGridElement = 2;

/// One chunk of an output whose chunks are whole rows of tiles.
Tiling rowOf(const Tiling& output) {
  return {output.rows() / output.chunks(),
          output.columns(),
          output.elementBytes(),
          output.tileRows(),
          output.tileColumns(),
          output.wavefronts(),
          1};
}

/// Wavefront by wavefront, as a DMA engine reads a tile: row by row, or at once where the tile is
/// as wide as the output.
void addTile(const Tiling& chunk, std::uint32_t tile, std::uint32_t inBlock,
             std::vector<TrackedGrid::Piece>& pieces) {
  const WorkgroupId wg{tile};
  for (std::uint32_t wf = 0; wf < chunk.liveWavefronts(wg); ++wf) {
    const Rectangle area = chunk.wavefrontTile(wg, WavefrontId{wf});
    const bool whole = area.columns == chunk.columns();
    const auto bytes = static_cast<std::uint32_t>(chunk.bytes(area) / (whole ? 1 : area.rows));
    for (std::uint32_t row = 0; row < (whole ? 1 : area.rows); ++row) {
      pieces.push_back({chunk.offset(area, row), bytes, inBlock, WavefrontId{wf}});
    }
  }
}

}  // namespace

TrackedGrid::TrackedGrid(std::uint64_t chunkBytes, std::uint32_t sliceBytes)
    : row_(1, static_cast<std::uint32_t>(chunkBytes / kGridElement), kGridElement, 1,
           sliceBytes / kGridElement, 1, 1),
      slices_(row_.tilesAcross()) {
  Pieces pieces(slices_);
  for (std::uint32_t slice = 0; slice < slices_; ++slice) {
    const std::uint64_t first = std::uint64_t{slice} * sliceBytes;
    const auto bytes = std::min<std::uint64_t>(sliceBytes, chunkBytes - first);
    pieces[slice].push_back({first, static_cast<std::uint32_t>(bytes), 0, WavefrontId{0}});
  }
  pieces_ = std::make_shared<const Pieces>(std::move(pieces));
}

TrackedGrid::TrackedGrid(const Tiling& output, std::uint32_t blockLog2)
    : row_(rowOf(output)), blockLog2_(blockLog2), slices_(row_.tiles() >> blockLog2) {
  Pieces pieces(slices_);
  for (std::uint32_t tile = 0; tile < row_.tiles(); ++tile) {
    addTile(row_, tile, tile % (1U << blockLog2), pieces[tile >> blockLog2]);
  }
  pieces_ = std::make_shared<const Pieces>(std::move(pieces));
}

TrackedGrid TrackedGrid::ofTiles(const Tiling& output, std::uint32_t blockLog2) {
  return {output, blockLog2};
}

std::optional<TrackedGrid> TrackedGrid::make(std::uint32_t rows, std::uint64_t chunkBytes,
                                             std::uint32_t sliceBytes, std::uint32_t slots) {
  for (std::uint64_t bytes = std::min(sliceBytes, kLongestSlice);;
       bytes = std::min<std::uint64_t>(2 * bytes, kLongestSlice)) {
    const TrackedGrid grid(chunkBytes, static_cast<std::uint32_t>(bytes));
    if (std::uint64_t{rows} * grid.slices() <= slots) return grid;
    if (bytes == kLongestSlice) return std::nullopt;
  }
}

std::uint64_t TrackedGrid::leastSlots(std::uint32_t rows, std::uint64_t chunkBytes) {
  return rows * ((chunkBytes + kLongestSlice - 1) / kLongestSlice);
}

Tiling TrackedGrid::tiling(std::uint32_t rows) const {
  return {rows * row_.rows(),
          row_.columns(),
          row_.elementBytes(),
          row_.tileRows(),
          row_.tileColumns(),
          row_.wavefronts(),
          1};
}

}  // namespace t3
