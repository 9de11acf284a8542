// SPDX-License-Identifier: Apache-2.0
// Method: shipped traces run in the real program. What it says that a part takes is held against a
// run of that part alone: a pair against its sublayer in the same mode, a collective against its
// file. Built-in algorithms are held against the files of data/collectives/, step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "testbench/collective/collective_file.h"
#include "testbench/presets/presets.h"
#include "tests/system/runs.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/node/collective_plan.h"

namespace t3::workload_test {
namespace {

namespace json = boost::json;

using test::Words;

json::object result(const Words& words) {
  const test::TemporaryDirectory directory;
  test::mustRun(words + "--quiet --json" + directory.path("r.json"));
  return test::readJson(directory.path("r.json")).as_object();
}

const Words kMachine = "--preset tiny-tp4 --data elided --tracker model";

Words shipped(const std::string& command, const std::string& name) {
  return Words{command, "--workload " T3_WORKLOADS "/" + name + ".0.et"} + kMachine;
}

double nanoseconds(const json::value& value) { return value.to_number<double>(); }

TEST(WorkloadRun, PartsTakeTheTimesOfTheirOwnRuns) {
  const json::object all =
      result(shipped("compare", "tiny-transformer-sp-tp4") + "--modes sequential,t3");
  int pairs = 0, collectives = 0;
  for (const json::value& part : all.at("parts").as_array()) {
    const auto text = [&](const char* key) {
      return std::to_string(part.at(key).to_number<std::uint64_t>());
    };
    if (part.at("kind").as_string() == "pair") {
      ++pairs;
      for (const json::value& time : part.at("times").as_array()) {
        const json::object alone =
            result(Words{"run --mode", std::string(time.at("mode").as_string()),
                         "--set workload.rows=" + text("m"), "--set workload.columns=" + text("n"),
                         "--set workload.depth=" + text("k")} +
                   kMachine);
        const json::value& run = alone.at("runs").at(0);
        Picoseconds gemm = 0, scatter = 0;
        for (const json::value& gpu : run.at("per_gpu").as_array()) {
          gemm = std::max(gemm, gpu.at("gemm_end_ps").to_number<Picoseconds>());
          scatter = std::max(scatter, gpu.at("reduce_scatter_end_ps").to_number<Picoseconds>());
        }
        EXPECT_DOUBLE_EQ(nanoseconds(time.at("gemm_ns")), static_cast<double>(gemm) * 1e-3);
        EXPECT_DOUBLE_EQ(nanoseconds(time.at("time_ns")),
                         static_cast<double>(std::max(gemm, scatter)) * 1e-3);
      }
    } else if (part.at("kind").as_string() == "collective") {
      ++collectives;
      const json::object alone = result(Words{"run --mode sequential --collective " T3_COLLECTIVES
                                              "/ring-all-gather-4.xml",
                                              "--set collective.bytes=" + text("bytes")} +
                                        kMachine);
      EXPECT_DOUBLE_EQ(nanoseconds(part.at("times").at(0).at("time_ns")),
                       nanoseconds(alone.at("runs").at(0).at("time_ns")));
    }
  }
  EXPECT_EQ(pairs, 3);
  EXPECT_EQ(collectives, 1);
}

TEST(WorkloadRun, T3IsFasterAndTimesByKindAddUp) {
  const json::object all = result(shipped("compare", "tiny-transformer-tp4"));
  const json::array& runs = all.at("runs").as_array();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_DOUBLE_EQ(nanoseconds(runs[0].at("speedup")), 1);
  EXPECT_GT(nanoseconds(runs[1].at("speedup")), 1.05);
  for (const json::value& run : runs) {
    double sum = 0;
    for (const auto& [kind, time] : run.at("where_ns").as_object()) sum += nanoseconds(time);
    EXPECT_NEAR(sum, nanoseconds(run.at("time_ns")), 1);
    EXPECT_DOUBLE_EQ(nanoseconds(run.at("where_ns").at("gemm")),
                     nanoseconds(runs[0].at("where_ns").at("gemm")))
        << "a GEMM alone is the same in all modes";
  }
  // 16 nodes less are launched where a pair is one kernel.
  EXPECT_NEAR(nanoseconds(runs[0].at("where_ns").at("idle")) -
                  nanoseconds(runs[1].at("where_ns").at("idle")),
              8 * 2000, 1);
}

TEST(WorkloadRun, IsTheSameWithAnyNumberOfJobsAndGpusThatStandForAll) {
  const Words words = shipped("run", "tiny-transformer-tp4") + "--mode t3";
  const double one = nanoseconds(result(words + "--jobs 1").at("runs").at(0).at("time_ns"));
  EXPECT_DOUBLE_EQ(nanoseconds(result(words + "--jobs 3").at("runs").at(0).at("time_ns")), one);
  EXPECT_NEAR(nanoseconds(result(words + "--gpus symmetric").at("runs").at(0).at("time_ns")), one,
              0.01 * one);
}

TEST(WorkloadRun, ANameIsTheTraceThatShipsOnItsOwnMachine) {
  const json::object file = result(shipped("run", "tiny-transformer-tp4") + "--mode t3");
  const json::object named =
      result("run --workload tiny-transformer-tp4 --mode t3 --data elided --tracker model");
  EXPECT_EQ(named.at("scenario"), file.at("scenario"));
  EXPECT_EQ(named.at("parts"), file.at("parts"));
  EXPECT_EQ(named.at("runs").at(0).at("time_ns"), file.at("runs").at(0).at("time_ns"));
  EXPECT_EQ(named.at("trace").at("files"), json::array{"tiny-transformer-tp4"});
}

TEST(WorkloadRun, ACollectiveMayHaveAFileOfItsOwn) {
  const json::object all =
      result(shipped("run", "tiny-transformer-tp4") +
             ("--mode t3 --collective " T3_COLLECTIVES "/ring-all-reduce-4.xml"));
  EXPECT_EQ(all.at("trace").at("pairs").to_number<int>(), 0);
  const json::array& notes = all.at("trace").at("notes").as_array();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].as_string().starts_with(
      "8 collectives behind a GEMM run after it, because they have a file"));
}

