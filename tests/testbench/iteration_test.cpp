// SPDX-License-Identifier: Apache-2.0
// Method: small workloads whose iteration can be worked out by hand, with times given to their
// parts: nothing is simulated. Then random workloads, and mutants of the files that ship: each is
// refused with one line, or every node runs after all that it waits for, no stream runs two at a
// time, collectives begin on all GPUs together, and the times by kind add up.
#include "testbench/iteration/iteration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/text_file.h"
#include "testbench/iteration/workload_report.h"
#include "testbench/presets/presets.h"
#include "testbench/workload/trace_file.h"
#include "tests/support/seed.h"
#include "tests/testbench/workload_bytes.h"

namespace t3::iteration_test {
namespace {

using test::Bytes;
using test::collective;
using test::gemm;
using test::node;
using test::trace;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Picoseconds kUs = 1'000'000;

/// A compute node of so many microseconds.
Bytes timed(std::uint64_t id, std::uint64_t micros, const std::vector<std::uint64_t>& after = {}) {
  return node(id, "n" + std::to_string(id), test::kCompute, after).number(7, micros);
}

SystemConfig tiny() { return findPreset("tiny-tp4")->config; }

/// A workload from its traces to its iteration.
struct Ran {
  explicit Ran(const std::vector<std::string>& traces, const SystemConfig& config = tiny(),
               Mode mode = Mode::T3)
      : Ran(test::filesOf(traces), config, mode) {}
  Ran(const std::vector<std::shared_ptr<const TraceFile>>& list, const SystemConfig& config,
      Mode mode)
      : workload(list, false),
        meetings(workload, {}),
        plan(planWork(workload, meetings, config, {})) {
    for (const WorkPart& part : plan.parts) times.push_back(timeOf(part));
    iteration = walk(workload, plan, times, config, mode);
  }

  /// GEMMs take 10 us, pairs 25, collectives 8.
  static PartTime timeOf(const WorkPart& part) {
    switch (part.kind) {
      case PartKind::Gemm:
        return {10 * kUs, 10 * kUs};
      case PartKind::Pair:
        return {10 * kUs, 25 * kUs};
      case PartKind::Collective:
        return {0, 8 * kUs};
    }
    return {};
  }

  /// Of a node, in whole microseconds; nothing if it took no time.
  std::pair<int, int> span(std::uint32_t gpu, std::uint64_t id) const {
    for (const WorkSpan& span : iteration.gpus[gpu].spans) {
      if (workload.gpu(gpu).node(span.node).id != id) continue;
      return {static_cast<int>(span.start / kUs), static_cast<int>(span.end / kUs)};
    }
    return {-1, -1};
  }

