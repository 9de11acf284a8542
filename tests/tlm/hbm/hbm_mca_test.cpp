// SPDX-License-Identifier: Apache-2.0
// Method: compute and communication compete for one channel under each arbitration policy; order,
// latency and throughput of the two streams are compared with what each policy promises.
#include <gtest/gtest.h>

#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::hbm_mca_test {
namespace {

using Arrival = ChannelHarness::Arrival;

HbmConfig with(const ArbitrationPolicy& policy) {
  HbmConfig config = oneChannel();
  config.arbitration = policy;
  config.refresh = RefreshMode::Off;
  config.bank_hash = config.group_hash = false;
  return config;
}

/// Where communication lies: two banks away from compute, so that the streams do not close each
/// other's rows.
constexpr std::uint64_t kCommunication = (1u << 28) + 2 * 8192;

/// `n` compute and `n` communication reads, all waiting from the start.
std::vector<Arrival> bothAtOnce(std::uint32_t n) {
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 0; i < n; ++i) {
    arrivals.push_back({.address = i * 256ull, .bytes = 256, .stream = Stream::Compute});
    arrivals.push_back(
        {.address = kCommunication + i * 256ull, .bytes = 256, .stream = Stream::Communication});
  }
  return arrivals;
}

/// Communication pieces among the first `n` served.
std::size_t communicationAmong(const ChannelHarness& one, std::size_t n) {
  return static_cast<std::size_t>(
      std::count_if(one.served().begin(), one.served().begin() + static_cast<std::ptrdiff_t>(n),
                    [](const auto& s) { return s.arrival.stream == Stream::Communication; }));
}

/// Mean nanoseconds from arrival to data of one stream.
double meanLatency(const ChannelHarness& one, Stream stream) {
  double sum = 0, count = 0;
  for (const auto& served : one.served()) {
    if (served.arrival.stream != stream) continue;
    sum += static_cast<double>(served.dataEnd) * 1e-3 - static_cast<double>(served.arrival.at);
    ++count;
  }
  return sum / count;
}

TEST(HbmArbitration, RoundRobinServesBothStreamsAlike) {
  ChannelHarness one(with(kRoundRobinArbitration));
  one.run(bothAtOnce(500));
  EXPECT_NEAR(static_cast<double>(communicationAmong(one, 400)), 200, 10);
}

TEST(HbmArbitration, ComputeFirstServesCommunicationOnlyAtTheStarvationLimit) {
  HbmConfig config = with(kComputeFirstArbitration);
  config.starvation_limit_ns = 400;
  ChannelHarness one(config);
  one.run(bothAtOnce(500));
  // 500 compute pieces take 4000 ns: ten limits.
  EXPECT_NEAR(static_cast<double>(communicationAmong(one, 500)), 10, 2);
}

TEST(HbmArbitration, CommFirstServesCommunicationBeforeAnyWaitingCompute) {
  ChannelHarness one(with(kCommFirstArbitration));
  one.run(bothAtOnce(500));
  EXPECT_GT(communicationAmong(one, 500), 495u);
}

TEST(Mca, CommunicationEntersOnlyBelowTheThreshold) {
  for (const std::uint32_t threshold : {5u, 10u, 30u}) {
    HbmConfig config = with(kMcaArbitration);
    config.starvation_limit_ns = 1e6;
    config.mca.threshold_default_bursts = threshold;
    ChannelHarness one(config);
    one.arbitration().kernelBegins(0);
    // Only communication: a new piece enters whenever the queue has drained below the threshold,
    // so it never holds more than that plus one piece.
    std::vector<Arrival> arrivals;
    for (std::uint32_t i = 0; i < 500; ++i) {
      arrivals.push_back({.address = i * 256ull, .bytes = 256, .stream = Stream::Communication});
    }
    one.run(arrivals);
    ASSERT_EQ(one.served().size(), 500u);
    const auto& occupancy = one.statistics().occupancy;
    std::uint64_t below = 0, above = 0;
    for (std::size_t i = 0; i < occupancy.size(); ++i)
      (i < threshold ? below : above) += occupancy[i];
    EXPECT_EQ(below, 500u) << threshold;
    EXPECT_EQ(above, 0u) << threshold;
  }
}