TEST(WorkloadRun, WhatCannotBeIsOneLine) {
  const auto refused = [](const Words& more) {
    const test::Outcome outcome = test::t3sim(shipped("run", "tiny-transformer-tp4") + more);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
    return outcome.error;
  };
  EXPECT_EQ(refused("--wave x.fst"), "t3sim: --wave: expected no --workload beside it\n");
  EXPECT_EQ(refused("--timeline x --timeline-scope gpu0"),
            "t3sim: --timeline-scope: expected no --workload beside it\n");
  EXPECT_EQ(refused("--mode ideal-ag"),
            "t3sim: --mode: expected sequential, t3, t3-mca or t3-ag with a trace, got "
            "'ideal-ag'\n");
  EXPECT_EQ(refused("--set gpus=8"), "t3sim: --set: gpus: expected 4, the files of " T3_WORKLOADS
                                     "/tiny-transformer-tp4.0.et, got 8\n");
  EXPECT_EQ(refused("--set gpu1.clock_mhz=900"),
            "t3sim: --workload: expected GPUs without settings of their own, "
            "and workload.shares = equal\n");
}

TEST(WorkloadRun, FilesAreThoseOfTheMachineThatIsNamed) {
  const test::TemporaryDirectory directory;
  for (const char* gpu : {"0", "1", "2"}) {
    std::filesystem::copy(std::string(T3_WORKLOADS "/tiny-transformer-tp4.") + gpu + ".et",
                          directory.path(std::string("t.") + gpu + ".et"));
  }
  const Words words = {"run --mode t3 --tracker model --workload", directory.path("t.0.et")};
  test::expectRefused(
      words + "--preset tiny-tp4",
      {directory.path("t.0.et") +
       ": expected the files of 4 GPUs, which --preset tiny-tp4 has, got 3, the last one " +
       directory.path("t.2.et") + " (--set gpus=3 if this is all)\n"});
  // Three GPUs do not share the preset's own GEMM, which plays no part.
  const json::object three = result(words + "--preset tiny-tp4 --set gpus=3");
  EXPECT_EQ(three.at("scenario").at("gpus").to_number<int>(), 3);
  EXPECT_EQ(result(words).at("scenario").at("gpus").to_number<int>(), 3) << "none is named";
}

TEST(WorkloadRun, LargeCollectivesAreContinuedAlongALine) {
  const Words words = shipped("run", "tiny-transformer-sp-tp4");
  const auto timeOf = [&](const std::string& most) {
    const json::object all =
        result(words + ("--mode sequential --set trace.simulated_bytes=" + most));
    for (const json::value& part : all.at("parts").as_array()) {
      if (part.at("kind").as_string() == "collective") {
        return nanoseconds(part.at("times").at(0).at("time_ns"));
      }
    }
    return 0.0;
  };
  const double whole = timeOf("1000000");
  EXPECT_NEAR(timeOf("262144"), whole, 0.1 * whole) << "it is short: latency counts";
}

