// SPDX-License-Identifier: Apache-2.0
// Method: arbiters by themselves. Each is asked about heads, occupancies and waiting times that lie
// at a limit and one beside it, and the answers are compared with what the policy promises. Then a
// policy that only this file knows runs in a channel and in a stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/test_initiator.h"
#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/arbitration/measured_arbitration.h"

namespace t3::test::arbitration_test {
namespace {

const Traffic kFromLinks{.stream = Stream::Communication};

/// A read of so many bytes.
HbmRequest requestOf(Stream stream, std::uint64_t bytes, Picoseconds when) {
  HbmRequest request;
  if (stream == Stream::Communication) request.traffic = &kFromLinks;
  request.arrival = when;
  request.end = bytes;
  return request;
}

/// One arbiter and what it is asked about.
class Asked {
 public:
  explicit Asked(const ArbitrationPolicy& policy, HbmConfig settings = {})
      : config(settings), arbitration(policy.make(config)), arbiter_(arbitration->makeArbiter()) {}

  /// The communication head has waited for `waited` clocks, and as long ago is the last entry.
  ArbiterAnswer answer(bool compute, std::uint32_t occupancy, Cycles waited) {
    return arbiter_->choose({communication_, compute ? &compute_ : nullptr, occupancy,
                             kSince + waited, kSince, kSince});
  }
  std::optional<Stream> enters(bool compute, std::uint32_t occupancy, Cycles waited) {
    return answer(compute, occupancy, waited).enters;
  }
  struct Times {
    Cycles since, arrived;
  };
  /// Both streams wait, the queue is empty.
  std::optional<Stream> answerAt(Cycles now, Times times) {
    return arbiter_->choose({communication_, &compute_, 0, now, times.since, times.arrived}).enters;
  }
  void entered(Stream stream) {
    arbiter_->entered(stream == Stream::Compute ? compute_ : communication_, kSince);
  }
  double statistic(const std::string& name) const {
    for (const StatisticRow& row : arbitration->statistics()) {
      if (row.name == name) return row.value;
    }
    ADD_FAILURE() << name << " is not reported";
    return 0;
  }

  static constexpr Cycles kSince = 10000;
  static constexpr std::uint32_t kBursts = 8;  ///< of every head

  const HbmConfig config;
  const std::unique_ptr<Arbitration> arbitration;

 private:
  static Piece headOf(HbmRequest& request) {
    Piece piece;
    piece.request = &request;
    piece.run.bursts = kBursts;
    return piece;
  }
  HbmRequest computes_, communicates_{.traffic = &kFromLinks};
  Piece compute_ = headOf(computes_), communication_ = headOf(communicates_);
  std::unique_ptr<Arbiter> arbiter_;
};

/// Turns of one piece each.
HbmConfig shortTurns() {
  HbmConfig config;
  config.turn_bursts = Asked::kBursts;
  return config;
}

/// 2000 ns at 1 GHz.
constexpr Cycles kLimit = 2000;

/// MCA while a kernel runs.
class DuringKernel : public Asked {
 public:
  explicit DuringKernel(const HbmConfig& settings = {}) : Asked(kMcaArbitration, settings) {
    arbitration->kernelBegins(0);
  }
};

TEST(Arbiter, RoundRobinGivesTheTurnToTheStreamThatDidNotEnterLast) {
  Asked one(kRoundRobinArbitration, shortTurns());
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute) << "asked again: it has not entered";
  one.entered(Stream::Compute);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Communication);
  one.entered(Stream::Communication);
  EXPECT_EQ(one.enters(false, 0, 0), Stream::Communication) << "nobody else waits";
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute);
}

TEST(Arbiter, ATurnLastsUntilTheBurstsOfATurnHaveEntered) {
  for (const std::uint32_t bursts : {2 * Asked::kBursts, 2 * Asked::kBursts - 1}) {
    SCOPED_TRACE(bursts);
    HbmConfig config;
    config.turn_bursts = bursts;
    Asked one(kRoundRobinArbitration, config);
    for (const Stream stream : {Stream::Compute, Stream::Communication, Stream::Compute}) {
      for (int piece = 0; piece < 2; ++piece) {
        EXPECT_EQ(one.enters(true, 0, 0), stream);
        one.entered(stream);
      }
    }
  }
}

