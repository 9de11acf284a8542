// SPDX-License-Identifier: Apache-2.0
#include "Vunit_checked.h"
#include "tests/rtl/units.h"
#include "tests/rtl/verilated_unit.h"

namespace t3::rtl_test {

constinit const Unit kCheckedUnit{
    .size = {.lanes = 4, .banks = 4, .wgWidth = 8, .wfWidth = 2, .commands = 64, .rows = 32},
    .make = makeUnit<Vunit_checked>};

}  // namespace t3::rtl_test
