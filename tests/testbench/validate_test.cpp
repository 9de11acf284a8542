// SPDX-License-Identifier: Apache-2.0
// Method: the collectives that were measured are read by the project's own reader, which proves
// what they do, and run on the machine with checked data. `t3sim validate` gets measured times
// that are made from simulated ones, so every error it must say is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/measured_algorithm.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/config/config_error.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "testbench/report/text.h"
#include "testbench/validate/measurements.h"
#include "testbench/validate/validation.h"
#include "tests/testbench/refused.h"
#include "tlm/collectives/promise.h"

namespace t3::validate_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kHeader = "collective,algorithm,file,bytes,time_us\n";
const std::string kMethodHeader = "collective,method,tokens,bytes,time_us\n";
const std::string kBlocksHeader = "tokens,bytes,thread_blocks,time_us\n";
const std::string kGemmHeader = "source,machine,op,gpus,m,n,k_per_gpu,type,variant,time_ms\n";
const std::string kPrefillHeader = "source,model,gpus,batch,tokens,network,prefill_ms,runs\n";

std::string refusal(const std::string& text) {
  return test::refusalOf([&] { readMeasurements(text, "t.csv"); });
}

std::set<std::string> namesOf(const std::vector<Measurement>& all) {
  std::set<std::string> names;
  for (const Measurement& one : all) names.insert(one.name);
  return names;
}

TEST(Measurements, OfTheProgramAreThoseOfEachNameAndSize) {
  const std::vector<Measurement> mi300x = shippedMeasurements(machineNamed("mi300x-x8", ""));
  EXPECT_EQ(namesOf(mi300x).size(), 40U);
  EXPECT_EQ(mi300x.size(), 36U * 23 + 23 + 23 + 16 + 18);
  EXPECT_EQ(std::ranges::count(mi300x, std::string("all-reduce"), &Measurement::set), 80);
  const std::vector<Measurement> h100 = shippedMeasurements(machineNamed("h100-x8", ""));
  EXPECT_EQ(std::ranges::count(h100, std::string("nccl"), &Measurement::set), 30);
  EXPECT_EQ(std::ranges::count(h100, std::string("multimem"), &Measurement::set), 30);
  EXPECT_EQ(std::ranges::count(h100, std::string("gemm"), &Measurement::set), 6);
}

TEST(Measurements, ThatGaveSettingsAreThereAndAtMostThree) {
  for (const KnownMachine& machine : machines()) {
    EXPECT_LE(machine.measured.size(), 3U) << machine.name;
    const std::vector<Measurement> all = shippedMeasurements(machine);
    for (const std::string& gave : machine.measured) {
      EXPECT_TRUE(std::ranges::any_of(all, [&](const Measurement& one) {
        return one.name == gave || one.name + " " + std::to_string(one.size) == gave;
      })) << gave;
    }
  }
}

