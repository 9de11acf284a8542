// SPDX-License-Identifier: Apache-2.0
// Method: a kernel that loads what the test says and stores every sum in its own memory; the test
// counts how many requests find registers.
#include "tlm/gpu/collective_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/error_of.h"
#include "tests/support/test_memory.h"

namespace t3::collective_requests_test {
namespace {

constexpr std::uint32_t kBytes = 8192;  ///< of a request; all registers hold eight

GpuConfig small() {
  GpuConfig config;
  config.compute_units = 4;
  config.collective.outstanding_bytes_per_cu = 2 * kBytes;
  return config;
}

class Kernel : public sc_core::sc_module, public CollectiveRequests {
 public:
  Kernel(std::size_t threadBlocks, std::size_t senders)
      : Kernel({threadBlocks, senders}, small()) {}
  Kernel(Blocks blocks, const GpuConfig& config)
      : sc_module(sc_core::sc_module_name("kernel")),
        CollectiveRequests({"kernel", {GpuId{0}, DataType::Fp16, DataMode::Elided, pool}}, config,
                           Protocol::Ll, 0, blocks),
        store_("store", 300'000, 1000) {
    memory.socket.bind(store_.target);
  }

  void breakMemory() { store_.brokenFrom = 0; }

  /// One request of a thread block.
  void request(std::uint32_t threadBlock, std::uint32_t bytes, Picoseconds pace = 0) {
    const auto number = begin(threadBlock, bytes, 1, true, pace);
    ASSERT_TRUE(number);
    load(*number, 0, *number * std::uint64_t{kBytes}, {Phase::ReduceScatter});
  }

  /// Two requests of a thread block; the second one's load comes back first.
  void requestTwoLoadedBackwards(std::uint32_t threadBlock, std::uint32_t bytes) {
    const auto first = begin(threadBlock, bytes, 1, true, 500 * Picoseconds{bytes});
    const auto second = begin(threadBlock, bytes, 1, true, 500 * Picoseconds{bytes});
    ASSERT_TRUE(first && second);
    for (const std::uint32_t number : {*second, *first}) {
      load(number, 0, number * std::uint64_t{kBytes}, {Phase::ReduceScatter});
    }
  }

  /// How many requests of one copy find registers now. They are loaded and stored.
  std::size_t requests(std::uint32_t threadBlock, bool sends) {
    std::size_t count = 0;
    for (; const auto request = begin(threadBlock, kBytes, 1, sends); ++count) {
      load(*request, 0, *request * std::uint64_t{kBytes}, {Phase::ReduceScatter});
    }
    return count;
  }
  void run() {
    sc_core::sc_start();
    EXPECT_TRUE(requestsIdle());
    EXPECT_EQ(outstanding(), 0U);
    EXPECT_EQ(pool.inUse(), 0U);
  }

  std::size_t ended = 0;
  std::vector<Picoseconds> stored;
  std::vector<std::uint32_t> order;  ///< requests, as they stored

 private:
  void storeSum(std::uint32_t request) override {
    stored.push_back(now());
    order.push_back(request);
    storeLocal(request, 0x100000 + request * std::uint64_t{kBytes}, {Phase::ReduceScatter});
  }
  void requestEnded(std::uint32_t /*request*/) override { ++ended; }

  inline static PayloadPool pool;
  test::TestMemory store_;
};

TEST(CollectiveRequests, AKernelThatSendsNothingUsesAllRegisters) {
  Kernel kernel(2, 0);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(kernel.requests(0, false), 8U);
  EXPECT_EQ(kernel.requests(1, false), 0U);
  kernel.run();
  EXPECT_EQ(kernel.ended, 8U);
  EXPECT_EQ(kernel.statistics().localStoreBytes, 8 * kBytes);
  EXPECT_EQ(kernel.statistics().peakOutstandingBytes, 8 * kBytes);
}

TEST(CollectiveRequests, AThreadBlockThatSendsUsesNoMoreThanItsShare) {
  Kernel kernel(3, 2);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(kernel.requests(0, true), 4U);
  EXPECT_EQ(kernel.requests(2, false), 4U) << "what sends nothing has no share to keep to";
  EXPECT_EQ(kernel.requests(1, true), 0U);
  kernel.run();
  EXPECT_EQ(kernel.requests(1, true), 4U);
  kernel.run();
  EXPECT_EQ(kernel.ended, 12U);
}

// Loads end after 300,000 ps and 1 ps a byte, one after another.
TEST(CollectiveRequests, AThreadBlockOfItsOwnStoresAtItsPace) {
  Kernel kernel({.all = 2, .own = true}, small());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  kernel.request(0, 1024, 2'000'000);
  kernel.request(0, 1024, 500'000);
  kernel.request(1, 100, 30'000);
  kernel.run();
  const Picoseconds first = 301'024 + 2'000'000;
  EXPECT_EQ(kernel.stored, (std::vector<Picoseconds>{302'148 + 30'000,  // of another block
                                                     first, first + 500'000}));
}

// The load of the second ends after 301,024 ps, that of the first 1,024 ps later.
TEST(CollectiveRequests, AThreadBlockOfItsOwnStoresInTheOrderOfItsRequests) {
  Kernel kernel({.all = 1, .own = true}, small());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  kernel.requestTwoLoadedBackwards(0, 1024);
  kernel.run();
  EXPECT_EQ(kernel.order, (std::vector<std::uint32_t>{0, 1}));
  const Picoseconds first = 302'048 + 1024 * 500;
  EXPECT_EQ(kernel.stored, (std::vector<Picoseconds>{first, first + 1024 * 500}));
}

TEST(CollectiveRequests, ALoadThatTheMemoryDoesNotGiveEndsTheRun) {
  Kernel kernel(1, 1);
  kernel.breakMemory();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  kernel.request(0, 1024);
  EXPECT_THAT(test::errorOf([&] { kernel.run(); }), testing::HasSubstr("memory: a read of "));
}

TEST(CollectiveRequests, EachThreadBlockOfItsOwnHasTheRegistersOfAComputeUnit) {
  Kernel kernel({.all = 3, .own = true}, small());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint32_t block = 0; block < 3; ++block) {
    EXPECT_EQ(kernel.requests(block, block == 0), 2U) << block;
  }
  kernel.run();
}

}  // namespace
}  // namespace t3::collective_requests_test