TEST(Arbiter, ATurnEndsWhenItsStreamHasNothingAndTheOtherEnters) {
  Asked one(kRoundRobinArbitration);
  one.entered(Stream::Compute);
  EXPECT_EQ(one.enters(false, 0, 0), Stream::Communication);
  one.entered(Stream::Communication);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Communication) << "its turn has begun";
}

TEST(Arbiter, CommFirstKnowsNoLimit) {
  Asked one(kCommFirstArbitration);
  EXPECT_EQ(one.enters(true, 64, 0), Stream::Communication);
}

TEST(Arbiter, ComputeFirstLetsCommunicationPassAtTheStarvationLimitAndNoClockEarlier) {
  Asked one(kComputeFirstArbitration);
  EXPECT_EQ(one.enters(true, 0, kLimit - 1), Stream::Compute);
  EXPECT_EQ(one.enters(true, 0, kLimit), Stream::Communication);
  EXPECT_EQ(one.enters(false, 64, 0), Stream::Communication) << "no compute waits";
}

TEST(Arbiter, McaLetsCommunicationTakeTurnsFromTheStarvationLimitOnAndNoClockEarlier) {
  HbmConfig config = shortTurns();
  config.mca.threshold_default_bursts = 10;
  DuringKernel one(config);
  one.entered(Stream::Compute);
  EXPECT_EQ(one.enters(true, 0, kLimit - 1), Stream::Compute);
  EXPECT_EQ(one.enters(true, 0, kLimit), Stream::Communication);
  EXPECT_EQ(one.enters(false, 64, kLimit - 1), std::nullopt);
  EXPECT_EQ(one.enters(false, 64, kLimit), Stream::Communication);
  one.entered(Stream::Communication);
  EXPECT_EQ(one.enters(true, 0, kLimit), Stream::Compute) << "no more than every second entry";
  EXPECT_EQ(one.enters(false, 64, kLimit), Stream::Communication) << "nobody else waits";
}

/// The streams that enter, one after the other, where both have something.
std::vector<Stream> entries(Asked& one) {
  std::vector<Stream> entered;
  for (int i = 0; i < 4; ++i) {
    entered.push_back(one.enters(true, 64, 0).value());
    one.entered(entered.back());
  }
  return entered;
}

TEST(Arbiter, McaGoesByWhatAllAskForAndWhatTheMemoryHas) {
  constexpr Stream kCompute = Stream::Compute, kCommunication = Stream::Communication;
  const std::vector<Stream> computeFirst(4, kCompute), communicationFirst(4, kCommunication);
  const std::vector<Stream> turns = {kCompute, kCommunication, kCompute, kCommunication};
  const std::pair<double, std::vector<Stream>> cases[] = {
      {0.9, computeFirst}, {0.901, turns}, {1.15, turns}, {1.151, communicationFirst}};
  for (const auto& [expected, entered] : cases) {
    SCOPED_TRACE(expected);
    Asked one(kMcaArbitration, shortTurns());
    one.arbitration->expectTraffic(expected);
    one.arbitration->kernelBegins(0);
    EXPECT_EQ(one.statistic("mca_demand"), expected);
    EXPECT_EQ(entries(one), entered);
  }
}

TEST(Arbiter, McaKnowsTheDemandAtTheLatestWhenTheKernelIsMeasured) {
  HbmConfig config = oneChannel();  // 32 bytes in a nanosecond
  config.mca.settle_ns = 0;
  config.mca.demand_turns = config.mca.demand_limit = 1;
  DuringKernel one(config);
  one.arbitration->expectTraffic(0.75);
  one.arbitration->arrived(requestOf(Stream::Compute, 8064, 100'000));
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute) << "not yet measured";
  one.arbitration->arrived(requestOf(Stream::Communication, 4096, 1'000'000));
  EXPECT_EQ(one.statistic("mca_demand"), 0.75 + 8064.0 / 32000);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Communication);
  one.arbitration->expectTraffic(0.74);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute) << "another launch";
}

