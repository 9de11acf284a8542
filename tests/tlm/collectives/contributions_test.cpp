// SPDX-License-Identifier: Apache-2.0
// Method: sums of named input chunks, compared with what is added up on paper.
#include "tlm/collectives/contributions.h"

#include <gtest/gtest.h>

#include "tlm/collectives/promise.h"

namespace t3 {
namespace {

using Term = Contributions::Term;

TEST(Contributions, ASumHasWhatItsTwoPartsHave) {
  const Contributions a = sum({5, 0b0011}, {2, 0b1000}), b = sum({7, 0b0001}, {5, 0b0100});
  const Contributions all = sum(a, b);
  EXPECT_EQ(all.terms(), (std::vector<Term>{{2, 0b1000}, {5, 0b0111}, {7, 0b0001}}));
  EXPECT_EQ(all.count(), 5U);
  EXPECT_FALSE(all.repeats());
  EXPECT_EQ(all, sum(b, a));
}

TEST(Contributions, AnInputThatIsAddedTwiceIsRemembered) {
  const Contributions twice = sum({3, 0b0110}, {3, 0b0010});
  EXPECT_TRUE(twice.repeats());
  EXPECT_TRUE(sum(twice, {4, 1}).repeats());
  EXPECT_FALSE(twice == Contributions(3, 0b0110));
  EXPECT_TRUE(sum({3, 0b0001}, {3, 0b0001}).repeats()) << "also that of GPU 0";
}

TEST(Contributions, ArePrintedAsRangesOfGpus) {
  EXPECT_EQ(textOf({3, 0b100111}), "chunk 3 of GPUs 0-2,5");
  EXPECT_EQ(textOf({0, std::uint64_t{1} << 63}), "chunk 0 of GPU 63");
  EXPECT_EQ(textOf(sum({1, 0b11}, {1, 0b10})), "chunk 1 of GPUs 0-1, some of it more than once");
  Contributions many;
  for (std::uint32_t chunk = 0; chunk < 4; ++chunk) many = sum(many, {chunk, 1});
  const std::string four =
      "chunk 0 of GPU 0 + chunk 1 of GPU 0 + chunk 2 of GPU 0 + chunk 3 of GPU 0";
  EXPECT_EQ(textOf(many), four);
  EXPECT_EQ(textOf(sum(many, {4, 1})), four + " and 1 more");
}

TEST(Promise, AnAllReduceIsTheSumOfAllGpus) {
  EXPECT_EQ(kAllReducePromise.result(2, 0, 1, 5, 0), Contributions(5, 0b11));
  EXPECT_EQ(kAllReducePromise.result(63, 0, 0, 0, 0), Contributions(0, ~std::uint64_t{0} >> 1));
  EXPECT_EQ(kAllReducePromise.result(64, 0, 0, 0, 0), Contributions(0, ~std::uint64_t{0}));
}

TEST(Promise, SharesAreThoseOfTheirGpus) {
  // Four GPUs with three chunks each.
  EXPECT_EQ(kReduceScatterPromise.result(4, 3, 2, 1, 0), Contributions(7, 0b1111));
  EXPECT_EQ(kAllGatherPromise.result(4, 3, 0, 7, 0), Contributions(1, 0b0100));
  EXPECT_EQ(kAllToAllPromise.result(4, 3, 1, 10, 0), Contributions(4, 0b1000));
  EXPECT_EQ(kBroadcastPromise.result(4, 3, 1, 10, 2), Contributions(10, 0b0100));
}

}  // namespace
}  // namespace t3
