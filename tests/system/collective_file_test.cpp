// SPDX-License-Identifier: Apache-2.0
// Method: the files of data/collectives/ run in the real program, by kernels and by trackers and
// DMA engines. With checked data on the topology that each is made for, every value is compared
// with the definition of the collective. And what a sublayer's own kernels do, with nothing before
// or after them, is simulated here and compared with the file of the same algorithm: bytes and
// times are equal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/describe/enum_to_string.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "testbench/config/spelling.h"
#include "tests/system/collective_files.h"
#include "tests/system/runs.h"
#include "tlm/collectives/collective.h"
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/system.h"

namespace t3::collective_file_test {
namespace {

using test::fileOf;
using test::outOfPlace;
using test::topologyFor;
using test::Words;

Words runWords(const std::string& file, const std::string& topology, std::uint64_t bytes) {
  const Words fabric = topology == "merging-switch" ? test::onFabric(topology)
                                                    : Words{"--set fabric.topology=" + topology};
  return Words{"run --collective", fileOf(file),
               "--set collective.bytes=" + std::to_string(bytes)} +
         fabric;
}

std::vector<std::string> shippedFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(T3_COLLECTIVES)) {
    files.push_back(entry.path().filename().string());
  }
  std::ranges::sort(files);
  return files;
}

std::string testName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param.substr(0, info.param.size() - 4)) name += c == '-' ? '_' : c;
  return name;
}

class ShippedCollective : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedCollective, KeepsItsPromiseBitByBit) {
  const std::string& file = GetParam();
  const auto run = test::exactRun(runWords(file, topologyFor(file), 393216) +
                                  "--mode sequential --data checked");
  EXPECT_GT(run.at("collective").at("algbw_gb_s").to_number<double>(), 0);
}

TEST_P(ShippedCollective, KeepsItsPromiseBitByBitWithoutAKernel) {
  const std::string& file = GetParam();
  const Words words = runWords(file, topologyFor(file), 393216) + "--data checked";
  if (file.starts_with("nvls-")) {
    test::expectRefused(
        words + "--mode t3",
        {fileOf(file) + ": collective: expected steps of one or two GPUs, because trackers "
                        "load no sums, got steps of all (ls, sa); mode sequential runs "
                        "them\n"});
    return;
  }
  const auto run = test::exactRun(words + "--mode t3 --tracker lockstep");
  EXPECT_GT(test::tracker(run, "updates"), 0U);
  EXPECT_EQ(test::number(run, "link_bytes"),
            test::number(test::runOf(words + "--mode sequential"), "link_bytes"));
}

INSTANTIATE_TEST_SUITE_P(Files, ShippedCollective, ::testing::ValuesIn(shippedFiles()), testName);

TEST(CollectiveFile, EveryDataTypeIsSummedExactly) {
  for (const char* type : {"fp16", "bf16", "fp32", "int32"}) {
    test::exactRun(runWords("direct-all-reduce-4.xml", "switch", 65536) +
                   (std::string("--data checked --set collective.data_type=") + type));
  }
}

TEST(CollectiveFile, TimeDoesNotDependOnDataSeedOrOrder) {
  const Words words = runWords("hierarchical-all-reduce-8.xml", "switch", 262144);
  const auto run = test::runOf(words);
  const std::uint64_t time = test::number(run, "time_ps");
  EXPECT_GT(time, 0U);
  EXPECT_EQ(test::number(test::runOf(words + "--data checked --seed 7"), "time_ps"), time);
  EXPECT_EQ(test::number(test::runOf(words + "--set order_seed=5"), "time_ps"), time);
}

TEST(CollectiveFile, LoopsLetSeparateStepsOverlapAndChangeNoSum) {
  const Words words =
      runWords("hierarchical-all-reduce-4.xml", "fully-connected", 2 << 20) + "--data checked";
  const auto whole = test::runOf(words);
  const auto loops = test::exactRun(words + "--set collective.loop_bytes=65536");
  EXPECT_EQ(test::number(loops, "link_bytes"), test::number(whole, "link_bytes"));
  EXPECT_NE(test::number(loops, "time_ps"), test::number(whole, "time_ps"));
}

