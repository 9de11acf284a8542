// SPDX-License-Identifier: Apache-2.0
// Method: random reads, writes and updates from several initiators against a golden memory that
// knows nothing of channels: updates are integer additions, which commute, so the sum is right
// exactly if none is lost, doubled or torn.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "tests/support/plain_memory.h"
#include "tests/support/seed.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::hbm_data_test {
namespace {

std::vector<unsigned char> words(const std::vector<std::int32_t>& values) {
  std::vector<unsigned char> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Adds from three initiators at once into one small area, so that most updates meet others. Each
/// seed goes on with the sums of the one before, `requests` from each initiator, and is compared.
void expectSumsOfConcurrentUpdates(HbmStack& hbm, std::uint64_t firstSeed, std::uint64_t seeds,
                                   std::uint64_t requests) {
  PayloadPool pool;
  constexpr std::size_t kWords = 2048;
  std::vector<std::int32_t> golden(kWords), stored(kWords);
  std::mt19937_64 random;
  std::vector<std::unique_ptr<TestInitiator>> initiators;
  std::array<std::uint64_t, 3> left{};
  std::uint64_t updates = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    initiators.push_back(
        std::make_unique<TestInitiator>(("initiator" + std::to_string(i)).c_str(), pool));
    TestInitiator& initiator = *initiators.back();
    initiator.port.socket.bind(hbm.target);
    initiator.window = 64;
    initiator.next = [&, i](Access& access) {
      if (left[i] == 0) return false;
      --left[i];
      const std::size_t count = 1 + random() % 128;
      const std::size_t first = random() % (kWords - count);
      if (random() % 4 == 0) {
        access = readOf(first * 4, static_cast<std::uint32_t>(count * 4));
        access.wantData = true;
      } else {
        access = updateOf(first * 4, static_cast<std::uint32_t>(count * 4));
        access.dataType = DataType::Int32;
        std::vector<std::int32_t> addends(count);
        for (std::size_t w = 0; w < count; ++w) {
          addends[w] = static_cast<std::int32_t>(random());
          golden[first + w] =
              static_cast<std::int32_t>(static_cast<std::uint32_t>(golden[first + w]) +
                                        static_cast<std::uint32_t>(addends[w]));
        }
        access.data = words(addends);
        ++updates;
      }
      access.stream = i == 0 ? Stream::Compute : Stream::Communication;
      return true;
    };
  }
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(0);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(stored.data()));
  payload.set_data_length(kWords * 4);
  for (std::uint64_t n = 1; n <= seeds; ++n) {
    random.seed(firstSeed + n - 1);
    left.fill(requests);
    for (auto& initiator : initiators) initiator->start();
    sc_core::sc_start();
    for (auto& initiator : initiators) ASSERT_EQ(initiator->answeredAt.size(), n * requests);
    ASSERT_TRUE(hbm.idle());
    ASSERT_EQ(initiators[0]->port.socket->transport_dbg(payload), kWords * 4);
    ASSERT_EQ(stored, golden) << "seed " << firstSeed + n - 1;
  }
  EXPECT_GT(updates, 2 * seeds * requests);
}

TEST(HbmData, ConcurrentUpdatesAreAtomic) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  expectSumsOfConcurrentUpdates(hbm, seed(11), 1, 3000);
}

TEST(HbmData, ConcurrentUpdatesAreAtomicWithoutNearMemoryAlusToo) {
  HbmConfig config;
  config.near_memory = false;
  HbmStack hbm("hbm", config, 8);
  expectSumsOfConcurrentUpdates(hbm, seed(11), 1, 3000);
}

TEST(HbmData, SumsAreAGoldenMemorysForThousandsOfSeeds) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  expectSumsOfConcurrentUpdates(hbm, seed(1000), 3000, 40);
}

TEST(HbmData, ConcurrentUpdatesAreAtomicInAPlainMemoryThatReorders) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  PipelinedMemory memory("memory", seed(12));
  memory.shuffled = true;
  hbm.memory().bind(memory.socket);
  expectSumsOfConcurrentUpdates(hbm, seed(11), 1, 3000);
  EXPECT_GT(memory.mostInFlight, 20u);
}

TEST(HbmData, TimingDoesNotDependOnWhetherDataIsCarried) {
  // Two stacks in one simulation, the same random requests, one with and one without data.
  PayloadPool pool;
  HbmStack checked("checked", HbmConfig{}, 8), elided("elided", HbmConfig{}, 8);
  TestInitiator withData("withData", pool), without("without", pool);
  withData.port.socket.bind(checked.target);
  without.port.socket.bind(elided.target);
  const std::uint64_t first = seed(5);
  for (TestInitiator* initiator : {&withData, &without}) {
    initiator->window = 100;
    initiator->next = [=, random = std::mt19937_64(first), left = 5000](Access& access) mutable {
      if (left == 0) return false;
      --left;
      const auto bytes = static_cast<std::uint32_t>(2 + random() % 500 / 2 * 2);
      const std::uint64_t address = random() % 100000 * 2;
      const std::uint64_t kind = random() % 3;
      access = kind == 0   ? readOf(address, bytes)
               : kind == 1 ? writeOf(address, bytes)
                           : updateOf(address, bytes);
      if (initiator->name()[0] == 'w' && std::strcmp(initiator->name(), "withData") == 0) {
        access.wantData = true;
        if (kind != 0) access.data.assign(bytes, 1);
      }
      return true;
    };
    initiator->start();
  }
  sc_core::sc_start();
  EXPECT_EQ(withData.answeredAt.size(), 5000u);
  EXPECT_EQ(withData.answeredAt, without.answeredAt);
}

TEST(HbmData, WithoutNearMemoryAnUpdateCostsAReadAnAdditionAndAWrite) {
  HbmConfig config;
  config.channels = 1;
  config.capacity_gib = 1;
  config.refresh = RefreshMode::Off;
  config.near_memory = false;
  Bench bench(config);
  bench.initiator.send(updateOf(0, 32));
  sc_core::sc_start();
  const HbmTiming& t = config.timing;
  const double readData = t.rcd_rd_ns + t.cl_ns + 1;
  EXPECT_EQ(bench.initiator.last(), picosecondsFromNs(readData + config.controller_add_ns +
                                                      t.wl_ns + 1 + config.response_latency_ns));
  const auto& commands = bench.hbm.statistics().commands;
  EXPECT_EQ(commands[indexOf(DramCommandKind::Read)], 1u);
  EXPECT_EQ(commands[indexOf(DramCommandKind::Write)], 1u);
  EXPECT_EQ(commands[indexOf(DramCommandKind::Update)], 0u);
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, true), 32u) << "still counts once";
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, false), 0u);
}

}  // namespace
}  // namespace t3::test::hbm_data_test
