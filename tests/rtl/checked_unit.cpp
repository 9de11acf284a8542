// SPDX-License-Identifier: Apache-2.0
#include "Vunit_checked.h"
#include "tests/rtl/unit_sizes.h"
#include "tests/rtl/units.h"
#include "tests/rtl/verilated_unit.h"

namespace t3::rtl_test {

constinit const Unit kCheckedUnit{.size = kTinySize, .make = makeUnit<Vunit_checked>};

}  // namespace t3::rtl_test
