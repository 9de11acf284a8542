// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"

namespace t3 {

/// The output address space that software maps before the launch. Keyed by
/// tile, because a chunk that is part of a tile row is not one address range.
enum class OutputMapping : std::uint8_t {
  Cached,        ///< plain stores through the write-allocating L2: the baseline
  WriteThrough,  ///< the same, and into memory at once: for a kernel that reads it during the GEMM
  DmaMap,        ///< local, uncached, tracked updates; completion may trigger a DMA command
  RemoteMap,     ///< updates straight into another GPU's memory
  Discard  ///< stores that cost nothing: the GEMM alone, of the ideal bound. Checked values still
           ///< go to local memory, for the reduce-scatter that follows there.
};

class OutputMap {
 public:
  struct Entry {
    TileRange tiles;
    OutputMapping mapping = OutputMapping::Cached;
    GpuId destination;                           ///< RemoteMap only
    OutputBuffer buffer = OutputBuffer::Output;  ///< DmaMap and RemoteMap
  };

  void cached(TileRange tiles) { entries_.push_back({tiles, OutputMapping::Cached, {}, {}}); }
  void writeThrough(TileRange tiles) {
    entries_.push_back({tiles, OutputMapping::WriteThrough, {}, {}});
  }
  void dmaMap(TileRange tiles) { dmaMap(tiles, OutputBuffer::Output); }
  void dmaMap(TileRange tiles, OutputBuffer buffer) {
    entries_.push_back({tiles, OutputMapping::DmaMap, {}, buffer});
  }
  void discard(TileRange tiles) { entries_.push_back({tiles, OutputMapping::Discard, {}, {}}); }
  /// `buffer`: where they lie at the destination.
  void remoteMap(TileRange tiles, GpuId destination, OutputBuffer buffer = OutputBuffer::Output) {
    entries_.push_back({tiles, OutputMapping::RemoteMap, destination, buffer});
  }

  /// The mapping of a tile; an unmapped tile is cached.
  Entry lookup(WorkgroupId wg) const {
    for (const Entry& entry : entries_) {
      if (entry.tiles.contains(wg)) return entry;
    }
    return {};
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace t3
