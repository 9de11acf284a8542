// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/stack_shares.h"

#include <gtest/gtest.h>

#include <numeric>

namespace t3::stack_shares_test {
namespace {

TEST(StackShares, AreTheBytesThatTheMapPutsIntoTheChannelsOfEachStack) {
  for (const std::uint32_t channels : {80U, 96U}) {
    HbmConfig config;
    config.channels = channels;
    for (const std::uint32_t stacks : {1U, 2U, 4U, 5U, 8U}) {
      config.stacks = stacks;
      if (config.check()) continue;
      const StackShares shares(config);
      const AddressMapping mapping(config);
      StackShares::Bytes got{}, expected{};
      constexpr std::uint64_t kFirst = 12'345, kBytes = 100'001;
      shares.add(kFirst, kBytes, got);
      for (std::uint64_t at = kFirst; at < kFirst + kBytes; ++at) {
        ++expected[mapping.locate(at).channel.value * stacks / channels];
      }
      EXPECT_EQ(got, expected) << channels << " channels, " << stacks << " stacks";
      EXPECT_EQ(std::accumulate(got.begin(), got.end(), std::uint64_t{0}), kBytes);
    }
  }
}

TEST(StackShares, StacksDivideTheChannels) {
  HbmConfig config;
  config.channels = 24;
  for (const std::uint32_t stacks : {1U, 2U, 3U, 4U, 6U, 8U}) {
    config.stacks = stacks;
    EXPECT_EQ(config.check(), std::nullopt) << stacks;
  }
  for (const std::uint32_t stacks : {5U, 7U}) {
    config.stacks = stacks;
    EXPECT_EQ(config.check(), "stacks: expected a number that divides hbm.channels = 24, got " +
                                  std::to_string(stacks));
  }
}

}  // namespace
}  // namespace t3::stack_shares_test
