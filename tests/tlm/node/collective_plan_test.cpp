// SPDX-License-Identifier: Apache-2.0
// What a machine needs for a collective from a file. Method: two GPUs exchange halves in place. A
// kernel lets the half that arrives wait in a staging buffer, the tracker adds it in place.
#include "tlm/node/collective_plan.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/tlm/collectives/algorithms.h"

namespace t3 {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

SystemConfig machine(std::uint64_t bytes, std::uint32_t gibibytes) {
  SystemConfig config;
  config.gpus = 2;
  config.hbm.capacity_gib = gibibytes;
  config.tracker.command_slots = 1 << 14;
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

TEST(CollectivePlan, BuffersMayFillTheMemoryWhereNoTrackerWorks) {
  EXPECT_EQ(refusal(2 * kGiB, 3, false), "");
  const std::string text = refusal(2 * kGiB + 128, 3, false);
  EXPECT_TRUE(text.starts_with("collective.bytes: expected buffers that fit into the 3 GiB"))
      << text;
}

TEST(CollectivePlan, TheTrackersRecordsNeedRoomBehindTheBuffers) {
  const Algorithm algorithm = test::exchange();
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const CollectivePlan plan(machine(kGiB / 2, 1), meaning, true);
  const MemoryLayout records = plan.records(0);
  const std::uint64_t each = std::uint64_t{2} * plan.grid().slices() * 8 * 32;
  EXPECT_EQ(plan.memoryEnd(0), kGiB / 2);
  EXPECT_EQ(records.spill, kGiB / 2);
  EXPECT_GE(records.arrivalSpill, records.spill + each);
  EXPECT_EQ(records.end, records.arrivalSpill + each);
  const std::string text = refusal(kGiB, 1, true);
  EXPECT_TRUE(text.starts_with(
      "collective.bytes: expected buffers and tracker records that fit into the 1 GiB"))
      << text;
}

}  // namespace
}  // namespace t3