TEST(CollectiveFile, AllReduceOfTheRingPassesTheBytesOfItsClosedForm) {
  const std::uint64_t bytes = 1 << 20;
  const auto run = test::runOf(runWords("ring-all-reduce-8.xml", "ring", bytes));
  EXPECT_EQ(test::number(run, "link_bytes"), 2 * 7 * bytes);
  const auto& figures = run.at("other_collectives").at(0).as_object();
  EXPECT_EQ(test::number(figures, "dram_read"), (3 * 8 - 3) * bytes / 8);
  EXPECT_EQ(test::number(figures, "dram_write"), (2 * 8 - 1) * bytes / 8);
}

TEST(CollectiveFile, TrackersReduceTheRingWithOneReadAndOneUpdateForEachHop) {
  const std::uint64_t bytes = 1 << 20;
  const Words words = runWords("ring-all-reduce-8.xml", "ring", bytes);
  const auto run = test::runOf(words + "--mode t3");
  EXPECT_EQ(test::number(run, "link_bytes"), 2 * 7 * bytes);
  const auto& figures = run.at("other_collectives").at(0).as_object();
  EXPECT_EQ(test::number(figures, "dram_read"), 2 * 7 * bytes / 8);
  EXPECT_EQ(test::number(figures, "dram_write"), 2 * 7 * bytes / 8);
  const std::uint64_t blocks = bytes / 8 / 32768;
  EXPECT_EQ(test::tracker(run, "triggers"), 8 * 14 * blocks) << "each that comes";
  EXPECT_LT(test::number(run, "time_ps"), test::number(test::runOf(words), "time_ps"));
  EXPECT_EQ(test::number(test::runOf(words + "--mode t3 --data checked"), "time_ps"),
            test::number(run, "time_ps"));
}

TEST(CollectiveFile, SumsGoToAccumulatorsWhereTheInputMustStay) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("ring.xml");
  std::ofstream(path) << outOfPlace("ring-all-reduce-4.xml", "4");
  const std::uint64_t bytes = 1 << 20, chunk = bytes / 4;
  const auto run =
      test::exactRun({"run --collective", path,
                      "--mode t3 --tracker lockstep --data checked --set collective.bytes=" +
                          std::to_string(bytes)});
  EXPECT_EQ(test::number(run, "link_bytes"), 2 * 3 * bytes);
  const auto& figures = run.at("other_collectives").at(0).as_object();
  // 1 chunk is sent; 3 are added to accumulators, with what arrives, and read from there, one is
  // stored; of 3 that arrive 2 are read.
  EXPECT_EQ(test::number(figures, "dram_read"), (1 + 3 + 3 + 2) * chunk);
  EXPECT_EQ(test::number(figures, "dram_write"), (3 + 3 + 1 + 3) * chunk);
}

TEST(CollectiveFile, SlicesGrowUntilTheSlotsAreEnough) {
  const Words words = runWords("ring-all-reduce-8.xml", "ring", 4 << 20) +
                      "--preset tiny-tp4 --mode t3 --tracker model";
  const auto triggers = [&](const char* slots) {
    const auto byMode = test::runs(words + (std::string("--set tracker.slots=") + slots));
    return byMode.size() == 1 ? test::tracker(byMode.begin()->second, "triggers") : 0;
  };
  // Each GPU receives 14 chunks of 512 KiB: 16 blocks of 32 KiB, or 8 of 64.
  EXPECT_EQ(triggers("256"), 8U * 14 * 16);
  EXPECT_EQ(triggers("128"), 8U * 14 * 8);
}

TEST(CollectiveFile, TooFewSlotsAreOneLineWithTheNumbers) {
  test::expectRefused(
      runWords("ring-all-reduce-8.xml", "ring", 10000000000) + "--mode t3",
      {fileOf("ring-all-reduce-8.xml") +
       ": tracker.slots: expected at least 8358, one for each block of the 14 chunks of "
       "1250000000 bytes that a GPU receives, got 4096\n"});
}

TEST(CollectiveFile, ModesWithoutAMeaningAreRefused) {
  test::expectRefused(
      runWords("ring-all-reduce-8.xml", "ring", 65536) + "--mode t3-ag",
      {"--mode: expected sequential, t3 or t3-mca with --collective, got 't3-ag'\n"});
}

TEST(CollectiveFile, RecordingsDoNotChangeWhatIsSimulated) {
  for (const char* mode : {"sequential", "t3", "t3-mca"}) {
    test::expectRecordingsChangeNothing(runWords("ring-all-reduce-4.xml", "ring", 65536) +
                                        "--data checked --mode" + mode);
  }
}

