// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gemm_order.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tlm/gpu/l2_cache.h"

namespace t3 {

namespace {

std::uint32_t bandRows(const TileWalk& walk, std::uint32_t tilesDown) {
  switch (walk.order) {
    case WorkgroupOrder::RowMajor:
      return 1;
    case WorkgroupOrder::ColumnMajor:
      return tilesDown;
    case WorkgroupOrder::Swizzled:
      return std::max(walk.swizzleRows, 1U);
  }
  return 1;
}

/// The tiles of each range, which stand one range after another, one of each in turn.
std::vector<WorkgroupId> interleaved(const std::vector<WorkgroupId>& order,
                                     const std::vector<TileRange>& ranges) {
  std::vector<WorkgroupId> result;
  for (std::uint32_t i = 0; result.size() < order.size(); ++i) {
    std::size_t first = 0;
    for (const TileRange& range : ranges) {
      if (i < range.count) result.push_back(order[first + i]);
      first += range.count;
    }
  }
  return result;
}

/// Rows of a chunk as runs of tiles, each as long as a tile row; the last one may be shorter.
std::vector<TileRange> rowsFromFirstTile(const TileRange& tiles, std::uint32_t across) {
  std::vector<TileRange> rows;
  for (std::uint32_t first = tiles.first; first < tiles.end(); first += across) {
    rows.push_back({first, std::min(across, tiles.end() - first)});
  }
  return rows;
}

/// What lies of a chunk in each tile row; the first and the last part may be shorter than that.
std::vector<TileRange> partsOfTileRows(const TileRange& tiles, std::uint32_t across) {
  std::vector<TileRange> rows;
  for (std::uint32_t first = tiles.first; first < tiles.end();) {
    const std::uint32_t end = std::min((first / across + 1) * across, tiles.end());
    rows.push_back({first, end - first});
    first = end;
  }
  return rows;
}

/// Walks runs of rows in bands, each column by column.
class BandWalk {
 public:
  BandWalk(std::uint32_t across, std::size_t height, bool serpentine, bool backwards = false)
      : across_(across), height_(height), serpentine_(serpentine), backwards_(backwards) {}

  void walk(std::span<const TileRange> rows) {
    for (std::size_t band = 0; band < rows.size(); band += height_) {
      const std::size_t bandRows = std::min(height_, rows.size() - band);
      for (std::uint32_t i = 0; i < across_; ++i) {
        const std::uint32_t column = backwards_ ? across_ - 1 - i : i;
        for (const TileRange& row : rows.subspan(band, bandRows)) {
          const WorkgroupId wg{row.first + (column + across_ - row.first % across_) % across_};
          if (row.contains(wg)) order_.push_back(wg);
        }
      }
      backwards_ = serpentine_ && !backwards_;
    }
  }
  std::vector<WorkgroupId> order() && { return std::move(order_); }

 private:
  const std::uint32_t across_;
  const std::size_t height_;
  const bool serpentine_;
  bool backwards_;
  std::vector<WorkgroupId> order_;
};

}  // namespace

std::vector<WorkgroupId> dispatchOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                       const TileWalk& walk, bool sideBySide) {
  std::vector<TileRange> ranges;
  for (const ChunkId chunk : chunks) ranges.push_back(tiling.chunk(chunk));
  if (chunks.empty()) ranges.push_back({0, tiling.tiles()});
  const auto together = static_cast<std::uint32_t>(sideBySide ? ranges.size() : 1);
  const std::uint32_t height = std::max(bandRows(walk, tiling.tilesDown()) / together, 1U);
  BandWalk bands(tiling.tilesAcross(), height, walk.serpentine);
  for (const TileRange& range : ranges) bands.walk(partsOfTileRows(range, tiling.tilesAcross()));
  std::vector<WorkgroupId> order = std::move(bands).order();
  return sideBySide ? interleaved(order, ranges) : order;
}

std::vector<WorkgroupId> slabOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                   std::uint32_t rows, const TileWalk& walk, SlabBands height) {
  const std::uint32_t across = tiling.tilesAcross();
  std::vector<std::vector<TileRange>> chunkRows;
  for (const ChunkId chunk : chunks) {
    chunkRows.push_back(rowsFromFirstTile(tiling.chunk(chunk), across));
  }
  std::size_t rowsPerChunk = 0;
  for (const auto& ofChunk : chunkRows) rowsPerChunk = std::max(rowsPerChunk, ofChunk.size());
  const bool wholeRows = std::ranges::all_of(chunkRows, [across](const auto& ofChunk) {
    return ofChunk.empty() || ofChunk.front().count == across;
  });
  const auto slabHeight =
      static_cast<std::uint32_t>(std::min<std::size_t>(rows, rowsPerChunk) * chunks.size());
  const bool ofAChunk = wholeRows && height == SlabBands::OfAChunk;
  const auto highest = ofAChunk ? static_cast<std::uint32_t>(rowsPerChunk) : slabHeight;
  const bool whole = height == SlabBands::WholeSlab;
  BandWalk bands(across, whole ? slabHeight : std::min(bandRows(walk, highest), highest),
                 walk.serpentine);
  for (std::size_t slab = 0; slab < rowsPerChunk; slab += rows) {
    std::vector<TileRange> slabRows;
    for (const std::vector<TileRange>& ofChunk : chunkRows) {
      for (std::size_t row = slab; row < std::min<std::size_t>(slab + rows, ofChunk.size());
           ++row) {
        slabRows.push_back(ofChunk[row]);
      }
    }
    bands.walk(slabRows);
  }
  return std::move(bands).order();
}

