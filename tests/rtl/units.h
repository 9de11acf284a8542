// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Vunit_default.h"
#include "Vunit_narrow.h"
#include "Vunit_smallest.h"
#include "Vunit_tiny.h"
#include "Vunit_tiny_ways.h"
#include "Vunit_wide.h"
#include "tests/rtl/track_trigger_bench.h"

namespace t3::rtl_test {

// The sizes in which tests/rtl/CMakeLists.txt builds the unit.

struct DefaultUnit {
  using Model = Vunit_default;
  static constexpr UnitSize kSize{};
};
/// Two sets per bank of one way: almost everything spills.
struct TinyUnit {
  using Model = Vunit_tiny;
  static constexpr UnitSize kSize{
      .lanes = 4, .banks = 4, .wgWidth = 8, .wfWidth = 2, .commands = 64};
};
/// The same with sets of two ways.
struct TinyWaysUnit {
  using Model = Vunit_tiny_ways;
  static constexpr UnitSize kSize = TinyUnit::kSize;
};
/// One lane, more banks than wavefronts, odd numbers of regions and geometries.
struct NarrowUnit {
  using Model = Vunit_narrow;
  static constexpr UnitSize kSize{.lanes = 1,
                                  .banks = 16,
                                  .wgWidth = 12,
                                  .addrWidth = 40,
                                  .regions = 3,
                                  .geometries = 3,
                                  .commands = 256};
};
/// Sixteen lanes into two banks: wavefront bits in the tag. Four ways.
struct WideUnit {
  using Model = Vunit_wide;
  static constexpr UnitSize kSize{.lanes = 16,
                                  .banks = 2,
                                  .wgWidth = 14,
                                  .addrWidth = 44,
                                  .regions = 16,
                                  .geometries = 4,
                                  .commands = 512};
};

/// Every parameter at its least.
struct SmallestUnit {
  using Model = Vunit_smallest;
  static constexpr UnitSize kSize{.lanes = 1,
                                  .banks = 2,
                                  .wgWidth = 8,
                                  .wfWidth = 1,
                                  .addrWidth = 32,
                                  .regions = 1,
                                  .geometries = 1,
                                  .commands = 16};
};

template <class Unit>
class Bench : public TrackTriggerBench<typename Unit::Model> {
 public:
  Bench() : TrackTriggerBench<typename Unit::Model>(Unit::kSize) {}
};

}  // namespace t3::rtl_test