TEST(Arbiter, TheWaitOfAPieceThatMcaGoesByBeginsWithItsArrivalNotWithTheLastEntry) {
  HbmConfig config = shortTurns();
  DuringKernel one(config);
  one.entered(Stream::Compute);
  const Cycles now = Asked::kSince + kLimit;
  EXPECT_EQ(one.answerAt(now, {.since = now - 1, .arrived = Asked::kSince}), Stream::Communication);
  EXPECT_EQ(one.answerAt(now, {.since = Asked::kSince, .arrived = Asked::kSince + 1}),
            Stream::Compute);
}

TEST(Arbiter, McaPutsCommunicationFirstWhileTheRingIsBehindWhateverTheOccupancy) {
  HbmConfig config;
  config.mca.threshold_default_bursts = 10;
  DuringKernel one(config);
  one.entered(Stream::Communication);
  EXPECT_EQ(one.enters(true, 64, 0), Stream::Compute);
  one.arbitration->communicationBehind(true, 0);
  EXPECT_EQ(one.enters(true, 64, 0), Stream::Communication);
  EXPECT_EQ(one.enters(false, 64, 0), Stream::Communication);
  one.arbitration->communicationBehind(false, 0);
  EXPECT_EQ(one.enters(true, 64, 0), Stream::Compute);
}

TEST(Arbiter, McaTakesTurnsBetweenKernels) {
  HbmConfig config = shortTurns();
  config.mca.threshold_default_bursts = 10;
  Asked one(kMcaArbitration, config);
  const auto expectTurns = [&] {
    one.entered(Stream::Compute);
    EXPECT_EQ(one.enters(true, 64, 0), Stream::Communication);
    EXPECT_EQ(one.enters(false, 64, 0), Stream::Communication) << "no threshold";
    one.entered(Stream::Communication);
    EXPECT_EQ(one.enters(true, 64, 0), Stream::Compute);
  };
  expectTurns();
  one.arbitration->kernelBegins(0);
  one.entered(Stream::Compute);
  EXPECT_EQ(one.enters(true, 64, 0), Stream::Compute);
  one.arbitration->kernelEnds(0);
  expectTurns();
}

TEST(Arbiter, McaGoesOnBetweenKernelsIfItIsToldTo) {
  HbmConfig config;
  config.mca.only_in_kernels = false;
  Asked one(kMcaArbitration, config);
  one.entered(Stream::Compute);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute);
  one.arbitration->kernelBegins(0);
  one.arbitration->kernelEnds(0);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute);
}

TEST(Arbiter, TheStarvationLimitIsInNanoseconds) {
  HbmConfig config;
  config.clock_mhz = 1800;
  Asked one(kComputeFirstArbitration, config);
  EXPECT_EQ(one.enters(true, 0, 3599), Stream::Compute);
  EXPECT_EQ(one.enters(true, 0, 3600), Stream::Communication);
}

TEST(Arbiter, McaHoldsCommunicationBackAtTheThresholdAndNoBurstBelow) {
  HbmConfig config;
  config.mca.threshold_default_bursts = 7;
  DuringKernel one(config);
  EXPECT_EQ(one.enters(false, 6, 0), Stream::Communication);
  const ArbiterAnswer refused = one.answer(false, 7, 20);
  EXPECT_EQ(refused.enters, std::nullopt);
  EXPECT_EQ(refused.drainTo, 6u);
  EXPECT_EQ(refused.deadline, Asked::kSince + kLimit);
}

TEST(Arbiter, AnMcaThresholdOfZeroIsNone) {
  HbmConfig config;
  config.mca.threshold_default_bursts = 0;
  DuringKernel one(config);
  EXPECT_EQ(one.enters(false, 4096, 0), Stream::Communication);
  EXPECT_EQ(one.enters(true, 0, 0), Stream::Compute);
}

TEST(Arbiter, McaCountsWhatOnlyTheStarvationLimitLetPass) {
  HbmConfig config = shortTurns();
  config.mca.threshold_default_bursts = 10;
  DuringKernel one(config);
  one.answer(false, 0, kLimit);  // below the threshold: free
  one.entered(Stream::Communication);
  EXPECT_EQ(one.statistic("mca_forced"), 0);
  EXPECT_EQ(one.statistic("mca_forced_share"), 0);
  one.entered(Stream::Compute);
  one.answer(true, 0, kLimit);
  one.answer(true, 0, kLimit);  // there was no room: asked again
  one.entered(Stream::Communication);
  EXPECT_EQ(one.statistic("mca_forced"), 1);
  one.answer(false, 10, kLimit);
  one.entered(Stream::Communication);
  EXPECT_EQ(one.statistic("mca_forced"), 2);
  EXPECT_EQ(one.statistic("mca_forced_share"), 2.0 / 3);
}