TEST(Measurements, SayWhatRuns) {
  const auto only = [](const std::string& text) { return readMeasurements(text, "t.csv").at(0); };
  const auto algorithm = [&](const std::string& text) {
    return std::get<CollectiveRun>(only(text).run).algorithm;
  };
  EXPECT_EQ(algorithm(kHeader + "allreduce,allpair,ar_allpair_ll_x_4,1024,12\n"),
            "ar_allpair_ll_x_4");
  EXPECT_EQ(algorithm(kMethodHeader + "all_gather,nccl,4096,67108864,218.6\n"),
            "ag_nccl_simple_24_1");
  EXPECT_EQ(algorithm(kMethodHeader + "reduce_scatter,multimem,64,1048576,16\n"),
            "rs_multimem_simple_x_8");
  EXPECT_EQ(algorithm(kBlocksHeader + "64,1048576,2,17.9\n"), "ar_multimem_simple_x_2");
  const Measurement gemm = only(kGemmHeader + "s,h100,gemm+rs,8,1024,8192,3584,bf16,serial,0.18\n");
  EXPECT_EQ(std::get<GemmRun>(gemm.run).depth, 3584U);
  EXPECT_EQ(gemm.size, 1024U);
  EXPECT_NEAR(gemm.time_us, 180, 1e-9);
  const Measurement prefill =
      only(kPrefillHeader + "ladder,llama-3-70b,4,4,4096,ladder,423.16,15\n");
  EXPECT_EQ(std::get<PrefillRun>(prefill.run).graph, "llama-3-70b/ladder/4096/1024");
  EXPECT_EQ(prefill.gpus, 4U);
  EXPECT_EQ(prefill.name, "ladder_ladder_4");
  EXPECT_FALSE(std::get<PrefillRun>(prefill.run).multimem);
  const Measurement halves =
      only(kPrefillHeader + "tokenweave,Llama-3.3-70B-Instruct,8,1,1024,overlap-fused,46.16,\n");
  EXPECT_EQ(std::get<PrefillRun>(halves.run).graph, "llama-3-70b/halves/1024/1024");
  EXPECT_TRUE(std::get<PrefillRun>(halves.run).multimem);
}

TEST(Measurements, OfWhatIsNotModelledAreLeftOut) {
  EXPECT_EQ(readMeasurements(kGemmHeader + "s,mi355x,gemm+a2a,4,2048,18432,8192,bf16,copy,0.5\n"
                                           "s,h100,gemm+rs,8,1024,8192,3584,bf16,fused,0.2\n"
                                           "s,h100,gemm+rs,8,1024,8192,3584,bf16,serial,0.18\n",
                             "t.csv")
                .size(),
            1U);
}

TEST(Measurements, BadRowsAreRefusedWithLineAndExpectation) {
  const std::string good = "allgather,ring,ag_ring_ll_2_1,1024,16.76\n";
  EXPECT_EQ(refusal(kHeader + good), "");
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "t.csv: expected a line of names and measured times"},
      {kHeader + "allgather,ring,ag_ring_ll_2_1,1024\n", "t.csv: line 2: expected 5 fields, got 4"},
      {kHeader + "allreduce,ring,ag_ring_ll_2_1,1024,1\n",
       "t.csv: line 2: collective: expected allgather, as the file's name says, got 'allreduce'"},
      {kHeader + "allgather,ring,ag_ring_lll_2_1,1024,1\n",
       "t.csv: line 2: file: expected ag_ring_PROTOCOL_CHANNELS_INSTANCES, "
       "ag_allpair_PROTOCOL_x_INSTANCES or ar_allpair_PROTOCOL_x_INSTANCES, got 'ag_ring_lll_2_1'"},
      {kHeader + "allgather,allpair,ag_ring_ll_2_1,1024,1\n",
       "t.csv: line 2: algorithm: expected ring, as the file's name says, got 'allpair'"},
      {kHeader + "allgather,ring,ag_ring_ll_2_1,1k,1\n",
       "t.csv: line 2: bytes: expected a whole number above 0, got '1k'"},
      {kHeader + "allgather,ring,ag_ring_ll_2_1,1024,-1\n",
       "t.csv: line 2: time_us: expected a number above 0, got '-1'"},
      {kHeader + "allgather,ring,ag_ring_ll_2_1,1024,inf\n",
       "t.csv: line 2: time_us: expected a number above 0, got 'inf'"},
      {kHeader + good + good,
       "t.csv: line 3: expected each name and size once, got ag_ring_ll_2_1 with 1024 again"},
      {kMethodHeader + "broadcast,nccl,1,1,1\n",
       "t.csv: line 2: collective: expected all_reduce, reduce_scatter or all_gather, got "
       "'broadcast'"},
      {kMethodHeader + "all_reduce,rccl,1,1,1\n",
       "t.csv: line 2: method: expected nccl or multimem, got 'rccl'"},
      {kBlocksHeader + "64,1024,65,1\n", "t.csv: line 2: thread_blocks: expected 1 to 64, got 65"},
      {kPrefillHeader + "s,gpt-2,8,1,1024,dense,1,1\n",
       "t.csv: line 2: model: expected llama-3-70b or Llama-3.3-70B-Instruct, got 'gpt-2'"},
      {kPrefillHeader + "s,llama-3-70b,8,3,1024,dense,1,1\n",
       "t.csv: line 2: tokens: expected a multiple of batch, got 1024"},
      {kPrefillHeader + "s,m,8,1,1024,sparse,1,1\n",
       "t.csv: line 2: network: expected dense, ladder, no-communication, baseline-multimem or "
       "overlap-fused, got 'sparse'"},
  };
  for (const auto& [text, expected] : bad) EXPECT_EQ(refusal(text), expected);
  EXPECT_THAT(refusal("a,b\n"), HasSubstr("t.csv: line 1: expected the line "
                                          "'collective,algorithm,file,bytes,time_us', "));
}

