// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/tiling.h"

#include <algorithm>

namespace t3 {

namespace {

std::uint32_t ceilDiv(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

Tiling::Tiling(const Matrix& output, const Tile& tile, std::uint32_t chunks, std::uint32_t unit)
    : output_(output),
      tile_(tile),
      chunks_(chunks),
      unit_(unit),
      tilesDown_(ceilDiv(output.rows, tile.rows)),
      tilesAcross_(ceilDiv(output.columns, tile.columns)),
      wavefrontRows_(ceilDiv(tile.rows, tile.wavefronts)),
      units_(ceilDiv(tiles(), unit)) {}

Rectangle Tiling::tile(WorkgroupId wg) const {
  const std::uint32_t row = wg.value / tilesAcross_ * tileRows();
  const std::uint32_t column = wg.value % tilesAcross_ * tileColumns();
  return {row, column, std::min(tileRows(), rows() - row),
          std::min(tileColumns(), columns() - column)};
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

std::vector<Segment> segmentsOf(const Tiling& tiling, TileRange tiles) {
  std::vector<Segment> segments;
  const auto append = [&](std::uint64_t offset, std::uint64_t bytes) {
    if (!segments.empty() && segments.back().offset + segments.back().bytes == offset) {
      segments.back().bytes += bytes;
    } else {
      segments.push_back({offset, bytes});
    }
  };
  const std::uint32_t across = tiling.tilesAcross();
  for (std::uint32_t wg = tiles.first; wg < tiles.end();) {
    const std::uint32_t endOfRow = std::min((wg / across + 1) * across, tiles.end());
    const Rectangle first = tiling.tile(WorkgroupId{wg});
    const Rectangle last = tiling.tile(WorkgroupId{endOfRow - 1});
    const std::uint64_t rowBytes =
        std::uint64_t{last.column + last.columns - first.column} * tiling.elementBytes();
    for (std::uint32_t row = 0; row < first.rows; ++row)
      append(tiling.offset(first, row), rowBytes);
    wg = endOfRow;
  }
  return segments;
}

ChunkSegments::ChunkSegments(const Tiling& tiling, ChunkId chunk)
    : segments_(segmentsOf(tiling, tiling.chunk(chunk))) {
  for (const Segment& segment : segments_) {
    starts_.push_back(bytes_);
    bytes_ += segment.bytes;
  }
}

Segment ChunkSegments::from(std::uint64_t position) const {
  const auto behind = std::ranges::upper_bound(starts_, position);
  const Segment& segment = segments_[static_cast<std::size_t>(behind - starts_.begin()) - 1];
  const std::uint64_t before = position - *(behind - 1);
  return {segment.offset + before, segment.bytes - before};
}

std::optional<std::uint64_t> ChunkSegments::denseOffset(std::uint64_t outputOffset,
                                                        std::uint64_t bytes) const {
  const auto behind = std::upper_bound(
      segments_.begin(), segments_.end(), outputOffset,
      [](std::uint64_t offset, const Segment& segment) { return offset < segment.offset; });
  if (behind == segments_.begin()) return std::nullopt;
  const auto index = static_cast<std::size_t>(behind - segments_.begin()) - 1;
  const Segment& segment = segments_[index];
  if (outputOffset + bytes > segment.offset + segment.bytes) return std::nullopt;
  return starts_[index] + outputOffset - segment.offset;
}

ByteWalk::ByteWalk(const Tiling& tiling, TileRange tiles, std::uint32_t outputs)
    : tiling_(&tiling), tiles_(tiles), outputs_(outputs), workgroup_{tiles.first} {
  beginWavefrontTile();
}

void ByteWalk::advance(std::uint64_t bytes) {
  offset_ += bytes;
  left_ -= bytes;
  if (left_ != 0) return;
  if (--runsLeft_ == 0) return nextWavefrontTile();
  offset_ += tiling_->pitchBytes() - runBytes_;
  left_ = runBytes_;
}

void ByteWalk::nextWavefrontTile() {
  if (++wavefront_.value == tiling_->liveWavefronts(workgroup_)) {
    wavefront_.value = 0;
    if (++workgroup_.value == tiles_.end()) {
      if (output_ + 1 == outputs_) return;
      ++output_;
      workgroup_.value = tiles_.first;
    }
  }
  beginWavefrontTile();
}

void ByteWalk::beginWavefrontTile() {
  id_.value = output_ * tiling_->tiles() + workgroup_.value;
  const Rectangle area = tiling_->wavefrontTile(workgroup_, wavefront_);
  const bool whole = area.columns == tiling_->columns();
  runsLeft_ = whole ? 1 : area.rows;
  runBytes_ = left_ = tiling_->bytes(area) / runsLeft_;
  offset_ = output_ * tiling_->outputBytes() + tiling_->offset(area, 0);
}

}  // namespace t3