  Workload workload;
  Meetings meetings;
  WorkPlan plan;
  std::vector<PartTime> times;
  Iteration iteration;
};

using Span = std::pair<int, int>;

// ---- what becomes of nodes --------------------------------------------------------------------

std::vector<std::string> same(std::uint32_t gpus, const std::vector<Bytes>& nodes) {
  return std::vector<std::string>(gpus, trace(nodes));
}

TEST(WorkPlan, AGemmAndTheCollectiveOfItsOutputAreAPair) {
  const Ran ran(
      same(4, {gemm(1, "fc", 512, 512, 64), collective(2, "sum", 0, 512 * 512 * 2, {1})}));
  ASSERT_EQ(ran.plan.parts.size(), 1U);
  EXPECT_EQ(ran.plan.parts[0].kind, PartKind::Pair);
  EXPECT_EQ(ran.plan.parts[0].text(), "GEMM 512 x 512 x 64 of fp16 and allreduce, 4 GPUs");
  EXPECT_THAT(ran.plan.occurrences, ElementsAre(1));
  EXPECT_THAT(ran.plan.notes, IsEmpty());
}

TEST(WorkPlan, OtherCollectivesRunAlone) {
  const Bytes fc = gemm(1, "fc", 512, 512, 64);
  const std::uint64_t output = 512 * 512 * 2;
  const auto kinds = [](const std::vector<std::string>& traces) {
    std::vector<PartKind> list;
    for (const WorkPart& part : Ran(traces).plan.parts) list.push_back(part.kind);
    return list;
  };
  EXPECT_THAT(kinds(same(4, {fc, collective(2, "sum", 0, output / 2, {1})})),
              ElementsAre(PartKind::Gemm, PartKind::Collective))
      << "of another size";
  EXPECT_THAT(kinds(same(4, {fc, collective(2, "gather", 2, output, {1})})),
              ElementsAre(PartKind::Gemm, PartKind::Collective))
      << "it adds nothing";
  EXPECT_THAT(kinds(same(4, {fc, timed(3, 1), collective(2, "sum", 0, output, {1, 3})})),
              ElementsAre(PartKind::Gemm, PartKind::Collective))
      << "it waits for something else as well";
  EXPECT_THAT(kinds(same(4, {timed(3, 1), gemm(1, "fc", 512, 512, 64, {3}),
                             collective(2, "sum", 0, output, {1, 3})})),
              ElementsAre(PartKind::Pair))
      << "for which the GEMM waits, too";
  EXPECT_THAT(kinds({trace({fc, collective(2, "sum", 0, output, {1})}),
                     trace({gemm(1, "fc", 512, 512, 32), collective(2, "sum", 0, output, {1})})}),
              ElementsAre(PartKind::Gemm, PartKind::Gemm, PartKind::Collective))
      << "the GPUs' GEMMs differ";
}

TEST(WorkPlan, SimulatesACollectiveOfMoreThan64Gpus) {
  const Ran ran(same(65, {collective(1, "sum", 0, 1 << 16)}));
  ASSERT_EQ(ran.plan.parts.size(), 1U);
  EXPECT_EQ(ran.plan.parts[0].text(), "allreduce of 65536 bytes, 65 GPUs");
}

TEST(WorkPlan, NamesWhatIsNotSimulatedAsTheTraceHasIt) {
  const Ran ran(same(
      2, {node(1, "meta", 1), node(2, "none", test::kCompute), collective(3, "wait", 9, 0),
          collective(4, "all", 1, 64).number(7, 3), gemm(5, "odd", 64, 9, 8),
          gemm(8, "long", 1 << 21, 16, 8), timed(6, 4).attribute("color", "blue"),
          node(7, "cpu", test::kCollective).number(7, 5).attribute("is_cpu_op", test::kBool, 1)}));
  EXPECT_THAT(
      ran.plan.notes,
      ElementsAre(
          "2 nodes METADATA_NODE: take no time (first: t.0.et: node 1 'meta')",
          "2 compute nodes without a duration, num_ops or tensor_size: take no time (first: "
          "t.0.et: node 2 'none')",
          "2 GEMMs whose rows of output are padded to whole bursts of 32 bytes (first: t.0.et: "
          "node "
          "5 'odd')",
          HasSubstr("2 GEMMs are timed by a roofline, because the model cannot run them "
                    "(first: t.0.et: node 8 'long': M: expected"),
          "2 communication and memory nodes of the CPU: take the time of the trace, and "
          "meet nobody (first: t.0.et: node 7 'cpu')",
          "1 barriers: take no time, and end on all GPUs together (first: t.0.et: node 3 "
          "'wait')",
          "1 reduce collectives: not simulated, take the time of the trace (first: t.0.et: "
          "node 4 'all')",
          "2 attributes that change nothing here: color"));
}

TEST(WorkPlan, ComputeNodesTakeTheirDurationOrARoofline) {
  SystemConfig config = tiny();
  config.hbm = {};
  const double peak = config.hbm.peakBytesPerNs();
  const Bytes both = timed(1, 5)
                         .attribute("num_ops", test::kInt64, 1000)
                         .attribute("tensor_size", test::kUint64, 1'000'000);
  EXPECT_EQ(Ran({trace({both})}, config).plan.nodes[0][0].duration, 5 * kUs);
  config.trace.compute_time = ComputeTime::Roofline;
  EXPECT_NEAR(static_cast<double>(Ran({trace({both})}, config).plan.nodes[0][0].duration),
              1e6 / peak * 1e3, 1);
  config.trace.bandwidth_share = 0.5;
  EXPECT_NEAR(static_cast<double>(Ran({trace({both})}, config).plan.nodes[0][0].duration),
              2e6 / peak * 1e3, 1);
  const Bytes math = node(1, "math", test::kCompute)
                         .attribute("num_ops", test::kInt64, 16'000'000)
                         .attribute("tensor_size", test::kUint64, 8);
  // 16 compute units x 512 multiply-adds x 1.4 GHz.
  EXPECT_NEAR(static_cast<double>(Ran({trace({math})}, config).plan.nodes[0][0].duration),
              16e6 / (2 * 16 * 512 * 1.4) * 1e3, 1);
}

TEST(WorkPlan, AnAllGatherCountsItsInputOrTheWhole) {
  SystemConfig config = tiny();
  const auto traces = same(4, {collective(1, "gather", 2, 65536)});
  EXPECT_EQ(Ran(traces, config).plan.parts[0].bytes, 4U * 65536);
  config.trace.comm_size = CommSize::Larger;
  EXPECT_EQ(Ran(traces, config).plan.parts[0].bytes, 65536U);
}

TEST(WorkPlan, RefusesACollectiveForWhichTheMachineHasNoLinks) {
  try {
    const Ran ran(same(4, {collective(1, "mix", 6, 65536)}));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.0.et: node 1 'mix': cannot run on this machine as "
                                        "alltoall of 65536 bytes, 4 GPUs: fabric.topology"));
  }
}

