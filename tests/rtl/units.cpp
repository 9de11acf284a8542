// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/units.h"

#include "Vunit_default_secded.h"
#include "Vunit_narrow.h"
#include "Vunit_none.h"
#include "Vunit_parity.h"
#include "Vunit_secded.h"
#include "Vunit_smallest.h"
#include "Vunit_tiny.h"
#include "Vunit_tiny_ways.h"
#include "Vunit_wide.h"
#include "tests/rtl/verilated_unit.h"

namespace t3::rtl_test {
namespace {

constexpr UnitSize kTinySize{
    .lanes = 4, .banks = 4, .wgWidth = 8, .wfWidth = 2, .commands = 64, .rows = 32};

}  // namespace

constinit const Unit kTinyUnit{.size = kTinySize, .make = makeUnit<Vunit_tiny>};
constinit const Unit kTinyWaysUnit{.size = kTinySize, .make = makeUnit<Vunit_tiny_ways>};
constinit const Unit kPlainUnit{.size = kTinySize, .make = makeUnit<Vunit_none>};
constinit const Unit kParityUnit{.size = kTinySize, .make = makeUnit<Vunit_parity>};
constinit const Unit kSecdedUnit{.size = kTinySize, .make = makeUnit<Vunit_secded>};
constinit const Unit kDefaultSecdedUnit{.size = {}, .make = makeUnit<Vunit_default_secded>};
constinit const Unit kNarrowUnit{.size = {.lanes = 1,
                                          .banks = 16,
                                          .wgWidth = 12,
                                          .addrWidth = 40,
                                          .regions = 3,
                                          .geometries = 3,
                                          .commands = 256,
                                          .rows = 64},
                                 .make = makeUnit<Vunit_narrow>};
constinit const Unit kWideUnit{.size = {.lanes = 16,
                                        .banks = 2,
                                        .wgWidth = 14,
                                        .addrWidth = 44,
                                        .regions = 16,
                                        .geometries = 4,
                                        .commands = 512,
                                        .rows = 512},
                               .make = makeUnit<Vunit_wide>};
constinit const Unit kSmallestUnit{.size = {.lanes = 1,
                                            .banks = 2,
                                            .wgWidth = 8,
                                            .wfWidth = 1,
                                            .addrWidth = 32,
                                            .regions = 1,
                                            .geometries = 1,
                                            .commands = 16,
                                            .rows = 16},
                                   .make = makeUnit<Vunit_smallest>};

}  // namespace t3::rtl_test