std::vector<WorkgroupId> bandOrder(const Tiling& tiling, std::span<const std::uint32_t> tileRows,
                                   bool backwards) {
  const std::uint32_t across = tiling.tilesAcross();
  std::vector<TileRange> rows;
  for (const std::uint32_t row : tileRows) rows.push_back({row * across, across});
  BandWalk band(across, rows.size(), false, backwards);
  band.walk(rows);
  return std::move(band).order();
}

namespace {

/// Band heights that are tried, those with the squarest waves first. These start fastest, and a
/// GEMM that is bound by its math gains no time from reading less. So a later height replaces an
/// earlier one only if it reads less than this share (docs/measurements/gemm.md has the times).
constexpr std::uint32_t kBandHeights[] = {8, 4, 16, 2, 32, 1, 64};
constexpr double kShareToReplace = 0.5;
/// One exception, where no chunk has to come before another: bands of one tile row, if then the
/// operands are read (almost) once, and bands of 8 read more. Measured as well.
constexpr double kReadOnceTolerance = 1.1;
constexpr double kShareForOneRow = 0.98;
/// Chunks that are lower than a band are produced side by side if that reads less than this share.
/// Then more tiles of more chunks are in flight at once on the ring.
constexpr double kShareToJoin = 0.5;

}  // namespace

std::uint64_t countReads(const GpuConfig& config, const GemmBlocks& blocks, const OutputMap& output,
                         std::span<const WorkgroupId> order) {
  const std::size_t slots = std::size_t{config.compute_units} * config.gemm.workgroups_per_cu;
  L2Cache cache(config.l2.capacity_bytes, config.l2.ways, blocks.blocks());
  std::uint64_t bytes = 0;
  std::vector<GemmBlocks::Block> panels;  // of one wave, each once
  for (std::size_t wave = 0; wave < order.size(); wave += slots) {
    const std::size_t waveEnd = std::min(wave + slots, order.size());
    panels.clear();
    for (std::size_t i = wave; i < waveEnd; ++i) {
      panels.push_back(blocks.panelA(order[i]));
      panels.push_back(blocks.panelB(order[i]));
    }
    std::sort(panels.begin(), panels.end());
    panels.erase(std::unique(panels.begin(), panels.end()), panels.end());
    for (std::uint32_t slab = 0; slab < blocks.slabs(); ++slab) {
      for (const GemmBlocks::Block panel : panels) {
        const GemmBlocks::Place at = blocks.place(panel + slab);
        const L2Cache::Lookup lookup = cache.read(panel + slab, at.rows, at.bytes);
        if (lookup.missingRows == 0) continue;
        cache.filled(panel + slab);
        bytes += std::uint64_t{lookup.missingRows} * at.bytes;
      }
    }
    for (std::size_t i = wave; i < waveEnd; ++i) {
      const OutputMapping mapping = output.lookup(order[i]).mapping;
      if (mapping != OutputMapping::Cached && mapping != OutputMapping::WriteThrough) continue;
      cache.write(blocks.output(order[i]),
                  static_cast<std::uint32_t>(blocks.place(blocks.output(order[i])).totalBytes()));
    }
    cache.clearDisplaced();
  }
  return bytes;
}

namespace {

/// How many of a launch's groups, one after another, go side by side: as many as a band of `height`
/// rows spans, or as asked; at least 1. Groups of different size have a reason of their own.
std::uint32_t groupsInABand(const GemmConfig& gemm, const Tiling& tiling, const GemmLaunch& launch,
                            std::uint32_t height) {
  if (launch.groups.empty()) return 1;
  const std::uint32_t size = launch.groups.front();
  if (std::ranges::count(launch.groups, size) != std::ssize(launch.groups)) return 1;
  if (gemm.chunks_side_by_side != 0) return std::max(1U, gemm.chunks_side_by_side / size);
  if (gemm.workgroup_order != WorkgroupOrder::Swizzled) return 1;
  std::uint32_t tiles = 0;
  for (const ChunkId chunk : std::span(launch.chunkOrder).first(size)) {
    tiles += tiling.chunk(chunk).count;
  }
  return std::max(1U, height * tiling.tilesAcross() / std::max(tiles, 1U));
}

/// So many neighbours at a time as one group.
std::vector<std::uint32_t> joined(const std::vector<std::uint32_t>& groups, std::uint32_t times) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i % times == 0) result.push_back(0);
    result.back() += groups[i];
  }
  return result;
}