TEST(MeasuredAlgorithm, NamesThatAreNoneAreNone) {
  for (const char* name :
       {"", "ag_ring_ll_2", "ag_ring_ll_0_1", "ag_ring_ll_2_65", "ag_ring_ll_x_1",
        "ag_allpair_ll_1_1", "ar_ring_ll_2_1", "ag_ring_ll_2_1_1", "rs_allpair_ll_x_1",
        "ar_nccl_ll_x_1", "ar_multimem_simple_8_1", "bc_nccl_ll_24_1"}) {
    EXPECT_FALSE(MeasuredAlgorithm::named(name)) << name;
  }
}

TEST(MeasuredAlgorithm, EveryMeasuredFileDoesWhatItsNameSays) {
  for (const std::string& name : namesOf(shippedMeasurements(machineNamed("mi300x-x8", "")))) {
    SCOPED_TRACE(name);
    const MeasuredAlgorithm measured = *MeasuredAlgorithm::named(name);
    const CollectiveFile file(mscclText(algorithmNamed(name, 8)), name);
    const bool ring = measured.kind == "ring", gathers = measured.promise == &kAllGatherPromise;
    EXPECT_EQ(file.algorithm().promise, measured.promise);
    EXPECT_EQ(file.algorithm().threadBlocks(), 8U * measured.instances *
                                                   (ring      ? measured.channels
                                                    : gathers ? 7
                                                              : 8));
    EXPECT_EQ(file.algorithm().chunks, 8 * measured.instances * (gathers ? 1 : 8));
  }
}

TEST(MeasuredAlgorithm, LibrariesAndKernelsDoTheThreeCollectives) {
  for (const std::string collective : {"ag", "ar", "rs"}) {
    for (const std::string how : {"_nccl_ll128_3_1", "_nccl_simple_2_2", "_multimem_simple_x_3"}) {
      for (const std::uint32_t gpus : {2U, 3U, 8U}) {
        SCOPED_TRACE(collective + how + " of " + std::to_string(gpus));
        const CollectiveFile file(mscclText(algorithmNamed(collective + how, gpus)), "it");
        EXPECT_EQ(file.algorithm().promise, MeasuredAlgorithm::named(collective + how)->promise);
      }
    }
  }
}

// The steps of the public file ar_allpair_simple_x_1, of GPU 2: thread block 3 is for GPU 3.
TEST(MeasuredAlgorithm, AllPairsAddUpSevenChunksOfScratch) {
  const Algorithm algorithm = algorithmNamed("ar_allpair_simple_x_1", 8);
  ASSERT_EQ(algorithm.gpus[2].threadBlocks.size(), 8U);
  EXPECT_EQ(algorithm.gpus[2].scratchChunks, 56U);
  const AlgorithmThreadBlock& block = algorithm.gpus[2].threadBlocks[3];
  EXPECT_EQ(block.sendsTo, 3U);
  EXPECT_EQ(block.receivesFrom, 3U);
  std::vector<std::string> steps;
  for (const AlgorithmStep& step : block.steps) {
    if (step.kind == &kNop) continue;
    steps.push_back(std::string(step.kind->name) + " " + std::to_string(step.source) + " " +
                    std::to_string(step.target) + " " + std::to_string(step.count));
  }
  EXPECT_THAT(steps, ElementsAre("s 24 16 8", "r 16 16 8", "re 3 19 1", "re 11 19 1", "re 19 19 1",
                                 "re 27 19 1", "re 35 19 1", "re 43 19 1", "re 51 19 1",
                                 "s 16 16 8", "r 24 24 8"));
}

