// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tlm/gpu/gemm_config.h"
#include "tlm/gpu/tiling.h"

namespace t3::test {

/// The L2 line by line: sets x ways, least recently used in each set, set chosen by a hash of the
/// line address as GPUs do. Written from the description of a cache, not from L2Cache.
class LineCache {
 public:
  LineCache(std::uint64_t capacityBytes, std::uint32_t ways, std::uint32_t lineBytes)
      : ways_(ways), lineBytes_(lineBytes), sets_(capacityBytes / lineBytes / ways) {
    lines_.resize(sets_ * ways, Line{});
  }

  struct Result {
    bool hit = false;
    bool wroteBack = false;  ///< a dirty line had to go
  };

  /// Touches the line of `address`; allocates it if absent.
  Result touch(std::uint64_t address, bool write) {
    const std::uint64_t tag = address / lineBytes_;
    Line* set = &lines_[hash(tag) % sets_ * ways_];
    Line* victim = set;
    for (Line* line = set; line != set + ways_; ++line) {
      if (line->tag == tag) {
        line->used = ++clock_;
        line->dirty |= write;
        return {true, false};
      }
      if (line->used < victim->used) victim = line;
    }
    const Result result{false, victim->dirty};
    *victim = {tag, ++clock_, write};
    return result;
  }

  bool holds(std::uint64_t address) const {
    const std::uint64_t tag = address / lineBytes_;
    const Line* set = &lines_[hash(tag) % sets_ * ways_];
    for (const Line* line = set; line != set + ways_; ++line) {
      if (line->tag == tag) return true;
    }
    return false;
  }

 private:
  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint64_t used = 0;  ///< 0: empty, so chosen first
    bool dirty = false;
  };
  /// Finalizer of the splitmix64 generator: every address bit reaches every bit of the set.
  static std::uint64_t hash(std::uint64_t tag) {
    tag = (tag ^ (tag >> 30)) * 0xbf58476d1ce4e5b9ULL;
    tag = (tag ^ (tag >> 27)) * 0x94d049bb133111ebULL;
    return tag ^ (tag >> 31);
  }

  std::uint64_t ways_, lineBytes_, sets_, clock_ = 0;
  std::vector<Line> lines_;
};

/// Where a GEMM's data lies, for walks over it.
struct WalkLayout {
  std::uint64_t a = 0, b = 0, output = 0, pitch = 0;
};

/// A GEMM without time: waves of `slots` workgroups in `order`, all at the same K step, each
/// reading its rows of A and B and at the end (if `stores`) writing its output rows. Calls
/// `touch(address, bytes, write)` for every row segment.
inline void walkGemm(const Tiling& tiling, std::uint32_t depthBytes, std::uint32_t stepBytes,
                     const WalkLayout& layout, std::span<const WorkgroupId> order,
                     std::uint32_t slots, bool stores,
                     const std::function<void(std::uint64_t, std::uint32_t, bool)>& touch) {
  for (std::size_t wave = 0; wave < order.size(); wave += slots) {
    const auto running = order.subspan(wave, std::min<std::size_t>(slots, order.size() - wave));
    for (std::uint32_t k = 0; k < depthBytes; k += stepBytes) {
      const std::uint32_t bytes = std::min(stepBytes, depthBytes - k);
      for (const WorkgroupId wg : running) {
        const Rectangle tile = tiling.tile(wg);
        for (std::uint32_t row = 0; row < tile.rows; ++row) {
          touch(layout.a + (tile.row + row) * layout.pitch + k, bytes, false);
        }
        for (std::uint32_t column = 0; column < tile.columns; ++column) {
          touch(layout.b + (tile.column + column) * layout.pitch + k, bytes, false);
        }
      }
    }
    if (!stores) continue;
    for (const WorkgroupId wg : running) {
      const Rectangle tile = tiling.tile(wg);
      for (std::uint32_t row = 0; row < tile.rows; ++row) {
        touch(layout.output + tiling.offset(tile, row), tile.columns * tiling.elementBytes(), true);
      }
    }
  }
}

/// What such a walk costs at line accuracy.
struct LineCount {
  std::uint64_t accesses = 0;      ///< line reads of operands
  std::uint64_t misses = 0;        ///< of those, lines not present
  std::uint64_t fetchedBytes = 0;  ///< `fetchBytes` per miss, less what of it is present
  std::uint64_t writtenBytes = 0;  ///< dirty lines that had to go (not the final flush)
};

inline LineCount countLines(const Tiling& tiling, std::uint32_t depthBytes, std::uint32_t stepBytes,
                            const WalkLayout& layout, std::span<const WorkgroupId> order,
                            std::uint32_t slots, bool stores, const L2Config& l2) {
  LineCache cache(l2.capacity_bytes, l2.ways, l2.line_bytes);
  LineCount count;
  const auto touchLine = [&](std::uint64_t address, bool write) {
    const auto result = cache.touch(address, write);
    if (result.wroteBack) count.writtenBytes += l2.line_bytes;
    return result.hit;
  };
  walkGemm(tiling, depthBytes, stepBytes, layout, order, slots, stores,
           [&](std::uint64_t address, std::uint32_t bytes, bool write) {
             const std::uint64_t line = l2.line_bytes;
             for (std::uint64_t at = address / line * line; at < address + bytes; at += line) {
               if (write) {
                 touchLine(at, true);
                 continue;
               }
               ++count.accesses;
               if (touchLine(at, false)) continue;
               ++count.misses;
               count.fetchedBytes += line;
               const std::uint64_t sector = at / l2.fetch_bytes * l2.fetch_bytes;
               for (std::uint64_t other = sector; other < sector + l2.fetch_bytes; other += line) {
                 if (other != at && !cache.holds(other)) {
                   touchLine(other, false);
                   count.fetchedBytes += line;
                 }
               }
             }
           });
  return count;
}

}  // namespace t3::test