TEST(Mca, KeepsComputeLatencyNearItsUnloadedValueUnderCommunicationBursts) {
  // Compute reads at a third of the bandwidth; communication comes in bursts of 32 pieces.
  const auto latency = [](const ArbitrationPolicy& policy, bool communication) {
    HbmConfig config = with(policy);
    config.mca.threshold_default_bursts = 5;
    ChannelHarness one(config);
    one.arbitration().kernelBegins(0);
    std::vector<Arrival> arrivals;
    for (std::uint32_t i = 0; i < 3000; ++i) {
      arrivals.push_back({.at = i * 24, .address = i * 256ull, .bytes = 256});
      if (communication && i % 64 == 0) {
        for (std::uint32_t n = 0; n < 32; ++n) {
          arrivals.push_back({.at = i * 24,
                              .address = kCommunication + (i / 64 * 32 + n) * 256ull,
                              .bytes = 256,
                              .stream = Stream::Communication});
        }
      }
    }
    one.run(arrivals);
    EXPECT_EQ(one.served().size(), arrivals.size());
    return meanLatency(one, Stream::Compute);
  };
  const double alone = latency(kMcaArbitration, false);
  const double mca = latency(kMcaArbitration, true);
  const double roundRobin = latency(kRoundRobinArbitration, true);
  EXPECT_LT(mca - alone, (roundRobin - alone) / 2) << alone << ' ' << mca << ' ' << roundRobin;
  EXPECT_GE(mca, alone);
}

TEST(Mca, NoCommunicationRequestStarvesPastTheLimit) {
  HbmConfig config = with(kMcaArbitration);
  config.starvation_limit_ns = 300;
  config.mca.threshold_default_bursts = 5;
  ChannelHarness one(config);
  one.arbitration().kernelBegins(0);
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 0; i < 20; ++i) {
    arrivals.push_back(
        {.address = kCommunication + i * 256ull, .bytes = 256, .stream = Stream::Communication});
  }
  for (std::uint32_t i = 0; i < 3000; ++i) {
    arrivals.push_back({.address = i * 256ull, .bytes = 256, .stream = Stream::Compute});
  }
  one.run(arrivals);
  double previous = 0;
  std::size_t seen = 0;
  for (const auto& served : one.served()) {
    if (served.arrival.stream != Stream::Communication) continue;
    // One limit to enter, then a full queue of 64 bursts and a row change to get through.
    EXPECT_LT(static_cast<double>(served.dataEnd) * 1e-3, previous + 300 + 64 + 100);
    previous = static_cast<double>(served.dataEnd) * 1e-3;
    ++seen;
  }
  EXPECT_EQ(seen, 20u);
  EXPECT_GT(one.statistics().ofArbitration("mca_forced"), 10u);
}

/// Compute reads that use `share` of one channel's bandwidth for 4 us, then one communication
/// request; returns what MCA chose.
void expectThreshold(double share, std::uint32_t threshold) {
  HbmConfig config = with(kMcaArbitration);
  config.mca.settle_ns = 0;
  config.mca.threshold_high_bursts = 5;
  config.mca.threshold_medium_bursts = 10;
  config.mca.threshold_low_bursts = 30;
  config.mca.threshold_default_bursts = 12;
  Bench bench(config);
  EXPECT_EQ(bench.hbm.statistics().ofArbitration("mca_threshold"),
            config.mca.threshold_default_bursts);
  bench.hbm.beginKernel();
  const double gap = 8 / share;
  for (int i = 0; i * gap < 4000; ++i) {
    bench.initiator.send(readOf(static_cast<std::uint64_t>(i) * 256, 256));
    sc_core::sc_start(sc_core::sc_time(gap, sc_core::SC_NS));
  }
  EXPECT_EQ(bench.hbm.statistics().ofArbitration("mca_threshold"),
            config.mca.threshold_default_bursts)
      << "not yet";
  Access read = readOf(1 << 28, 256);
  read.stream = Stream::Communication;
  bench.initiator.send(read);
  sc_core::sc_start();
  EXPECT_EQ(bench.hbm.statistics().ofArbitration("mca_threshold"), threshold);
  EXPECT_NEAR(bench.hbm.statistics().ofArbitration("mca_compute_intensity"), share, 0.02);
  EXPECT_TRUE(bench.drained());
}

TEST(Mca, ChoosesTheMediumThresholdForAModeratelyIntensiveKernel) { expectThreshold(0.5, 10); }

}  // namespace
}  // namespace t3::test::hbm_mca_test