// By the library's cost model: LL, LL128 and Simple cross at 3.59 and 36.5 MB for an all-reduce, at
// 4.63 and 23.0 MB for half of it.
TEST(NcclAlgorithm, TakesTheProtocolOfTheLibrarysCostModel) {
  const auto protocol = [](const Promise& promise, std::uint64_t bytes) {
    return ncclAlgorithm(promise, 8, bytes);
  };
  EXPECT_EQ(protocol(kAllReducePromise, 3'580'000), "ar_nccl_ll_24_1");
  EXPECT_EQ(protocol(kAllReducePromise, 3'600'000), "ar_nccl_ll128_24_1");
  EXPECT_EQ(protocol(kAllReducePromise, 36'000'000), "ar_nccl_ll128_24_1");
  EXPECT_EQ(protocol(kAllReducePromise, 37'000'000), "ar_nccl_simple_24_1");
  EXPECT_EQ(protocol(kReduceScatterPromise, 4'600'000), "rs_nccl_ll_24_1");
  EXPECT_EQ(protocol(kAllGatherPromise, 4'660'000), "ag_nccl_ll128_24_1");
  EXPECT_EQ(protocol(kAllGatherPromise, 24'000'000), "ag_nccl_simple_24_1");
}

// GPU 3 is 3 places behind GPU 0: of channel 1 of two it has chunks 3, 1, 7 and 5, in that order.
// In the files that were measured each is received whole before it is sent on.
TEST(MeasuredAlgorithm, ChunksOfAChannelFollowOneAnotherInAThreadBlock) {
  const Algorithm algorithm = algorithmNamed("ag_ring_simple_2_1", 8);
  ASSERT_EQ(algorithm.gpus[3].threadBlocks.size(), 2U);
  const AlgorithmThreadBlock& block = algorithm.gpus[3].threadBlocks[1];
  EXPECT_EQ(block.channel, 1U);
  EXPECT_EQ(block.sendsTo, 4U);
  EXPECT_EQ(block.receivesFrom, 2U);
  std::vector<std::string> steps;
  for (const AlgorithmStep& step : block.steps) {
    steps.push_back(std::string(step.kind->name) + " " + std::to_string(step.target));
  }
  EXPECT_THAT(steps, ElementsAre("s 3", "r 1", "s 1", "r 7", "s 7", "r 5", "s 5"));
}

class OnTheMachine : public testing::TestWithParam<const char*> {};

TEST_P(OnTheMachine, EveryByteIsRight) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.write("ag.xml", mscclText(algorithmNamed(GetParam(), 8)));
  const auto outcome = test::mustRun(
      {"run --collective", file,
       "--machine mi300x-x8 --mode sequential --data checked --set collective.bytes=1000000"});
  EXPECT_THAT(outcome.output, HasSubstr("data exact"));
}

INSTANTIATE_TEST_SUITE_P(Protocols, OnTheMachine,
                         testing::Values("ag_ring_simple_2_2", "ag_ring_ll_4_1",
                                         "ag_ring_LL128_8_1", "ag_allpair_ll_x_2",
                                         "ar_allpair_ll_x_2", "ar_allpair_simple_x_1",
                                         "rs_nccl_ll128_4_1"));