TEST(Arbiter, EveryPolicyReportsHowLongTheRingWasBehind) {
  for (const ArbitrationPolicy* policy : ArbitrationPolicy::table()) {
    SCOPED_TRACE(policy->name);
    Asked one(*policy);
    one.arbitration->communicationBehind(true, 1000);
    one.arbitration->communicationBehind(false, 4000);
    one.arbitration->communicationBehind(true, 10000);
    one.arbitration->communicationBehind(false, 14000);
    EXPECT_EQ(one.statistic("mca_behind"), 7);
  }
}

// What MCA measures.

constexpr Picoseconds kStart = 5'000'000;

/// One channel, 32 bytes in a nanosecond; thresholds at shares that are exact in binary.
HbmConfig measuredConfig() {
  HbmConfig config = oneChannel();
  config.mca.settle_ns = 0;
  config.mca.threshold_high_bursts = 5;
  config.mca.threshold_medium_bursts = 10;
  config.mca.threshold_low_bursts = 30;
  config.mca.threshold_default_bursts = 10;
  config.mca.intensity_high = 0.5;
  config.mca.intensity_medium = 0.25;
  config.mca.intensity_low = 0.125;
  return config;
}

HbmRequest request(Stream stream, std::uint64_t bytes, double ns) {
  return requestOf(stream, bytes, kStart + picosecondsFromNs(ns));
}

/// A kernel whose compute asks for `bytes` in the 1000 ns before communication begins, of 32000.
double thresholdAfter(std::uint64_t bytes) {
  Asked one(kMcaArbitration, measuredConfig());
  one.arbitration->kernelBegins(kStart);
  one.arbitration->arrived(request(Stream::Compute, bytes, 100));
  one.arbitration->arrived(request(Stream::Communication, 4096, 1000));
  EXPECT_EQ(one.statistic("mca_compute_intensity"), static_cast<double>(bytes) / 32000);
  return one.statistic("mca_threshold");
}

TEST(McaThreshold, ChangesAtEachShareAndNotOneByteBelow) {
  const McaConfig mca = measuredConfig().mca;
  EXPECT_EQ(thresholdAfter(16000), mca.threshold_high_bursts);
  EXPECT_EQ(thresholdAfter(15999), mca.threshold_medium_bursts);
  EXPECT_EQ(thresholdAfter(8000), mca.threshold_medium_bursts);
  EXPECT_EQ(thresholdAfter(7999), mca.threshold_low_bursts);
  EXPECT_EQ(thresholdAfter(4000), mca.threshold_low_bursts);
  EXPECT_EQ(thresholdAfter(3999), mca.threshold_idle_bursts);
}

TEST(McaThreshold, IsNotChosenBeforeTheShortestWindowHasPassed) {
  Asked one(kMcaArbitration, measuredConfig());
  one.arbitration->kernelBegins(kStart);
  one.arbitration->arrived(request(Stream::Compute, 16000, 0));
  one.arbitration->arrived(request(Stream::Communication, 256, 499.999));
  EXPECT_TRUE(one.arbitration->watchesRequests());
  EXPECT_EQ(one.statistic("mca_threshold"), 10) << "the default";
  one.arbitration->arrived(request(Stream::Compute, 0, 500));
  EXPECT_FALSE(one.arbitration->watchesRequests());
  EXPECT_EQ(one.statistic("mca_compute_intensity"), 1);
  EXPECT_EQ(one.statistic("mca_threshold"), 5);
}