TEST(WorkloadRun, BuiltInAlgorithmsKeepTheirPromisesOverNodes) {
  for (const auto& [gpus, places] : {std::pair{4U, 2U}, {8U, 2U}, {8U, 4U}, {9U, 3U}, {64U, 8U}}) {
    SystemConfig config = findPreset("tiny-tp4")->config;
    config.gpus = gpus;
    config.fabric.topology = Topology::TwoLevel;
    config.fabric.gpus_per_node = places;
    const BuiltInCollective broadcast(kBroadcastPromise, config);
    EXPECT_NO_THROW(CollectivePlan(config, broadcast.meaning(), false)) << "its links are there";
    for (const Promise* promise :
         {&kReduceScatterPromise, &kAllGatherPromise, &kAllReducePromise}) {
      SCOPED_TRACE(std::string(promise->name) + " on " + std::to_string(gpus));
      const BuiltInCollective builtIn(*promise, config);  // throws if it breaks the promise
      EXPECT_NO_THROW(CollectivePlan(config, builtIn.meaning(), false)) << "its links are there";
      // Chunks of each GPU's algorithm that leave it: N-1 of each kind, by ring and rail.
      const AlgorithmForm& form = builtIn.form();
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sent;
      for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
        const AlgorithmThreadBlock& block = form.threadBlock(b);
        for (const AlgorithmStep& step : block.steps) {
          if (step.kind->sends) ++sent[{form.gpuOf(b), block.channel}];
        }
      }
      const std::uint32_t nodes = gpus / places;
      const std::uint32_t times = promise == &kAllReducePromise ? 2 : 1;
      for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        EXPECT_EQ((sent[{gpu, 0}]), times * nodes * (places - 1));
        EXPECT_EQ((sent[{gpu, 1}]), times * (nodes - 1));
      }
    }
  }
}

TEST(WorkloadRun, BuiltInAlgorithmsAreThoseOfTheFiles) {
  struct Row {
    const char* file;
    const Promise* promise;
    Topology topology;
  };
  const Row rows[] = {
      {"ring-all-reduce", &kAllReducePromise, Topology::Ring},
      {"ring-all-gather", &kAllGatherPromise, Topology::Ring},
      {"ring-reduce-scatter", &kReduceScatterPromise, Topology::Ring},
      {"ring-broadcast", &kBroadcastPromise, Topology::Ring},
      {"two-rings-all-reduce", &kAllReducePromise, Topology::BidirectionalRing},
      {"two-rings-all-gather", &kAllGatherPromise, Topology::BidirectionalRing},
      {"two-rings-reduce-scatter", &kReduceScatterPromise, Topology::BidirectionalRing},
      {"direct-all-reduce", &kAllReducePromise, Topology::FullyConnected},
      {"direct-all-gather", &kAllGatherPromise, Topology::Switch},
      {"direct-reduce-scatter", &kReduceScatterPromise, Topology::FullyConnected},
      {"all-to-all", &kAllToAllPromise, Topology::FullyConnected},
  };
  for (const std::uint32_t gpus : {4U, 8U}) {
    for (const Row& row : rows) {
      SystemConfig config = findPreset("tiny-tp4")->config;
      config.gpus = gpus;
      config.fabric.topology = row.topology;
      const BuiltInCollective builtIn(*row.promise, config);
      const CollectiveFile file(T3_COLLECTIVES "/" + std::string(row.file) + "-" +
                                std::to_string(gpus) + ".xml");
      const AlgorithmForm form(file.algorithm());
      const AlgorithmForm& own = builtIn.form();
      EXPECT_EQ(own.algorithm().chunks, file.algorithm().chunks) << row.file;
      EXPECT_EQ(own.algorithm().inPlace, file.algorithm().inPlace) << row.file;
      ASSERT_EQ(own.threadBlocks(), form.threadBlocks()) << row.file;
      for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
        const AlgorithmThreadBlock& one = own.threadBlock(b);
        const AlgorithmThreadBlock& other = form.threadBlock(b);
        EXPECT_EQ(one.sendsTo, other.sendsTo);
        EXPECT_EQ(one.receivesFrom, other.receivesFrom);
        EXPECT_EQ(one.channel, other.channel);
        ASSERT_EQ(one.steps.size(), other.steps.size()) << row.file;
        for (std::size_t s = 0; s < one.steps.size(); ++s) {
          const AlgorithmStep &step = one.steps[s], &same = other.steps[s];
          EXPECT_EQ(step.kind, same.kind) << row.file;
          EXPECT_EQ(step.count, same.count);
          EXPECT_EQ(step.dependency.has_value(), same.dependency.has_value());
          if (step.dependency && same.dependency) {
            EXPECT_EQ(step.dependency->threadBlock, same.dependency->threadBlock);
            EXPECT_EQ(step.dependency->step, same.dependency->step);
          }
          if (step.kind->readsSource) {
            EXPECT_EQ(step.sourceBuffer, same.sourceBuffer) << row.file;
            EXPECT_EQ(step.source, same.source) << row.file;
          }
          if (step.kind->writesTarget) {
            EXPECT_EQ(step.targetBuffer, same.targetBuffer) << row.file;
            EXPECT_EQ(step.target, same.target) << row.file;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace t3::workload_test