GemmOrder chooseSlabOrder(const GpuConfig& config, const GemmBlocks& blocks,
                          const GemmLaunch& launch) {
  const GemmConfig& gemm = config.gemm;
  const Tiling& tiling = blocks.tiling();
  const auto walked = [&](WorkgroupOrder order, std::uint32_t height,
                          SlabBands bands = SlabBands::OfAChunk) {
    return GemmOrder{slabOrder(tiling, launch.chunkOrder, gemm.slab_rows,
                               {order, height, gemm.serpentine}, bands),
                     height};
  };
  if (launch.groups.size() == 1) {
    return walked(gemm.workgroup_order,
                  gemm.slab_rows * static_cast<std::uint32_t>(launch.chunkOrder.size()),
                  SlabBands::WholeSlab);
  }
  if (gemm.workgroup_order != WorkgroupOrder::Swizzled) {
    return walked(gemm.workgroup_order, gemm.swizzle_rows);
  }
  const auto reads = [&](const GemmOrder& order) {
    return static_cast<double>(countReads(config, blocks, launch.output, order.workgroups));
  };
  GemmOrder rows = walked(WorkgroupOrder::Swizzled, 1);
  const std::uint32_t height = gemm.swizzle_rows == 0 ? kBandHeights[0] : gemm.swizzle_rows;
  GemmOrder bands = walked(WorkgroupOrder::Swizzled, height);
  GemmOrder best = reads(bands) < reads(rows) ? std::move(bands) : std::move(rows);
  if (groupsInABand(gemm, tiling, launch, height) == 1) return best;
  GemmOrder across = walked(WorkgroupOrder::Swizzled, height, SlabBands::AcrossChunks);
  return reads(across) < kShareToJoin * reads(best) ? across : best;
}

}  // namespace

GemmOrder chooseOrder(const GpuConfig& config, const GemmBlocks& blocks, const GemmLaunch& launch) {
  const GemmConfig& gemm = config.gemm;
  const Tiling& tiling = blocks.tiling();
  if (gemm.slab_rows != 0 && !launch.chunkOrder.empty()) {
    return chooseSlabOrder(config, blocks, launch);
  }
  const auto grouped = [&](std::uint32_t height, const std::vector<std::uint32_t>& groups) {
    const TileWalk walk{gemm.workgroup_order, height, gemm.serpentine};
    const bool oneByOne =
        std::ranges::all_of(groups, [](std::uint32_t group) { return group == 1; });
    if (oneByOne) return dispatchOrder(tiling, launch.chunkOrder, walk);
    std::vector<WorkgroupId> all;
    auto rest = std::span<const ChunkId>(launch.chunkOrder);
    for (const std::uint32_t group : groups) {
      const auto order = dispatchOrder(tiling, rest.first(group), walk, true);
      all.insert(all.end(), order.begin(), order.end());
      rest = rest.subspan(group);
    }
    return all;
  };
  const auto readsOf = [&](const std::vector<WorkgroupId>& order) {
    return static_cast<double>(countReads(config, blocks, launch.output, order));
  };
  const auto orderOf = [&](std::uint32_t height) {
    std::vector<WorkgroupId> order = grouped(height, launch.groups);
    const std::uint32_t times = groupsInABand(gemm, tiling, launch, height);
    if (times == 1) return order;
    std::vector<WorkgroupId> side = grouped(height, joined(launch.groups, times));
    const bool asked = gemm.chunks_side_by_side != 0;
    return asked || readsOf(side) < kShareToJoin * readsOf(order) ? side : order;
  };
  if (gemm.workgroup_order != WorkgroupOrder::Swizzled || gemm.swizzle_rows != 0) {
    return {orderOf(gemm.swizzle_rows), gemm.swizzle_rows};
  }
  GemmOrder best;
  double fewest = std::numeric_limits<double>::infinity();
  double ofFirst = 0;
  for (const std::uint32_t height : kBandHeights) {
    std::vector<WorkgroupId> order = orderOf(height);
    const double reads = readsOf(order);
    if (best.workgroups.empty()) ofFirst = reads;
    const bool oneRow = height == 1 && launch.chunkOrder.empty() &&
                        reads <= kReadOnceTolerance * static_cast<double>(blocks.operandBytes()) &&
                        reads < kShareForOneRow * ofFirst;
    if (reads >= kShareToReplace * fewest && !oneRow) continue;
    fewest = std::min(fewest, reads);
    best = {std::move(order), height};
  }
  return best;
}

}  // namespace t3