TEST(CollectiveFile, BusBandwidthIsWhatCollectiveBenchmarksPrint) {
  const std::uint64_t bytes = 1 << 20;
  const auto run = test::runOf(runWords("ring-all-reduce-8.xml", "ring", bytes));
  const double ns = static_cast<double>(test::number(run, "time_ps")) / 1e3;
  const auto& collective = run.at("collective").as_object();
  EXPECT_NEAR(collective.at("algbw_gb_s").to_number<double>(), static_cast<double>(bytes) / ns,
              1e-9);
  EXPECT_NEAR(collective.at("busbw_gb_s").to_number<double>(),
              static_cast<double>(bytes) / ns * 2 * 7 / 8, 1e-9);
}

/// Of a link that is never idle: what is above its bound are start and flags.
void expectAtBound(const Words& words, double most, const std::string& what) {
  const auto run = test::runOf(words);
  const double bound = run.at("bound_ns").at("total").to_number<double>();
  const double time = run.at("time_ns").to_number<double>();
  EXPECT_GE(time, bound) << what;
  EXPECT_LE(time, most * bound) << what;
}

TEST(CollectiveFile, ItsBoundHasTheFlagsAndHeadersOfItsLinks) {
  const test::TemporaryDirectory directory;
  const std::string ring = test::readFile(fileOf("ring-all-gather-4.xml"));
  const auto words = [](const std::string& file, const Words& more) {
    return Words{"run --collective", file, "--set collective.bytes=4MiB"} + more;
  };
  for (const char* protocol : {"Simple", "LL", "LL128"}) {
    std::string text = ring;
    text.replace(text.find("\"Simple\""), 8, "\"" + std::string(protocol) + "\"");
    const std::string file = directory.write("a.xml", text);
    expectAtBound(words(file, {}), 1.03, protocol);
    const Words headers = "--set link.header_bytes=32 --set link.packet_bytes=128";
    expectAtBound(words(file, headers), 1.03, std::string(protocol) + ", headers");
  }
  // Requests that are smaller than a packet.
  expectAtBound(words(fileOf("ring-all-gather-4.xml"),
                      {"--set link.header_bytes=64 --set link.packet_bytes=4096 --set "
                       "gpu.collective.request_bytes=256"}),
                1.03, "small requests");
  expectAtBound(words(fileOf("ring-all-gather-4.xml"),
                      {"--mode t3 --tracker model --set link.header_bytes=32"}),
                1.1, "DMA engines");
  expectAtBound(words(fileOf("ring-all-gather-4.xml"), "--set workload.repeat=3"), 1.03,
                "three in a row");
  expectAtBound(words(fileOf("nvls-all-reduce-8.xml"),
                      test::onFabric("merging-switch") +
                          "--set link.header_bytes=32 --set link.packet_bytes=128 --set "
                          "link.input_buffer_bytes=16384"),
                1.1, "requests for sums");
}

TEST(CollectiveFile, AMissingLinkIsOneLine) {
  test::expectRefused(runWords("direct-all-reduce-8.xml", "ring", 65536),
                      {fileOf("direct-all-reduce-8.xml") +
                       ": fabric.topology: expected a link from GPU 0 to GPU 2, as the "
                       "collective needs (fully-connected and switch have all links)\n"});
}

TEST(CollectiveFile, NodesThatItsGpusDoNotFillAreOneLine) {
  test::expectRefused(runWords("hierarchical-all-reduce-4.xml", "two-level", 65536),
                      {"gpus_per_node: expected at least 2 whole nodes of the "
                       "4 GPUs, got nodes of 4\n"});
}

TEST(CollectiveFile, ALostWriteEndsTheRun) {
  const Words words =
      runWords("ring-all-reduce-4.xml", "ring", 65536) + "--set gpu1.link.lose_write=3";
  test::expectFails(words, {"deadlock", "waits for slice 0 of another GPU"});
  test::expectFails(words + "--mode t3", {"deadlock", "waits for 1 blocks of another GPU"});
}

// ---- several in a row -------------------------------------------------------------------------

Words inARow(Words words, const std::string& rounds = "3") {
  return words + ("--set workload.repeat=" + rounds) + "--data checked";
}

/// By kernels, and by trackers.
const std::vector<Words> kBothWays = {{"--mode sequential"}, {"--mode t3 --tracker lockstep"}};

