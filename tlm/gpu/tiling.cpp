// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/tiling.h"

#include <algorithm>

#include "tlm/gpu/ring_path.h"

namespace t3 {
namespace {

std::uint32_t ceilDiv(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

Tiling::Tiling(std::uint32_t rows, std::uint32_t columns, std::uint32_t elementBytes,
               std::uint32_t tileRows, std::uint32_t tileColumns, std::uint32_t wavefronts,
               std::uint32_t chunks, std::uint32_t unit)
    : rows_(rows),
      columns_(columns),
      elementBytes_(elementBytes),
      tileRows_(tileRows),
      tileColumns_(tileColumns),
      wavefronts_(wavefronts),
      chunks_(chunks),
      unit_(unit),
      tilesDown_(ceilDiv(rows, tileRows)),
      tilesAcross_(ceilDiv(columns, tileColumns)),
      wavefrontRows_(ceilDiv(tileRows, wavefronts)),
      units_(ceilDiv(tiles(), unit)) {}

Rectangle Tiling::tile(WorkgroupId wg) const {
  const std::uint32_t row = wg.value / tilesAcross_ * tileRows_;
  const std::uint32_t column = wg.value % tilesAcross_ * tileColumns_;
  return {row, column, std::min(tileRows_, rows_ - row), std::min(tileColumns_, columns_ - column)};
}

Rectangle Tiling::wavefrontTile(WorkgroupId wg, WavefrontId wf) const {
  Rectangle area = tile(wg);
  const std::uint32_t first = std::min(wf.value * wavefrontRows_, area.rows);
  area.rows = std::min(wavefrontRows_, area.rows - first);
  area.row += first;
  return area;
}

std::uint32_t Tiling::liveWavefronts(WorkgroupId wg) const {
  return ceilDiv(tile(wg).rows, wavefrontRows_);
}

TileRange Tiling::chunk(ChunkId chunk) const {
  const auto firstTile = [this](std::uint64_t c) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(c * units_ / chunks_ * unit_, tiles()));
  };
  const std::uint32_t first = firstTile(chunk.value);
  return {first, firstTile(std::uint64_t{chunk.value} + 1) - first};
}

std::uint32_t Tiling::mostTilesOfAChunk() const {
  std::uint32_t most = 0;
  for (std::uint32_t c = 0; c < chunks_; ++c) most = std::max(most, chunk(ChunkId{c}).count);
  return most;
}

std::uint64_t Tiling::chunkBytes(ChunkId id) const {
  const TileRange range = chunk(id);
  std::uint64_t total = 0;
  for (std::uint32_t wg = range.first; wg < range.end(); ++wg)
    total += bytes(tile(WorkgroupId{wg}));
  return total;
}

std::vector<ChunkId> ringChunkOrder(GpuId gpu, std::uint32_t gpus, std::uint32_t rings) {
  std::vector<ChunkId> order;
  for (std::uint32_t i = 1; i <= gpus; ++i) {
    for (std::uint32_t r = 0; r < rings; ++r)
      order.push_back(RingPath{gpus, rings, r}.behind(gpu, i));
  }
  return order;
}

}  // namespace t3
