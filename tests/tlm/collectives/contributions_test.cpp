// SPDX-License-Identifier: Apache-2.0
// Method: sums of named input chunks, compared with what is added up on paper; sets of GPUs with
// those of the library.
#include "tlm/collectives/promise.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/support/seed.h"

namespace t3::contributions_test {
namespace {

using Term = Contributions::Term;

TEST(Contributions, ASumHasWhatItsTwoPartsHave) {
  const Contributions a = sum({5, GpuSet{0, 1}}, {2, GpuSet{3}}),
                      b = sum({7, GpuSet{0}}, {5, GpuSet{2}});
  const Contributions all = sum(a, b);
  EXPECT_EQ(all.terms(), (std::vector<Term>{{2, GpuSet{3}}, {5, GpuSet{0, 1, 2}}, {7, GpuSet{0}}}));
  EXPECT_EQ(all.count(), 5U);
  EXPECT_FALSE(all.repeats());
  EXPECT_EQ(all, sum(b, a));
}

TEST(Contributions, AnInputThatIsAddedTwiceIsRemembered) {
  const Contributions twice = sum({3, GpuSet{1, 2}}, {3, GpuSet{1}});
  EXPECT_TRUE(twice.repeats());
  EXPECT_TRUE(sum(twice, {4, GpuSet{0}}).repeats());
  EXPECT_FALSE(twice == Contributions(3, GpuSet{1, 2}));
  EXPECT_TRUE(sum({3, GpuSet{0}}, {3, GpuSet{0}}).repeats()) << "also that of GPU 0";
}

TEST(GpuSet, HoldsWhatASetHolds) {
  std::mt19937_64 random(test::seed(1));
  for (int i = 0; i < 1000; ++i) {
    std::set<std::uint32_t> model;
    GpuSet gpus;
    for (int adds = 0; adds < 12; ++adds) {
      const auto first = static_cast<std::uint32_t>(random() % 30);
      const std::uint32_t end = first + 1 + static_cast<std::uint32_t>(random() % 5);
      GpuSet more;
      bool common = false;
      for (std::uint32_t gpu = end; gpu-- != first;) {
        if (random() % 4 == 0) continue;
        EXPECT_FALSE(more.add({gpu}));
        common |= !model.insert(gpu).second;
      }
      EXPECT_EQ(gpus.add(more), common);
      EXPECT_EQ(gpus.count(), model.size());
    }
    auto at = model.begin();
    std::uint32_t before = ~0U;
    for (const auto& [first, end] : gpus.ranges()) {
      EXPECT_TRUE(first > before + 1 || before == ~0U) << "ranges that meet are one";
      for (std::uint32_t gpu = first; gpu < end; ++gpu) ASSERT_EQ(*at++, gpu);
      before = end - 1;
    }
    EXPECT_EQ(at, model.end());
  }
  EXPECT_EQ(GpuSet::firstOf(3), (GpuSet{2, 0, 1}));
}

TEST(Contributions, ArePrintedAsRangesOfGpus) {
  EXPECT_EQ(textOf({3, GpuSet{0, 1, 2, 5}}), "chunk 3 of GPUs 0-2,5");
  EXPECT_EQ(textOf({0, GpuSet{1023}}), "chunk 0 of GPU 1023");
  EXPECT_EQ(textOf(sum({1, GpuSet{0, 1}}, {1, GpuSet{1}})),
            "chunk 1 of GPUs 0-1, some of it more than once");
  Contributions many;
  for (std::uint32_t chunk = 0; chunk < 4; ++chunk) many = sum(many, {chunk, GpuSet{0}});
  const std::string four =
      "chunk 0 of GPU 0 + chunk 1 of GPU 0 + chunk 2 of GPU 0 + chunk 3 of GPU 0";
  EXPECT_EQ(textOf(many), four);
  EXPECT_EQ(textOf(sum(many, {4, GpuSet{0}})), four + " and 1 more");
}

TEST(Promise, AnAllReduceIsTheSumOfAllGpus) {
  EXPECT_EQ(kAllReducePromise.result(2, 0, 1, 5, 0), Contributions(5, GpuSet{0, 1}));
  const std::vector<GpuSet::Range> all = {{0, 1024}};
  EXPECT_EQ(kAllReducePromise.result(1024, 0, 0, 0, 0).terms().front().gpus.ranges(), all);
}

TEST(Promise, SharesAreThoseOfTheirGpus) {
  // Four GPUs with three chunks each.
  EXPECT_EQ(kReduceScatterPromise.result(4, 3, 2, 1, 0), Contributions(7, GpuSet{0, 1, 2, 3}));
  EXPECT_EQ(kAllGatherPromise.result(4, 3, 0, 7, 0), Contributions(1, GpuSet{2}));
  EXPECT_EQ(kAllToAllPromise.result(4, 3, 1, 10, 0), Contributions(4, GpuSet{3}));
  EXPECT_EQ(kBroadcastPromise.result(4, 3, 1, 10, 2), Contributions(10, GpuSet{2}));
}

}  // namespace
}  // namespace t3::contributions_test