TEST(CollectivesInARow, KeepTheirPromiseEachTimeInTheSameBuffers) {
  for (const char* file : {"ring-all-reduce-4.xml", "two-rings-reduce-scatter-4.xml",
                           "direct-all-gather-4.xml", "ring-broadcast-4.xml"}) {
    const Words words = runWords(file, topologyFor(file), 196608);
    for (const Words& way : kBothWays) {
      SCOPED_TRACE(std::string(file) + " " + way[1]);
      const auto one = test::runOf(words + "--data checked" + way);
      const auto run = test::exactRun(inARow(words) + way);
      EXPECT_EQ(test::number(run, "link_bytes"), 3 * test::number(one, "link_bytes"));
      EXPECT_EQ(test::number(run.at("verification").as_object(), "elements"),
                3 * test::number(one.at("verification").as_object(), "elements"));
      const auto& rounds = run.at("sublayers").as_array();
      ASSERT_EQ(rounds.size(), 3U);
      EXPECT_EQ(test::number(rounds[0].as_object(), "end_ps"), test::number(one, "time_ps"));
      const std::uint64_t first = test::number(rounds[0].as_object(), "end_ps");
      const std::uint64_t last = test::number(rounds[2].as_object(), "end_ps");
      EXPECT_EQ(test::number(run, "time_ps"), last);
      const auto steady = run.at("steady_ns").to_number<double>();
      EXPECT_NEAR(steady, static_cast<double>(last - first) / 2e3, 1e-3);
      const auto bytes = run.at("collective").at("bytes").to_number<double>();
      EXPECT_NEAR(run.at("collective").at("algbw_gb_s").to_number<double>(), bytes / steady, 1e-9);
    }
  }
}

TEST(CollectivesInARow, ByTheSwitchLoadSumsEachTime) {
  test::exactRun(inARow(runWords("nvls-all-reduce-4.xml", "merging-switch", 196608)));
}

// Who sends a chain its buffer has ended long before the last GPU begins.
TEST(CollectivesInARow, WaitForAGpuThatIsLate) {
  for (const char* file : {"ring-broadcast-4.xml", "ring-all-reduce-4.xml"}) {
    const Words words = runWords(file, "ring", 196608) + "--set gpu3.launch_delay_us=60";
    for (const Words& way : kBothWays) {
      test::exactRun(inARow(words) + way);
    }
  }
}

TEST(CollectivesInARow, FindAccumulatorsThatHoldZeros) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("ring.xml");
  std::ofstream(path) << outOfPlace("ring-all-reduce-4.xml", "4");
  test::exactRun(inARow(
      {"run --collective", path, "--mode t3 --tracker lockstep --set collective.bytes=196608"}));
}

/// Out of place, with a channel for each pair of GPUs: a GPU has no part in some of the kernels.
std::string allToAllByPairs(std::uint32_t gpus) {
  const auto number = [](std::uint32_t value) { return std::to_string(value); };
  std::string text = "<algo name=\"pairs\" proto=\"Simple\" nchannels=\"" +
                     number(gpus * (gpus - 1) / 2) + "\" ngpus=\"" + number(gpus) +
                     "\" coll=\"alltoall\" nchunksperloop=\"" + number(gpus) +
                     "\" inplace=\"0\" outofplace=\"1\">\n";
  for (std::uint32_t g = 0; g < gpus; ++g) {
    text += "<gpu id=\"" + number(g) + "\" i_chunks=\"" + number(gpus) + "\" o_chunks=\"" +
            number(gpus) + "\" s_chunks=\"0\">\n";
    std::uint32_t blocks = 0;
    const auto block = [&](const std::string& send, const std::string& receive,
                           std::uint32_t channel, const char* type, std::uint32_t from,
                           std::uint32_t to) {
      text += "<tb id=\"" + number(blocks++) + "\" send=\"" + send + "\" recv=\"" + receive +
              "\" chan=\"" + number(channel) + "\"><step s=\"0\" type=\"" + type +
              "\" srcbuf=\"i\" srcoff=\"" + number(from) + "\" dstbuf=\"o\" dstoff=\"" +
              number(to) + "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/></tb>\n";
    };
    block("-1", "-1", 0, "cpy", g, g);
    std::uint32_t channel = 0;
    for (std::uint32_t one = 0; one < gpus; ++one) {
      for (std::uint32_t other = one + 1; other < gpus; ++other, ++channel) {
        if (g != one && g != other) continue;
        const std::uint32_t peer = g == one ? other : one;
        block(number(peer), "-1", channel, "s", peer, g);
        block("-1", number(peer), channel, "r", peer, peer);
      }
    }
    text += "</gpu>\n";
  }
  return text + "</algo>\n";
}