// ---- when nodes run ---------------------------------------------------------------------------

TEST(Iteration, KernelsFollowOneAnotherALaunchApart) {
  const Ran ran({trace({timed(1, 5), timed(2, 7, {1})})});
  EXPECT_EQ(ran.span(0, 1), Span(0, 5));
  EXPECT_EQ(ran.span(0, 2), Span(7, 14)) << "gpu.kernel_launch_us = 2";
  EXPECT_EQ(ran.iteration.end, 14 * kUs);
  SystemConfig config = tiny();
  config.trace.launch = false;
  EXPECT_EQ(Ran({trace({timed(1, 5), timed(2, 7, {1})})}, config).span(0, 2), Span(5, 12));
}

TEST(Iteration, TheHostRunsBesideTheGpu) {
  const Bytes cpu = timed(2, 20).attribute("is_cpu_op", test::kBool, 1);
  const Ran ran({trace({timed(1, 5), cpu, timed(3, 1, {2})})});
  EXPECT_EQ(ran.span(0, 2), Span(0, 20));
  EXPECT_EQ(ran.span(0, 3), Span(22, 23));
}

TEST(Iteration, ACollectiveWaitsForTheLastGpuAndHoldsNobodyUntilThen) {
  const Bytes sum = collective(2, "sum", 0, 65536, {1});
  const Ran ran({trace({timed(1, 5), sum, timed(3, 4)}), trace({timed(1, 30), sum})});
  EXPECT_EQ(ran.span(0, 3), Span(7, 11)) << "while the collective waits";
  EXPECT_EQ(ran.span(0, 2), Span(32, 40));
  EXPECT_EQ(ran.span(1, 2), Span(32, 40));
}

TEST(Iteration, APairIsOneKernelOrTwo) {
  const auto traces =
      same(2, {gemm(1, "fc", 512, 512, 64), collective(2, "sum", 0, 512 * 512 * 2, {1}),
               timed(3, 4, {1}), timed(4, 1, {2})});
  const Ran fused(traces, tiny(), Mode::T3);
  EXPECT_EQ(fused.span(0, 1), Span(0, 10));
  EXPECT_EQ(fused.span(0, 2), Span(10, 25));
  EXPECT_EQ(fused.span(0, 3), Span(27, 31)) << "one node at a time";
  EXPECT_EQ(fused.span(0, 4), Span(33, 34));
  const Ran apart(traces, tiny(), Mode::Sequential);
  EXPECT_EQ(apart.span(0, 1), Span(0, 10));
  EXPECT_EQ(apart.span(0, 2), Span(12, 25)) << "the launch in between is one of the pair's";
  EXPECT_EQ(apart.span(0, 3), Span(27, 31)) << "communication first";
}

