// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/rtl/track_trigger_bench.h"
#include "tests/rtl/unit_model.h"
#include "tlm/tracker/registers.h"

namespace t3::rtl_test {

extern const Unit kDefaultUnit;
/// Two sets per bank of one way: almost everything spills.
extern const Unit kTinyUnit;
/// The same with sets of two ways.
extern const Unit kTinyWaysUnit;
/// One lane, more banks than wavefronts, odd numbers of regions and geometries.
extern const Unit kNarrowUnit;
/// Sixteen lanes into two banks: wavefront bits in the tag. Four ways.
extern const Unit kWideUnit;
/// Every parameter at its least.
extern const Unit kSmallestUnit;

/// The tiny unit with two ways, whose memories tests may change: not protected, with parity, with
/// SECDED.
extern const Unit kPlainUnit, kParityUnit, kSecdedUnit;
/// The tiny unit with two ways and the checkers of hw/checkers bound to it.
extern const Unit kCheckedUnit;
/// The default size with SECDED, whose memories tests may change.
extern const Unit kDefaultSecdedUnit;

/// A bench around a new unit of one of the sizes.
template <const Unit& kUnit>
class Bench : public TrackTriggerBench {
 public:
  Bench() : TrackTriggerBench(kUnit) {}
};

}  // namespace t3::rtl_test
