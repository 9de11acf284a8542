// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/rtl/track_trigger_bench.h"
#include "tests/rtl/unit_model.h"
#include "tlm/tracker/registers.h"

namespace t3::rtl_test {

extern const Unit kDefaultUnit;
/// Few slots, rows and places, where walks are short and queues overflow.
extern const Unit kTinyUnit;
/// One lane, sixteen banks, odd numbers of regions and windows, the widest weights and counts.
extern const Unit kNarrowUnit;
/// Sixteen lanes into two banks, sixteen regions, eight windows, more rows than a bank has slots.
extern const Unit kWideUnit;
/// Every parameter at its least.
extern const Unit kSmallestUnit;
/// Every parameter at its most.
extern const Unit kLargestUnit;

/// The tiny unit without rows.
extern const Unit kRowlessUnit;

/// The tiny unit, whose memories tests may change: not protected, with parity, with SECDED.
extern const Unit kPlainUnit, kParityUnit, kSecdedUnit;
/// The tiny unit with the checkers of hw/checkers bound to it.
extern const Unit kCheckedUnit;
/// The tiny unit in t3_tracker: with typed ports, and a gate in front of its clock.
extern const Unit kGatedUnit;
/// The default size with SECDED, whose memories tests may change.
extern const Unit kDefaultSecdedUnit;

/// A bench around a new unit of one of the sizes.
template <const Unit& kUnit>
class Bench : public TrackTriggerBench {
 public:
  Bench() : TrackTriggerBench(kUnit) {}
};

}  // namespace t3::rtl_test