TEST(Iteration, StreamsOverlapWhereTheyMay) {
  SystemConfig config = tiny();
  config.trace.overlap = TraceOverlap::Streams;
  const auto traces = same(2, {gemm(1, "fc", 512, 512, 64),
                               collective(2, "sum", 0, 512 * 512 * 2, {1}), timed(3, 4, {1})});
  for (const Mode mode : {Mode::T3, Mode::Sequential}) {
    const Ran ran(traces, config, mode);
    EXPECT_EQ(ran.span(0, 3), Span(12, 16)) << "beside the rest of the collective";
    EXPECT_EQ(ran.iteration.end, 25 * kUs);
  }
}

TEST(Iteration, AMessageTakesBandwidthAndTheLatencyOfItsWay) {
  SystemConfig config = tiny();  // a ring of 75 GB/s and 500 ns
  const Bytes send = node(1, "s", test::kSend)
                         .attribute("comm_dst", test::kInt32, 2)
                         .attribute("comm_size", test::kInt64, 750'000);
  const Bytes receive = node(1, "r", test::kReceive)
                            .attribute("comm_src", test::kInt32, 0)
                            .attribute("comm_size", test::kInt64, 750'000);
  const std::string idle = trace({timed(1, 1)});
  const Ran ran({trace({send}), idle, trace({receive, timed(2, 1, {1})}), idle}, config);
  EXPECT_EQ(ran.span(0, 1), Span(0, 10));
  EXPECT_EQ(ran.iteration.gpus[2].spans[0].end, 11 * kUs) << "two hops";
  EXPECT_EQ(ran.span(2, 2), Span(13, 14));
}

/// 10 us on a link of 75 GB/s.
Bytes sends(std::uint64_t to) {
  return node(1, "s", test::kSend)
      .attribute("comm_dst", test::kInt32, to)
      .attribute("comm_size", test::kInt64, 750'000);
}
Bytes receives(std::uint64_t id, std::uint64_t from) {
  return node(id, "r", test::kReceive)
      .attribute("comm_src", test::kInt32, from)
      .attribute("comm_size", test::kInt64, 750'000);
}

TEST(Iteration, MessagesTakeTurnsOnALinkThatTheyShare) {
  SystemConfig config = tiny();
  config.trace.launch = false;
  const auto lastAt2 = [&config] {
    const std::string idle = trace({timed(1, 1)});
    const Ran ran(
        {trace({sends(2)}), trace({sends(2)}), trace({receives(1, 0), receives(2, 1)}), idle},
        config);
    return static_cast<double>(ran.iteration.end) / kUs;
  };
  EXPECT_NEAR(lastAt2(), 20, 1.1) << "the link from GPU 1 carries both";
  config.fabric.topology = Topology::Switch;
  EXPECT_NEAR(lastAt2(), 20, 1.1) << "the link from the switch carries both";
  config.fabric.topology = Topology::FullyConnected;
  config.fabric.links_share_bandwidth = false;
  EXPECT_NEAR(lastAt2(), 10, 1.1) << "each has a link of its own";
}

TEST(Iteration, HeadersOfAMessageTakeTime) {
  SystemConfig config = tiny();
  config.link.header_bytes = config.link.packet_bytes;
  const std::string idle = trace({timed(1, 1)});
  const Ran ran({trace({sends(1)}), trace({receives(1, 0)}), idle, idle}, config);
  EXPECT_EQ(ran.span(0, 1), Span(0, 20));
}

TEST(Iteration, TakesLessThan50Days) {
  // Of 10,000 s each, one after the other: 2^62 ps are 461 of them and a little more.
  const auto days = [](std::uint64_t count) {
    std::vector<Bytes> nodes;
    for (std::uint64_t id = 1; id <= count; ++id) {
      nodes.push_back(
          timed(id, 10'000'000'000,
                id == 1 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{id - 1}));
    }
    SystemConfig config = tiny();
    config.trace.launch = false;
    return Ran(same(2, nodes), config).iteration.end;
  };
  EXPECT_EQ(days(461), 461 * 10'000'000'000 * kUs);
  EXPECT_THROW(days(462), ConfigError);
}

TEST(PartJobs, ALargeCollectiveTakesNoLessForAByteThanLinkAndMemory) {
  WorkPart part{.kind = PartKind::Collective,
                .gpus = 4,
                .gemm = {},
                .type = DataType::Fp16,
                .collective = &kAllReducePromise,
                .bytes = 1000,
                .file = {}};
  PartJobs jobs;
  jobs.chunks = 1;
  jobs.jobs.resize(2);
  // Whole bursts of 32 bytes: 100, 50 and 1000 are 128, 64 and 1024.
  jobs.jobs[0].scenario.collective.bytes = 100;
  jobs.jobs[1].scenario.collective.bytes = 50;
  std::vector<RunRecord> runs(2);
  const auto set = [&runs](std::size_t i, Picoseconds time, double bound, std::uint64_t read) {
    RunResult& result = runs[i].result;
    result.time_ps = time;
    result.bound_ns = bound;
    PhaseFigures& figures = result.of(extraPhase(0));
    figures.name = "allreduce";
    figures.dram_read = read;
  };
  const auto total = [&] { return jobs.timeOf(part, runs).total; };
  set(0, 200'000, 100, 0);
  set(1, 120'000, 50, 0);
  EXPECT_EQ(total(), 200'000U + 14 * 80'000) << "the line: 80 ns for 64 bytes";
  set(1, 160'000, 50, 0);
  EXPECT_EQ(total(), 100'000U + 14 * 50'000) << "the link";
  const auto bytes = static_cast<std::uint64_t>(jobs.jobs[0].scenario.hbm.peakBytesPerNs() * 60);
  set(0, 200'000, 100, bytes);
  EXPECT_NEAR(static_cast<double>(total()), 60e3 + 14 * 60e3, 14e3) << "the memory";
  jobs.jobs[1].scenario.collective.bytes = 97;
  EXPECT_EQ(total(), 200'000U * 8) << "both sizes are the same bytes";
}

TEST(Iteration, TimesByKindCountEveryMomentOnce) {
  SystemConfig config = tiny();
  config.trace.overlap = TraceOverlap::Streams;
  const Ran ran(same(2, {gemm(1, "fc", 512, 512, 64), collective(2, "sum", 0, 512 * 512 * 2, {1}),
                         timed(3, 4, {1})}),
                config);
  const TimeByKind time = timeByKind(ran.iteration.gpus[0], ran.iteration.end);
  EXPECT_DOUBLE_EQ(time.pair_gemm, 10e3);
  EXPECT_DOUBLE_EQ(time.compute, 4e3);
  EXPECT_DOUBLE_EQ(time.pair_collective, 11e3) << "15 us, of which 4 are hidden";
  EXPECT_DOUBLE_EQ(time.idle, 0);
}

TEST(Iteration, APairDoesNotBeginWhereItsGpusWaitForOneAnother) {
  // GPU 1's GEMM waits for a message that GPU 0 sends after its own GEMM.
  const std::uint64_t output = 512 * 512 * 2;
  const Bytes send = node(3, "s", test::kSend, {1}).attribute("comm_dst", test::kInt32, 1);
  const Bytes receive = node(3, "r", test::kReceive).attribute("comm_src", test::kInt32, 0);
  const Ran ran(
      {trace({gemm(1, "fc", 512, 512, 64), collective(2, "sum", 0, output, {1}), send}),
       trace({receive, gemm(1, "fc", 512, 512, 64, {3}), collective(2, "sum", 0, output, {1})})});
  ASSERT_EQ(ran.plan.notes.size(), 1U);
  EXPECT_THAT(ran.plan.notes[0], HasSubstr("because GPUs wait for one another in between"));
  EXPECT_GT(ran.span(1, 1).first, 10);
}

// ---- random workloads and mutants -------------------------------------------------------------

/// The promises of the walk, for any workload.
void expectInOrder(const Ran& ran, TraceOverlap overlap = TraceOverlap::None) {
  std::vector<std::map<std::uint32_t, WorkSpan>> spans;
  for (std::uint32_t g = 0; g < ran.workload.gpus(); ++g) {
    std::map<std::uint32_t, WorkSpan>& own = spans.emplace_back();
    for (const WorkSpan& span : ran.iteration.gpus[g].spans) {
      EXPECT_TRUE(own.emplace(span.node, span).second) << "a node runs once";
      EXPECT_LT(span.start, span.end);
    }
    TimeByKind time = timeByKind(ran.iteration.gpus[g], ran.iteration.end);
    const double sum = time.gemm + time.pair_gemm + time.pair_collective + time.compute +
                       time.memory + time.collective + time.message + time.host + time.idle;
    EXPECT_NEAR(sum, static_cast<double>(ran.iteration.end) * 1e-3,
                1e-9 * static_cast<double>(ran.iteration.end) + 1e-3);
  }
  for (std::uint32_t g = 0; g < ran.workload.gpus(); ++g) {
    const GpuTrace& gpu = ran.workload.gpu(g);
    for (const auto& [number, span] : spans[g]) {
      if (span.kind == WorkKind::PairCollective) continue;  // begins with its GEMM
      for (const std::uint32_t earlier : gpu.dependencies[number]) {
        const auto before = spans[g].find(earlier);
        if (before == spans[g].end()) continue;
        EXPECT_GE(span.start, before->second.end);
      }
    }
    // No stream runs two at a time.
    std::vector<std::tuple<int, Picoseconds, Picoseconds>> busy;
    for (const auto& [number, span] : spans[g]) {
      if (gpu.node(number).type == TraceNodeType::Receive) continue;
      const bool communicates = span.kind == WorkKind::Collective ||
                                span.kind == WorkKind::PairCollective ||
                                span.kind == WorkKind::Message;
      const int stream = span.kind == WorkKind::Host                        ? 2
                         : communicates && overlap == TraceOverlap::Streams ? 1
                                                                            : 0;
      busy.emplace_back(stream, span.start, span.end);
    }
    std::ranges::sort(busy);
    for (std::size_t i = 1; i < busy.size(); ++i) {
      if (std::get<0>(busy[i]) != std::get<0>(busy[i - 1])) continue;
      EXPECT_GE(std::get<1>(busy[i]), std::get<2>(busy[i - 1]));
    }
  }
  for (const CollectiveMeeting& meeting : ran.meetings.collectives()) {
    for (const NodePlace member : meeting.members) {
      const auto one = spans[member.gpu].find(member.node);
      const auto other = spans[meeting.members[0].gpu].find(meeting.members[0].node);
      ASSERT_EQ(one == spans[member.gpu].end(), other == spans[meeting.members[0].gpu].end());
      if (one == spans[member.gpu].end()) continue;
      EXPECT_EQ(one->second.end, other->second.end);
    }
  }
}

TEST(Iteration, HoldsItsPromisesForRandomWorkloads) {
  std::mt19937_64 random(test::seed(1));
  const auto below = [&](std::uint64_t end) { return random() % end; };
  int ran = 0, refused = 0;
  for (int round = 0; round < 300; ++round) {
    const auto gpus = static_cast<std::uint32_t>(1 + below(4));
    std::vector<std::vector<Bytes>> nodes(gpus);
    std::vector<std::uint64_t> next(gpus, 1);
    const auto after = [&](std::uint32_t gpu) {
      std::vector<std::uint64_t> list;
      for (std::uint64_t n = below(3); n > 0 && next[gpu] > 1; --n) {
        const std::uint64_t other = 1 + below(next[gpu] - 1);
        if (std::ranges::find(list, other) == list.end()) list.push_back(other);
      }
      return list;
    };
    for (std::uint64_t step = 5 + below(40); step > 0; --step) {
      const std::uint64_t kind = below(8);
      if (kind == 0 && gpus > 1) {
        const auto from = static_cast<std::uint32_t>(below(gpus));
        const auto to = static_cast<std::uint32_t>((from + 1 + below(gpus - 1)) % gpus);
        nodes[from].push_back(node(next[from], "s", test::kSend, after(from))
                                  .attribute("comm_dst", test::kInt32, to)
                                  .attribute("comm_size", test::kInt64, 75'000));
        ++next[from];
        nodes[to].push_back(node(next[to], "r", test::kReceive, after(to))
                                .attribute("comm_src", test::kInt32, from)
                                .attribute("comm_size", test::kInt64, 75'000));
        ++next[to];
        continue;
      }
      const std::uint64_t type = std::vector<std::uint64_t>{0, 2, 7, 9}[below(4)];
      const std::uint64_t micros = below(20);
      for (std::uint32_t g = 0; g < gpus; ++g) {
        const std::uint64_t id = next[g];
        if (kind == 1) {
          nodes[g].push_back(collective(id, "c", type, 512 * 512 * 2, after(g)));
        } else if (kind == 2) {
          nodes[g].push_back(gemm(id, "g", 512, 512, 64, after(g)));
          nodes[g].push_back(collective(id + 1, "sum", 0, 512 * 512 * 2, {id}));
          ++next[g];
        } else if (kind == 3) {
          nodes[g].push_back(timed(id, micros, after(g)).attribute("is_cpu_op", test::kBool, 1));
        } else {
          nodes[g].push_back(timed(id, below(20), after(g)));
        }
        ++next[g];
      }
    }
    std::vector<std::string> traces;
    for (const auto& list : nodes) traces.push_back(trace(list));
    try {
      SystemConfig config = tiny();
      if (round % 3 == 0) config.trace.overlap = TraceOverlap::Streams;
      expectInOrder(Ran(traces, config, round % 2 == 0 ? Mode::T3 : Mode::Sequential),
                    config.trace.overlap);
      ++ran;
    } catch (const ConfigError&) {
      ++refused;  // a message that waits for a later one
    }
    if (HasFailure()) FAIL() << "in round " << round;
  }
  EXPECT_GT(ran, 100) << refused;
}

TEST(Iteration, MutantsOfShippedTracesAreRefusedOrRun) {
  const char* wanted = std::getenv("T3_MUTANTS");
  const int count = wanted != nullptr ? std::atoi(wanted) : 4000;
  std::vector<std::string> texts;
  for (int g = 0; g < 4; ++g) {
    texts.push_back(readTextFile(std::string(T3_WORKLOADS "/tiny-transformer-sp-tp4.") +
                                 std::to_string(g) + ".et"));
  }
  const auto good = test::filesOf(texts);
  std::mt19937_64 random(test::seed(7));
  int ran = 0, refused = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t victim = random() % 4;
    std::string text = texts[victim];
    for (std::uint64_t changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
          break;
        case 2:
          text.erase(at, 1 + random() % 8);
          break;
        default:
          text.insert(at, 1, static_cast<char>(random()));
          break;
      }
    }
    auto files = good;
    try {
      files[victim] = std::make_shared<const TraceFile>(readTraceBytes(text, "m.et"));
      expectInOrder(Ran(files, tiny(), Mode::T3));
      ++ran;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++refused;
    }
    if (HasFailure()) FAIL() << "mutant " << i;
  }
  EXPECT_GT(refused, count / 4);
  EXPECT_GT(ran, count / 20) << "most changes of a name or a duration are harmless";
}

}  // namespace
}  // namespace t3::iteration_test