TEST(BandedScatter, NamesThatAreNoneAreNone) {
  for (const char* name :
       {"", "rs_bands", "rs_bands_0", "rs_bands_65", "ag_bands_8", "rs_bands_8_2"}) {
    EXPECT_FALSE(BandedScatter::named(name)) << name;
  }
}

TEST(BandedScatter, ReducesOnAnyNumberOfGpus) {
  for (const char* name : {"rs_bands_1", "rs_bands_6", "rs_bands_64"}) {
    for (const std::uint32_t gpus : {2U, 3U, 8U}) {
      SCOPED_TRACE(name + std::string(" of ") + std::to_string(gpus));
      const CollectiveFile file(mscclText(algorithmNamed(name, gpus)), name);  // throws if not
      EXPECT_EQ(file.algorithm().chunks, gpus * BandedScatter::named(name)->sends);
    }
  }
}

// A GPU sends 3 of its 4 bands, each in one or two sends, from its memory: what a GPU reads of the
// sums of others is what it sends, and no store of its GEMM leaves.
TEST(BandedScatter, CopyEnginesSendWhatAGemmHasStored) {
  const test::TemporaryDirectory directory;
  for (const char* name : {"rs_bands_1", "rs_bands_2"}) {
    SCOPED_TRACE(name);
    const std::string file = directory.write("rs.xml", mscclText(algorithmNamed(name, 4)));
    const auto outcome = test::mustRun(
        {"run --preset tiny-tp4 --set fabric.topology=fully-connected --set workload.collective=" +
             file,
         "--set gpu.dma.whole_chunks=true --mode t3 --json", directory.path("r.json")});
    EXPECT_THAT(outcome.output, HasSubstr("data exact"));
    const auto report = test::readJson(directory.path("r.json"));
    const auto& bytes = report.at("runs").at(0).at("dram_bytes");
    constexpr std::int64_t kSent = 512 * 512 * 2 / 4 * 3;
    EXPECT_EQ(bytes.at("rs_read").as_int64(), kSent);
    EXPECT_EQ(bytes.at("rs_write").as_int64(), kSent);
    EXPECT_EQ(bytes.at("gemm_write").as_int64(), 512 * 512 * 2);
  }
}

TEST(BandedScatter, BoundsSendWhatNobodyAddsTo) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.write("rs.xml", mscclText(algorithmNamed("rs_bands_2", 4)));
  test::mustRun(
      {"compare --preset tiny-tp4 --set fabric.topology=switch --set workload.collective=" + file,
       "--modes t3,t3-ag,ideal-rs-nmc,ideal-ag"});
}

TEST(Machine, SettingsAreLegalAndHaveAnOrigin) {
  for (const KnownMachine& machine : machines()) {
    ScenarioSource source;
    source.machine = machine.name;
    EXPECT_NO_THROW(loadScenario(source)) << machine.name;
    std::set<std::string> keys;
    for (const MachineSetting& setting : machine.settings) {
      const std::string text = setting.assignment;
      EXPECT_TRUE(keys.insert(text.substr(0, text.find('='))).second) << text;
      EXPECT_NE(setting.origin, "") << text;
    }
  }
}

TEST(Machine, WithoutMeasuredTimesCannotBeValidated) {
  test::expectRefused("validate --machine accel-sim",
                      {"--machine: accel-sim has no measured times"});
}

TEST(Machine, IsAppliedBeforeTheUsersSettings) {
  ScenarioSource source;
  source.preset = "tiny-tp4";
  source.machine = "mi300x-x8";
  source.assignments = {{"--set", "link.latency_ns=700"}};
  const SystemConfig scenario = loadScenario(source);
  EXPECT_EQ(scenario.gpus, 8U);
  EXPECT_EQ(scenario.gpu.compute_units, 304U);
  EXPECT_EQ(scenario.link.latency_ns, 700);
  EXPECT_EQ(scenario.workload.rows, 512U) << "of the preset";
}

