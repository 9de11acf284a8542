// SPDX-License-Identifier: Apache-2.0
// Method: a kernel that loads what the test says and stores every sum in its own memory; the test
// counts how many requests find registers.
#include "tlm/gpu/collective_requests.h"

#include <gtest/gtest.h>

#include "tests/tlm/gpu/test_memory.h"

namespace t3 {
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
      : sc_module(sc_core::sc_module_name("kernel")),
        CollectiveRequests({"kernel", GpuId{0}, DataType::Fp16, DataMode::Elided}, small(), 0,
                           threadBlocks, senders, pool),
        store("store", 300'000, 1000) {
    memory.socket.bind(store.target);
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

 private:
  void storeSum(std::uint32_t request) override {
    storeLocal(request, 0x100000 + request * std::uint64_t{kBytes}, {Phase::ReduceScatter});
  }
  void requestEnded(std::uint32_t /*request*/) override { ++ended; }

  inline static PayloadPool pool;
  test::TestMemory store;
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

}  // namespace
}  // namespace t3
