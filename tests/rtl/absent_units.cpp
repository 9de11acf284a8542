// SPDX-License-Identifier: Apache-2.0
// For a program with the unit at its default size alone: the other sizes that its tests name, and a
// filter that leaves those tests out.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "tests/rtl/unit_sizes.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

std::unique_ptr<UnitModel> absent() {
  throw std::runtime_error(
      "this program has the unit at its default size alone; rtl_tests has all");
}

// Before main() reads the command line, which may say something else.
[[maybe_unused]] const bool kFiltered = [] {
  testing::GTEST_FLAG(filter) = T3_TESTS_OF_DEFAULT_SIZE;
  return true;
}();

}  // namespace

constinit const Unit kTinyUnit{.size = kTinySize, .make = absent};
constinit const Unit kPlainUnit{.size = kTinySize, .make = absent};
constinit const Unit kParityUnit{.size = tinySize(1), .make = absent};
constinit const Unit kSecdedUnit{.size = tinySize(2), .make = absent};
constinit const Unit kDefaultSecdedUnit{.size = {.protection = 2}, .make = absent};
constinit const Unit kNarrowUnit{.size = kNarrowSize, .make = absent};
constinit const Unit kWideUnit{.size = kWideSize, .make = absent};
constinit const Unit kSmallestUnit{.size = kSmallestSize, .make = absent};
constinit const Unit kLargestUnit{.size = kLargestSize, .make = absent};

}  // namespace t3::rtl_test