TEST(Machine, AnUnknownOneIsRefusedByEveryCommandThatTakesOne) {
  for (const test::Words words :
       {"run", "compare", "sweep --sweep seed=1,2", "reproduce --out unused", "validate"}) {
    test::expectRefused(words + "--machine mi300x",
                        {"--machine: unknown machine 'mi300x'", "mi300x-x8"});
  }
}

ValidationPoint pointOf(const std::string& file, std::uint64_t bytes, double measured,
                        double simulated, bool gave = false) {
  ValidationPoint point;
  point.measurement = {.set = "set", .name = file, .size = bytes, .time_us = measured};
  point.simulated_us = simulated;
  point.gaveSettings = gave;
  return point;
}

TEST(ErrorFigures, AreOfErrorsWithoutTheirSigns) {
  const std::vector<ValidationPoint> points = {pointOf("ag_ring_ll_1_2", 1024, 100, 110),
                                               pointOf("ag_ring_ll_1_2", 2048, 100, 60),
                                               pointOf("ag_ring_ll_2_1", 1024, 100, 100)};
  const auto all = [](const ValidationPoint&) { return true; };
  const auto first = [](const ValidationPoint& p) {
    return p.measurement.name == "ag_ring_ll_1_2";
  };
  EXPECT_NEAR(errorFigures("", points, first).geomean, 0.2, 1e-12);
  EXPECT_NEAR(errorFigures("", points, first).mean, 0.25, 1e-12);
  EXPECT_NEAR(errorFigures("", points, first).most, 0.4, 1e-12);
  EXPECT_EQ(errorFigures("", points, all).points, 3U);
  EXPECT_NEAR(errorFigures("", points, all).geomean, std::cbrt(0.1 * 0.4 * 0.001), 1e-12);
  EXPECT_EQ(worstName(points)->name, "ag_ring_ll_1_2");
  EXPECT_EQ(errorFigures("", {}, all).points, 0U);
  EXPECT_FALSE(worstName({pointOf("ag_ring_ll_1_1", 1024, 1, 9, true)}));
}

/// The column of a CSV, row by row.
std::vector<std::string> columnOf(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::vector<std::string> column;
  std::size_t index = 0;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    if (column.empty() && index == 0 && words.front() == "set") {
      index = static_cast<std::size_t>(std::ranges::find(words, name) - words.begin());
      continue;
    }
    column.push_back(words.at(index));
  }
  return column;
}

TEST(Validate, SaysTheErrorOfEachTimeAndOfAll) {
  const test::TemporaryDirectory directory;
  const auto run = [&](const std::vector<std::string>& times) {
    const std::string data = directory.write(
        "times.csv", kHeader + "allgather,ring,ag_ring_ll_2_1,4096," + times[0] +
                         "\nallgather,allpair,ag_allpair_simple_x_1,8192," + times[1] +
                         "\nallgather,ring,ag_ring_ll_1_1,4096," + times[2] +
                         "\nallgather,ring,ag_ring_ll_2_1,134217728,1\n");
    const auto outcome =
        test::mustRun({"validate --data", data, "--out", directory.path("out"), "--jobs 2"});
    return outcome.output;
  };
  run({"1", "1", "1"});
  const auto csv = [&] { return test::readFile(directory.path("out/validate.csv")); };
  std::vector<std::string> simulated = columnOf(csv(), "simulated_us");
  ASSERT_EQ(simulated.size(), 3U);
  const std::vector<double> factors = {1.1, 0.6, 3};
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    simulated[i] = fixed(std::stod(simulated[i]) / factors[i], 9);
  }
  const std::string table = run(simulated);
  EXPECT_THAT(columnOf(csv(), "error"), ElementsAre("0.100000", "-0.400000", "2.000000"));
  EXPECT_THAT(columnOf(csv(), "gave_settings"), ElementsAre("false", "false", "true"));
  EXPECT_THAT(table, HasSubstr("all-gather below 8 MiB: geomean 20.0 %, mean 25.0 %, largest "
                               "40.0 % (2 times)\n"));
  EXPECT_THAT(table, HasSubstr("worst: ag_allpair_simple_x_1, mean 40.0 %"));
  EXPECT_THAT(table, HasSubstr("1 measured times of more than 64 MiB are not simulated (--most)"));
}

