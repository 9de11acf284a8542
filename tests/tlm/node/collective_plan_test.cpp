// SPDX-License-Identifier: Apache-2.0
// What a machine needs for a collective from a file. Method: two GPUs exchange halves in place. A
// kernel lets the half that arrives wait in a staging buffer, the tracker adds it in place.
#include "tlm/node/collective_plan.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/tlm/collectives/algorithms.h"

namespace t3::collective_plan_test {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

SystemConfig machine(std::uint64_t bytes, std::uint32_t gibibytes) {
  SystemConfig config;
  config.gpus = 2;
  config.hbm.capacity_gib = gibibytes;
  config.collective.bytes = bytes;
  return config;
}

std::string refusal(std::uint64_t bytes, std::uint32_t gibibytes, bool tracked) {
  const Algorithm algorithm = test::exchange();
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  try {
    const CollectivePlan plan(machine(bytes, gibibytes), meaning, tracked);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(CollectivePlan, BuffersMayFillTheMemoryAndNotMore) {
  for (const bool tracked : {false, true}) {
    // A kernel has a staging buffer of half the size.
    const std::uint32_t gibibytes = tracked ? 2 : 3;
    EXPECT_EQ(refusal(2 * kGiB, gibibytes, tracked), "");
    const std::string text = refusal(2 * kGiB + 128, gibibytes, tracked);
    EXPECT_TRUE(text.starts_with("collective.bytes: expected buffers that fit into the " +
                                 std::to_string(gibibytes) + " GiB"))
        << text;
  }
}

TEST(CollectivePlan, TooLargeBuffersAreNamedWhereOneGpuStandsForAll) {
  const Algorithm algorithm = test::exchange();
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  SystemConfig config = machine(1024 * kGiB, 16);
  config.simulated_gpus = GpuSimulation::Symmetric;
  const std::string text = CollectivePlan::check(config, meaning, Mode::Sequential).value_or("");
  EXPECT_TRUE(text.starts_with("collective.bytes: expected buffers that fit into the 16 GiB"))
      << text;
}

TEST(CollectivePlan, EachChunkThatComesNeedsSlots) {
  EXPECT_EQ(refusal(8 * kGiB, 64, true), "");
  const std::string text = refusal(8 * kGiB + 128, 64, true);
  EXPECT_TRUE(text.starts_with("tracker.slots: expected at least 4098")) << text;
}

}  // namespace
}  // namespace t3::collective_plan_test
