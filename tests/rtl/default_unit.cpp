// SPDX-License-Identifier: Apache-2.0
// A file of its own: tests of the netlist put another class of this name in its place.
#include "Vunit_default.h"
#include "tests/rtl/units.h"
#include "tests/rtl/verilated_unit.h"

namespace t3::rtl_test {

constinit const Unit kDefaultUnit{.size = {}, .make = makeUnit<Vunit_default>};

}  // namespace t3::rtl_test