TEST(CollectivesInARow, HaveKernelsInWhichAGpuHasNoPart) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("pairs.xml");
  std::ofstream(path) << allToAllByPairs(4);
  for (const Words& way : kBothWays) {
    test::exactRun(inARow({"run --collective", path,
                           "--set collective.bytes=64KiB --set fabric.topology=fully-connected"}) +
                   way);
  }
}

// On two rings a GPU has two neighbours, and the chain sends to one of them.
TEST(CollectivesInARow, WaitForThoseToWhichTheySendOnly) {
  const auto time = [](const char* topology) {
    const auto run = test::runOf(inARow(runWords("ring-broadcast-8.xml", topology, 262144), "6"));
    return run.at("steady_ns").to_number<double>();
  };
  EXPECT_EQ(time("bidirectional-ring"), time("ring"));
}

TEST(CollectivesInARow, AreRefusedWhereNobodyWritesZeros) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("ring.xml");
  std::ofstream(path) << outOfPlace("ring-all-reduce-4.xml", "4");
  const Words words = {
      "run --collective", path,
      "--mode t3 --set collective.bytes=196608 --set hbm.initial_value=zero-over-bus"};
  test::exactRun(words + "--data checked");
  test::expectRefused(inARow(words), {"workload.repeat: expected 1 with "
                                      "hbm.initial_value = zero-over-bus"});
}

TEST(CollectivesInARow, SayWhoWaitsForTheNextOne) {
  test::expectFails(
      inARow(runWords("ring-broadcast-4.xml", "ring", 65536) + "--set gpu1.link.lose_write=2"),
      {"gpu1: round 2 of 3: waits until those to which it sends are "
       "ready for it"});
}

// ---- one GPU for all --------------------------------------------------------------------------

// Without hashes, chunks that go round all banks meet the same rows at every GPU.
TEST(CollectiveOfOneGpu, TakesTheTimeOfAllToThePicosecond) {
  for (const auto& [file, topology] : {std::pair("ring-reduce-scatter-4.xml", "ring"),
                                       {"ring-all-reduce-4.xml", "switch"},
                                       {"direct-reduce-scatter-4.xml", "fully-connected"},
                                       {"all-to-all-4.xml", "switch"}}) {
    for (const char* mode : {"sequential", "t3"}) {
      SCOPED_TRACE(std::string(file) + " " + mode);
      const Words words = runWords(file, topology, 4 << 20) + "--mode" + mode +
                          "--tracker model --data elided --set hbm.channel_hash=false --set "
                          "hbm.bank_hash=false --set hbm.group_hash=false";
      const auto all = test::runOf(words);
      const auto one = test::runOf(words + "--gpus symmetric");
      EXPECT_EQ(one.at("per_gpu").as_array().size(), 1U);
      EXPECT_EQ(test::number(one, "link_bytes"), test::number(all, "link_bytes"));
      EXPECT_EQ(one.at("other_collectives"), all.at("other_collectives"));
      EXPECT_EQ(test::number(one, "time_ps"), test::number(all, "time_ps"));
    }
  }
}

// Else chunks that GPUs read and add together lie in other banks at each of them.
TEST(CollectiveOfOneGpu, TakesAboutTheTimeOfAll) {
  for (const auto& [file, topology] : {std::pair("ring-all-reduce-8.xml", "ring"),
                                       {"two-rings-all-reduce-8.xml", "bidirectional-ring"},
                                       {"direct-all-reduce-8.xml", "fully-connected"}}) {
    for (const char* mode : {"sequential", "t3"}) {
      SCOPED_TRACE(std::string(file) + " " + mode);
      const Words words = runWords(file, topology, 1 << 20) + "--mode" + mode +
                          "--tracker model --data elided --set workload.repeat=2";
      const auto all = test::runOf(words);
      const auto one = test::runOf(words + "--gpus symmetric");
      EXPECT_EQ(one.at("per_gpu").as_array().size(), 1U);
      EXPECT_EQ(test::number(one, "link_bytes"), test::number(all, "link_bytes"));
      const auto time = [](const auto& run) {
        return static_cast<double>(test::number(run, "time_ps"));
      };
      EXPECT_NEAR(time(one) / time(all), 1, 0.02);
    }
  }
}