TEST(McaThreshold, IsChosenAfterTheLongestWindowWithoutCommunication) {
  Asked one(kMcaArbitration, measuredConfig());
  one.arbitration->kernelBegins(kStart);
  one.arbitration->arrived(request(Stream::Compute, 320000, 19999.999));
  EXPECT_TRUE(one.arbitration->watchesRequests());
  one.arbitration->arrived(request(Stream::Compute, 0, 20000));
  EXPECT_FALSE(one.arbitration->watchesRequests());
  EXPECT_EQ(one.statistic("mca_compute_intensity"), 0.5);
}

TEST(McaThreshold, LeavesOutTheLoadsThatFillThePipeline) {
  HbmConfig config = measuredConfig();
  config.mca.settle_ns = 1000;
  Asked one(kMcaArbitration, config);
  one.arbitration->kernelBegins(kStart);
  one.arbitration->arrived(request(Stream::Compute, 32000, 999.999));
  one.arbitration->arrived(request(Stream::Compute, 16000, 1000));
  one.arbitration->arrived(request(Stream::Communication, 256, 2000));
  EXPECT_FALSE(one.arbitration->watchesRequests());
  EXPECT_EQ(one.statistic("mca_compute_intensity"), 0.5);
}

TEST(McaThreshold, DoesNotCountZeroing) {
  Asked one(kMcaArbitration, measuredConfig());
  one.arbitration->kernelBegins(kStart);
  one.arbitration->arrived(request(Stream::Compute, 8000, 100));
  HbmRequest zeros = request(Stream::Communication, 4096, 600);
  zeros.kind = DramCommandKind::Write;
  one.arbitration->arrived(zeros);
  EXPECT_TRUE(one.arbitration->watchesRequests()) << "communication has not begun";
  const Traffic gathered{.stream = Stream::Communication, .phase = Phase::AllGather};
  zeros.traffic = &gathered;  // a store of a later phase is communication
  zeros.arrival = kStart + picosecondsFromNs(1000);
  one.arbitration->arrived(zeros);
  EXPECT_FALSE(one.arbitration->watchesRequests());
  EXPECT_EQ(one.statistic("mca_compute_intensity"), 0.25);
}

TEST(McaThreshold, IsTheDefaultAgainFromTheNextKernelOnAndStaysWhenOneEnds) {
  Asked one(kMcaArbitration, measuredConfig());
  EXPECT_FALSE(one.arbitration->watchesRequests()) << "no kernel runs";
  one.arbitration->kernelBegins(kStart);
  one.arbitration->arrived(request(Stream::Compute, 16000, 100));
  one.arbitration->arrived(request(Stream::Communication, 256, 1000));
  EXPECT_EQ(one.statistic("mca_threshold"), 5);
  one.arbitration->kernelEnds(kStart + picosecondsFromNs(2000));
  EXPECT_EQ(one.statistic("mca_threshold"), 5);
  one.arbitration->kernelBegins(kStart + picosecondsFromNs(3000));
  EXPECT_EQ(one.statistic("mca_threshold"), 10);
  EXPECT_EQ(one.statistic("mca_compute_intensity"), 0.5) << "of the kernel measured last";
}

TEST(McaThreshold, NoOtherPolicyHasOneButAllMeasureTheIntensity) {
  for (const ArbitrationPolicy* policy : ArbitrationPolicy::table()) {
    SCOPED_TRACE(policy->name);
    if (policy == &kMcaArbitration) continue;
    Asked one(*policy, measuredConfig());
    one.arbitration->kernelBegins(kStart);
    one.arbitration->arrived(request(Stream::Compute, 16000, 100));
    one.arbitration->arrived(request(Stream::Communication, 256, 1000));
    EXPECT_EQ(one.statistic("mca_compute_intensity"), 0.5);
    EXPECT_EQ(one.statistic("mca_threshold"), 0);
  }
}

// A policy of this file's own: nothing in the library knows it.

/// What the policy below was asked and told.
struct Diary {
  std::vector<Cycles> entered;
  std::vector<std::uint32_t> occupancies;  ///< at which communication was let in
  std::vector<Picoseconds> begins, ends;
  struct Request {
    Stream stream;
    std::uint64_t bytes;
    Picoseconds when;
  };
  std::vector<Request> requests;
};
Diary* diary = nullptr;

