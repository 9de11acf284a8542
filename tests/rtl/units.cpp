// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/units.h"

#include "Vunit_default_secded.h"
#include "Vunit_gated.h"
#include "Vunit_largest.h"
#include "Vunit_narrow.h"
#include "Vunit_none.h"
#include "Vunit_parity.h"
#include "Vunit_rowless.h"
#include "Vunit_secded.h"
#include "Vunit_smallest.h"
#include "Vunit_tiny.h"
#include "Vunit_wide.h"
#include "tests/rtl/unit_sizes.h"
#include "tests/rtl/verilated_unit.h"

namespace t3::rtl_test {

constinit const Unit kTinyUnit{.size = kTinySize, .make = makeUnit<Vunit_tiny>};
constinit const Unit kGatedUnit{.size = kTinySize, .make = makeUnit<Vunit_gated>};
constinit const Unit kRowlessUnit{.size = kRowlessSize, .make = makeUnit<Vunit_rowless>};
constinit const Unit kPlainUnit{.size = kTinySize, .make = makeUnit<Vunit_none>};
constinit const Unit kParityUnit{.size = tinySize(1), .make = makeUnit<Vunit_parity>};
constinit const Unit kSecdedUnit{.size = tinySize(2), .make = makeUnit<Vunit_secded>};
constinit const Unit kDefaultSecdedUnit{.size = {.protection = 2},
                                        .make = makeUnit<Vunit_default_secded>};
constinit const Unit kNarrowUnit{.size = kNarrowSize, .make = makeUnit<Vunit_narrow>};
constinit const Unit kWideUnit{.size = kWideSize, .make = makeUnit<Vunit_wide>};
constinit const Unit kSmallestUnit{.size = kSmallestSize, .make = makeUnit<Vunit_smallest>};
constinit const Unit kLargestUnit{.size = kLargestSize, .make = makeUnit<Vunit_largest>};

}  // namespace t3::rtl_test