// Silicon takes 376 and 101 us for 1 MiB. One step that receives and sends takes a quarter less,
// stores in the order in which their loads return take 16 % more in LL.
TEST(Validate, RingsOfTwoChannelsTakeAsLongAsOnSilicon) {
  const test::TemporaryDirectory directory;
  test::mustRun({"validate --only ag_ring_ll_2_1,ag_ring_simple_2_1 --most 1MiB --out",
                 directory.path("out")});
  const std::string csv = test::readFile(directory.path("out/validate.csv"));
  const std::vector<std::string> bytes = columnOf(csv, "size"), errors = columnOf(csv, "error");
  ASSERT_EQ(bytes, (std::vector<std::string>{"65536", "1048576", "65536", "1048576"}));
  EXPECT_NEAR(std::stod(errors[1]), 0, 0.05) << csv;
  EXPECT_NEAR(std::stod(errors[3]), 0, 0.1) << csv;
}

// Silicon takes 20.5 and 49.4 us. With a slice's cost for each local step it was 75 us for both.
TEST(Validate, LocalStepsCostNoHop) {
  const test::TemporaryDirectory directory;
  test::mustRun({"validate --only ar_allpair_simple_x_1 --most 1MiB --out", directory.path("out")});
  const std::string csv = test::readFile(directory.path("out/validate.csv"));
  for (const std::string& error : columnOf(csv, "error")) {
    EXPECT_NEAR(std::stod(error), 0, 0.1) << csv;
  }
  EXPECT_TRUE(std::filesystem::exists(directory.path("out/runs"))) << "to go on after an interrupt";
}

// Sums that a switch makes, rings of the library, and a GEMM before one, on the other machine.
TEST(Validate, PredictsCollectivesOfAnotherMachine) {
  const test::TemporaryDirectory directory;
  test::mustRun(
      {"validate --machine h100-x8 --only nccl_all_reduce,multimem_all_gather --most 1MiB "
       "--out",
       directory.path("out")});
  const std::string csv = test::readFile(directory.path("out/validate.csv"));
  EXPECT_EQ(columnOf(csv, "name"),
            (std::vector<std::string>{"nccl_all_reduce", "multimem_all_gather"}));
  for (const std::string& error : columnOf(csv, "error")) {
    EXPECT_NEAR(std::stod(error), 0, 0.25) << csv;
  }
}

TEST(Validate, WhatItCannotDoIsRefusedInOneLine) {
  const test::TemporaryDirectory directory;
  const std::string data =
      directory.write("times.csv", kHeader + "allgather,ring,ag_ring_ll_2_1,4096,x\n");
  test::expectRefused({"validate --data", data}, {"times.csv: line 2: time_us: expected"});
  test::expectRefused("validate --only ag_ring_ll_2_9",
                      {"--only: expected names of the data, got 'ag_ring_ll_2_9'"});
  const std::string two = directory.write("two.csv", kHeader +
                                                         "allgather,ring,ag_ring_ll_1_1,1024,20\n"
                                                         "allgather,ring,ag_ring_ll_2_1,4096,20\n");
  test::expectRefused(
      {"validate --data", two, "--most 1024 --only ag_ring_ll_1_1,ag_ring_ll_2_1"},
      {"--only: expected names with a time of a size that is simulated (--all, --most), got "
       "'ag_ring_ll_2_1'"});
  test::expectRefused("validate --most 100", {"--most: leaves no measured time"});
  test::expectRefused("validate --set fabric.topology=ring --only ag_allpair_ll_x_1",
                      {"ag_allpair_ll_x_1: fabric.topology: expected a link"});
}

}  // namespace
}  // namespace t3::validate_test