/// Communication waits for clock 777, then for a queue of at most three bursts.
class PatientArbiter : public Arbiter {
 public:
  ArbiterAnswer choose(const ArbiterView& view) override {
    if (view.compute != nullptr) return ArbiterAnswer::let(Stream::Compute);
    if (view.now < 777) return ArbiterAnswer::wait(ArbiterAnswer::kAnyOccupancy, 777);
    if (view.occupancyBursts > 3) return ArbiterAnswer::wait(3, kNever);
    diary->occupancies.push_back(view.occupancyBursts);
    return ArbiterAnswer::let(Stream::Communication);
  }
  void entered(const Piece& piece, Cycles now) override {
    if (piece.stream() == Stream::Communication) diary->entered.push_back(now);
  }
};
class PatientArbitration : public Arbitration {
 public:
  std::unique_ptr<Arbiter> makeArbiter() override { return std::make_unique<PatientArbiter>(); }
  void kernelBegins(Picoseconds now) override {
    diary->begins.push_back(now);
    watchesRequests_ = true;
  }
  void kernelEnds(Picoseconds now) override {
    diary->ends.push_back(now);
    watchesRequests_ = false;
  }
  void arrived(const HbmRequest& seen) override {
    diary->requests.push_back({seen.traffic->stream, seen.end - seen.next, seen.arrival});
  }
  void publish(ValueList& list) const override {
    list.level("patience", 16, "clocks", [] { return 777; });
  }
  std::vector<StatisticRow> statistics() const override {
    return {{"patience", "clock from which communication may enter", "clocks", 777}};
  }
};
constexpr ArbitrationPolicy kPatient{"patient",
                                     [](const HbmConfig&) -> std::unique_ptr<Arbitration> {
                                       return std::make_unique<PatientArbitration>();
                                     }};

HbmConfig patientMemory() {
  HbmConfig config = oneChannel();
  config.arbitration = kPatient;
  config.refresh = RefreshMode::Off;
  return config;
}

TEST(OwnPolicy, IsAskedAgainAtTheClockAndAtTheOccupancyItNamed) {
  Diary own;
  diary = &own;
  ChannelHarness one(patientMemory());
  std::vector<ChannelHarness::Arrival> arrivals;
  for (std::uint32_t i = 0; i < 20; ++i) {
    arrivals.push_back({.address = i * 256ull, .bytes = 256, .stream = Stream::Communication});
  }
  one.run(arrivals);
  ASSERT_EQ(own.entered.size(), 20u);
  EXPECT_EQ(own.entered[0], 777);
  EXPECT_EQ(own.occupancies[0], 0u);
  for (std::size_t i = 1; i < own.occupancies.size(); ++i) EXPECT_EQ(own.occupancies[i], 3u) << i;
}

TEST(OwnPolicy, HearsKernelsSeesRequestsWhileItWantsToAndReportsForItself) {
  Diary own;
  diary = &own;
  Bench bench(patientMemory());
  const auto send = [&](std::uint32_t bytes) {
    bench.initiator.send(readOf(0, bytes));
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  };
  send(32);
  bench.hbm.beginKernel();
  send(64);
  bench.hbm.endKernel();
  send(96);
  EXPECT_THAT(own.begins, testing::ElementsAre(100'000u));
  EXPECT_THAT(own.ends, testing::ElementsAre(200'000u));
  ASSERT_EQ(own.requests.size(), 1u);
  EXPECT_EQ(own.requests[0].bytes, 64u);
  EXPECT_EQ(own.requests[0].when, 100'000u);
  EXPECT_EQ(own.requests[0].stream, Stream::Compute);

  EXPECT_EQ(bench.hbm.statistics().ofArbitration("patience"), 777);
  EXPECT_EQ(bench.hbm.statistics().ofArbitration("mca_threshold"), 0) << "it has none";
  const auto rows = bench.hbm.statistics().rows(bench.config, now());
  EXPECT_EQ(rows.back().name, "patience");
  ValueList values;
  bench.hbm.publish(values);
  EXPECT_THAT(values.values(),
              testing::Contains(testing::Field(&PublishedValue::name, "patience")));
  EXPECT_THAT(
      values.values(),
      testing::Not(testing::Contains(testing::Field(&PublishedValue::name, "mca_threshold"))));
}

}  // namespace
}  // namespace t3::test::arbitration_test