TEST(CollectiveOfOneGpu, IsRecorded) {
  test::expectRecordingsChangeNothing(
      runWords("direct-all-reduce-4.xml", "fully-connected", 65536) +
      "--data elided --mode t3 --gpus symmetric");
}

TEST(CollectiveOfOneGpu, IsRefusedWhereGpusDoDifferentThings) {
  for (const char* mode : {"sequential", "t3"}) {
    test::expectRefused(
        runWords("ring-broadcast-4.xml", "ring", 65536) + "--gpus symmetric --data elided --mode" +
            mode,
        {fileOf("ring-broadcast-4.xml") +
         ": simulated_gpus: expected explicit, because the GPUs of the collective do not "
         "all do the same with other chunks, so no GPU stands for all\n"});
  }
}

// A collective of a sublayer, alone, from time 0.
struct BuiltIn {
  const Collective* collective;
  const char* file;
  Topology topology;
};

const Collective* collectiveAlone;

class BuiltInCollective : public ::testing::TestWithParam<BuiltIn> {};

TEST_P(BuiltInCollective, EqualsItsFile) {
  const BuiltIn& builtIn = GetParam();
  const std::uint64_t bytes = 16 << 20;
  SystemConfig config;
  config.fabric.topology = builtIn.topology;
  config.workload.rows = 8192;
  config.workload.columns = 1024;
  config.workload.depth = 64;
  // The buffers begin at other addresses, which the hashes turn into other conflicts.
  config.hbm.channel_hash = config.hbm.bank_hash = config.hbm.group_hash = false;
  ASSERT_EQ(config.check(), std::nullopt);
  collectiveAlone = builtIn.collective;
  ModeKind mode{.name = "alone"};
  mode.graph = [](const SystemConfig&) {
    Graph graph;
    addKernels(graph, *collectiveAlone);
    return graph;
  };
  mode.bound = [](const BoundParts&) { return 0.0; };
  System system(config, Mode{mode}, TrackerKind::Model);
  const RunResult expected = system.run();
  ASSERT_EQ(expected.error, "");

  const auto byMode = test::runs(
      runWords(builtIn.file, kebabCase(boost::describe::enum_to_string(builtIn.topology, "")),
               bytes) +
      "--set hbm.channel_hash=false --set hbm.bank_hash=false --set hbm.group_hash=false");
  ASSERT_EQ(byMode.size(), 1U);
  const auto& run = byMode.begin()->second;
  EXPECT_EQ(test::number(run, "link_bytes"), expected.link_bytes);
  const auto& figures = run.at("other_collectives").at(0).as_object();
  const PhaseFigures& same = expected.of(builtIn.collective->phase);
  EXPECT_EQ(test::number(figures, "dram_read"), same.dram_read);
  EXPECT_EQ(test::number(figures, "dram_write"), same.dram_write);
  EXPECT_EQ(test::number(run, "time_ps"), expected.phases.back().end_ps);
}

INSTANTIATE_TEST_SUITE_P(
    All, BuiltInCollective,
    ::testing::Values(
        BuiltIn{&kReduceScatter, "ring-reduce-scatter-8.xml", Topology::Ring},
        BuiltIn{&kAllGather, "ring-all-gather-8.xml", Topology::Ring},
        BuiltIn{&kAllReduce, "ring-all-reduce-8.xml", Topology::Ring},
        BuiltIn{&kReduceScatter, "two-rings-reduce-scatter-8.xml", Topology::BidirectionalRing},
        BuiltIn{&kAllGather, "two-rings-all-gather-8.xml", Topology::BidirectionalRing},
        BuiltIn{&kReduceScatter, "direct-reduce-scatter-8.xml", Topology::FullyConnected},
        BuiltIn{&kAllGather, "direct-all-gather-8.xml", Topology::FullyConnected},
        BuiltIn{&kReduceScatter, "direct-reduce-scatter-8.xml", Topology::Switch},
        BuiltIn{&kAllGather, "direct-all-gather-8.xml", Topology::Switch}));

}  // namespace
}  // namespace t3::collective_file_test
