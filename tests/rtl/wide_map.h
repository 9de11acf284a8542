// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rtl_test/random.h"
#include "tests/rtl/track_trigger_bench.h"

namespace t3::rtl_test {

/// Eight regions over all workgroups and pages, in two geometries, with bases of their own.
struct WideMap {
  static constexpr std::uint32_t kRegions = 8;
  static constexpr std::uint32_t kWorkgroups = 0x10000 / kRegions;  ///< of a region
  static constexpr std::uint32_t kSlots = 4096;

  std::uint32_t cmdBase[kRegions];
  TrackTriggerBench::Geometry geometry[2];

  WideMap(TrackTriggerBench& bench, Random& random) {
    for (auto& grid : geometry) grid.tilesAcross = grid.tilesDown = 256;
    place(random);
    for (std::uint32_t i = 0; i < kRegions; ++i) {
      cmdBase[i] = random.below(kSlots);
      TrackTriggerBench::Region region;
      region.geometry = i % 2;
      region.wgFirst = i * kWorkgroups;
      region.wgLast = region.wgFirst + kWorkgroups - 1;
      region.cmdBase = cmdBase[i];
      region.notify = true;
      bench.program(i, region);
    }
  }
  /// New places of the record tables, and new epochs; the next expect() programs them.
  void place(Random& random) {
    const std::uint64_t base = std::uint64_t{random.below(1u << 24)} << 24;
    const std::uint32_t epoch = random.below(0x10000);
    geometry[0].spillBase = base;
    geometry[1].spillBase = base ^ 0xffff'ff00'0000;
    geometry[0].epoch = epoch;
    geometry[1].epoch = epoch ^ 0xffff;
  }
  void expect(TrackTriggerBench& bench, std::uint32_t bytes) {
    for (std::uint32_t g = 0; g < 2; ++g) {
      for (auto& tileClass : geometry[g].expected) tileClass.fill(bytes);
      bench.program(g, geometry[g]);
    }
  }
  std::uint32_t slot(std::uint32_t wg) const {
    return (cmdBase[wg / kWorkgroups] + wg % kWorkgroups) % kSlots;
  }
};

}  // namespace t3::rtl_test
