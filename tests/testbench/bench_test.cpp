// SPDX-License-Identifier: Apache-2.0
// The tables of `bench`. Method: measurements made by hand, with known figures and units.
#include <gtest/gtest.h>

#include "testbench/commands/bench.h"

namespace t3::bench_test {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleValues) {
  const auto medianOfList = [](std::vector<double> values) {
    std::size_t next = 0;
    return medianOf(static_cast<unsigned>(values.size()), [&] { return values[next++]; });
  };
  EXPECT_EQ(medianOfList({5}), 5);
  EXPECT_EQ(medianOfList({9, 1, 5}), 5);
  EXPECT_EQ(medianOfList({9, 1}), 5);
  EXPECT_EQ(medianOfList({1, 100, 4, 2}), 3);
}

TEST(BenchTable, ShowsThreeDigitsInTheScaledUnitAndKeepsTheUnitInTheJson) {
  const BenchTable table{"name",
                         "title",
                         {{"rate", "1/s", "requests", 1e6, "M/s"}, {"share", "", "a share", 1, ""}},
                         {{"first", {12'345'678, 0.12345}},
                          {"second one", {999'600'000, 9.996}},
                          {"third", {99'960'000, 0.9996}}}};
  EXPECT_EQ(textOf(table, 200),
            "title\n"
            "              rate (M/s)  share\n"
            "  first             12.3  0.123\n"
            "  second one        1000  10.00\n"
            "  third            100.0  1.000\n"
            "\n");
  const boost::json::value json = jsonOf(table);
  EXPECT_EQ(json.at("rows").at(0).at("rate").as_double(), 12'345'678);
  EXPECT_EQ(json.at("columns").at(0).at("unit").as_string(), "1/s");
  EXPECT_EQ(json.at("columns").at(1).at("unit").as_string(), "");
}

}  // namespace
}  // namespace t3::bench_test
