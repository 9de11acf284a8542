// SPDX-License-Identifier: Apache-2.0
// Method: the real program with a GEMM in front of the files of data/collectives/, in every mode
// that takes a route. With checked data every GPU's result, through GEMM and collective, equals the
// reference bit by bit, with RTL and twin in lockstep. A file of the built-in algorithm is held
// against the built-in one: it is the same run, to the picosecond. Random small machines run random
// files.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "tests/support/seed.h"
#include "tests/system/collective_files.h"
#include "tests/system/random_settings.h"
#include "tests/system/runs.h"

namespace t3::sublayer_file_test {
namespace {

using test::fileOf;
using test::outOfPlace;
using test::topologyFor;
using test::Words;

Words sublayer(const std::string& topology, const std::string& rows = "256") {
  return {"compare --preset tiny-tp4 --modes sequential,t3,t3-mca,t3-ag --set fabric.topology=" +
              topology,
          "--set workload.rows=" + rows, "--set gpu.gemm.tile_rows=32 --set workload.depth=64"};
}

Words withFile(const Words& words, const std::string& path) {
  return words + ("--set workload.collective=" + path);
}

const Words kOwnUnits =
    "--set gpu.collective.thread_blocks=own --set workload.consumer.columns=64 --tracker model";
const std::string kSwitch = "fabric.topology=switch";

class FileBehindGemm : public ::testing::TestWithParam<std::string> {};

TEST_P(FileBehindGemm, EveryGpuEndsWithTheSumsOfAllGemms) {
  const std::string file = GetParam() + ".xml";
  const auto byMode = test::runs(withFile(sublayer(topologyFor(file)), fileOf(file)) +
                                 "--data checked --tracker lockstep");
  ASSERT_EQ(byMode.size(), 4U);
  const std::uint64_t output = 256 * 512 * 2;
  for (const auto& [mode, run] : byMode) {
    test::expectExact(run);
    EXPECT_EQ(test::number(run, "link_bytes"), 2 * 3 * output) << mode;
    EXPECT_GT(run.at("time_ns").to_number<double>(),
              run.at("bound_ns").at("total").to_number<double>());
  }
  EXPECT_LT(test::number(byMode.at("t3"), "time_ps"),
            test::number(byMode.at("sequential"), "time_ps"));
}

TEST_P(FileBehindGemm, ChunksMayDifferAndBeEmpty) {
  const std::string file = GetParam() + ".xml";
  for (const std::uint64_t rows : {290U, 30U}) {  // 30 tiles, and 3, that are cut at both edges
    SCOPED_TRACE(rows);
    const auto byMode =
        test::exactRuns(withFile(sublayer(topologyFor(file), std::to_string(rows)), fileOf(file)) +
                            "--data checked --tracker lockstep --set workload.columns=304",
                        4U);
    for (const auto& [mode, run] : byMode) {
      SCOPED_TRACE(mode);
      EXPECT_EQ(test::number(run, "link_bytes"), 2 * 3 * rows * 304 * 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, FileBehindGemm,
    ::testing::Values("ring-reduce-scatter-4", "ring-all-reduce-4", "two-rings-reduce-scatter-4",
                      "two-rings-all-reduce-4", "direct-reduce-scatter-4", "direct-all-reduce-4",
                      "halving-doubling-all-reduce-4", "hierarchical-all-reduce-4"),
    [](const auto& one) { return std::regex_replace(one.param, std::regex("-"), "_"); });

TEST(SublayerFile, IsExactInOtherMachines) {
  const std::string halving = "halving-doubling-all-reduce-4.xml", ring = "ring-all-reduce-4.xml";
  for (const auto& [file, settings] : {
           // Of the chunks that a GPU receives at once some are sent on, and one stays.
           std::pair<std::string, Words>("halving-doubling-all-reduce-8.xml",
                                         "--set gpus=8 --tracker lockstep"),
           {"hierarchical-all-reduce-8.xml", "--set gpus=8 --tracker lockstep"},
           {ring, "--set hbm.initial_value=zero-over-bus"},
           {halving, "--set hbm.initial_value=zero-over-bus"},
           // 12 tiles, 3 in each chunk, in rows of 4.
           {"hierarchical-all-reduce-4.xml",
            "--set workload.rows=96 --set workload.columns=256 --set gpu.gemm.tile_columns=64 "
            "--tracker lockstep"},
           // GPUs drift apart.
           {ring,
            "--set fabric.topology=ring --set workload.repeat=2 --set gpu2.link.bandwidth_gb_s=1 "
            "--tracker model"},
           // Thread blocks with units of their own have room for all that they receive.
           {ring, kOwnUnits},
           {"direct-reduce-scatter-4.xml", kOwnUnits},
           {halving, kOwnUnits},
       }) {
    SCOPED_TRACE(file + testing::PrintToString(settings));
    test::exactRuns(withFile(sublayer("switch"), fileOf(file)) + settings + "--data checked", 4U);
  }
}

struct BuiltIn {
  const char *topology, *file;
};
class BuiltInBehindGemm : public ::testing::TestWithParam<BuiltIn> {};

TEST_P(BuiltInBehindGemm, IsTheSameRunAsItsFile) {
  const std::string file = GetParam().file;
  // An all-reduce is one kernel in the baseline.
  const bool whole = file.find("all-reduce") != std::string::npos;
  Words words = sublayer(GetParam().topology, "1024") + "--tracker model";
  words[4] = whole ? "t3,t3-mca,t3-ag" : "sequential,ideal-overlap,cu-split:2,t3,t3-mca,t3-ag";
  const auto builtIn = test::runs(words);
  const auto byMode = test::runs(withFile(words, fileOf(file)));
  ASSERT_EQ(byMode.size(), builtIn.size());
  for (const auto& [mode, run] : byMode) {
    const auto& expected = builtIn.at(mode);
    for (const char* what : {"time_ps", "phase_ns", "bound_ns", "link_bytes", "dram_bytes",
                             "tracker_stats", "setup"}) {
      EXPECT_EQ(run.at(what), expected.at(what)) << mode << ", " << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInBehindGemm,
                         ::testing::Values(BuiltIn{"ring", "ring-reduce-scatter-4.xml"},
                                           BuiltIn{"ring", "ring-all-reduce-4.xml"},
                                           BuiltIn{"fully-connected",
                                                   "direct-reduce-scatter-4.xml"},
                                           BuiltIn{"fully-connected", "direct-all-reduce-4.xml"},
                                           BuiltIn{"switch", "direct-reduce-scatter-4.xml"}),
                         [](const auto& one) {
                           return std::regex_replace(
                               std::string(one.param.topology) + "_" + one.param.file,
                               std::regex("[-.]"), "_");
                         });

TEST(SublayerFile, AnAllReduceIsOneKernelOfTheBaseline) {
  const auto byMode = test::runs(withFile(sublayer("ring"), fileOf("ring-all-reduce-4.xml")));
  const auto& baseline = byMode.at("sequential");
  EXPECT_EQ(baseline.at("phase_ns").at("reduce_scatter").to_number<double>(), 0);
  const auto& others = baseline.at("other_collectives").as_array();
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].at("name"), "all_reduce");
  EXPECT_FALSE(byMode.at("t3-ag").contains("other_collectives"));
}

TEST(SublayerFile, AnOutputOfItsOwnTakesThePlaceOfTheInput) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("ring.xml");
  for (const auto& [file, chunks] :
       {std::pair{"ring-all-reduce-4.xml", "4"}, std::pair{"ring-reduce-scatter-4.xml", "1"}}) {
    std::ofstream(path) << outOfPlace(file, chunks);
    test::exactRuns(withFile(sublayer("ring"), path) + "--data checked --tracker lockstep", 4U);
  }
}

TEST(SublayerFile, BlocksOfTilesNeedFewerSlots) {
  const auto byMode = test::exactRuns(withFile(sublayer("ring"), fileOf("ring-all-reduce-4.xml")) +
                                          "--data checked --set tracker.block_log2=1",
                                      4U);
  // 2 chunks of 8 blocks pass through on each GPU, and one stays.
  EXPECT_EQ(test::tracker(byMode.at("t3"), "triggers"), 4U * 3 * 8);
}

TEST(SublayerFile, SublayersFollowOneAnother) {
  for (const char* file : {"ring-reduce-scatter-4.xml", "halving-doubling-all-reduce-4.xml"}) {
    const auto byMode =
        test::exactRuns(withFile(sublayer("switch"), fileOf(file)) +
                            "--set workload.repeat=3 --data checked --tracker lockstep",
                        4U);
    for (const auto& [mode, run] : byMode) {
      EXPECT_EQ(run.at("sublayers").as_array().size(), 3U) << mode;
    }
  }
}

TEST(SublayerFile, OneGpuStandsForAllWhereAllDoTheSame) {
  for (const auto& [topology, file] :
       {std::pair{"ring", "ring-reduce-scatter-4.xml"},
        std::pair{"fully-connected", "direct-reduce-scatter-4.xml"}}) {
    const Words words = sublayer(topology) + "--data elided --gpus symmetric";
    const auto builtIn = test::runs(words);
    const auto byMode = test::runs(withFile(words, fileOf(file)));
    ASSERT_EQ(byMode.size(), 4U);
    for (const auto& [mode, run] : byMode) {
      EXPECT_EQ(run.at("status"), "ok") << mode;
      EXPECT_EQ(test::number(run, "time_ps"), test::number(builtIn.at(mode), "time_ps")) << mode;
    }
  }
}

TEST(SublayerFile, ANormAndAConsumerStandBehindIt) {
  const Words words =
      withFile(sublayer("ring"), fileOf("ring-all-reduce-4.xml")) +
      "--set workload.between=norm --set workload.consumer.columns=128 --data checked";
  const auto byMode = test::exactRuns(words, 4U);
  for (const auto& [mode, run] : byMode) {
    EXPECT_GT(run.at("phase_ns").at("consumer").to_number<double>(), 0) << mode;
  }
}

TEST(SublayerFile, ASwitchAddsTheUpdatesOfAllPairs) {
  const auto byMode =
      test::exactRuns(withFile(sublayer("switch"), fileOf("direct-all-reduce-4.xml")) +
                          "--set switch.merge=model --data checked",
                      4U);
  EXPECT_GT(byMode.at("t3").at("merged").at("joined").to_number<double>(), 0);
}

TEST(SublayerFile, ATileIsFollowedAlongIt) {
  const auto outcome =
      test::mustRun({"follow --preset tiny-tp4 --mode t3 --set", kSwitch,
                     "--set workload.collective=" + fileOf("hierarchical-all-reduce-4.xml"),
                     "--quiet --gpu 1 --wg 0"});
  EXPECT_NE(outcome.output.find("gpu"), std::string::npos) << outcome.output;
}

TEST(SublayerFile, TimeDoesNotDependOnDataSeedOrOrder) {
  const Words words = withFile(sublayer("switch"), fileOf("hierarchical-all-reduce-4.xml"));
  const auto plain = test::runs(words);
  for (const Words& more : {Words{"--data checked --seed 9"}, Words{"--set order_seed=4"}}) {
    for (const auto& [mode, run] : test::runs(words + more)) {
      EXPECT_EQ(test::number(run, "time_ps"), test::number(plain.at(mode), "time_ps")) << mode;
    }
  }
}

TEST(SublayerFile, RecordingsDoNotChangeWhatIsSimulated) {
  for (const char* mode : {"sequential", "t3"}) {
    Words words = withFile(sublayer("ring"), fileOf("ring-reduce-scatter-4.xml"));
    words[0] = "run";
    words[3] = "--mode";
    words[4] = mode;
    test::expectRecordingsChangeNothing(words);
  }
}

TEST(SublayerFile, ALostWriteEndsTheRun) {
  Words words = withFile(sublayer("ring"), fileOf("ring-all-reduce-4.xml"));
  test::expectFails(words + "--set gpu1.link.lose_write=3", {"deadlock"});
}

TEST(SublayerFile, IsRefusedWithOneLine) {
  const auto expectRefused = [](const std::string& file, const Words& more,
                                const std::string& error) {
    test::expectRefused(withFile("run --preset tiny-tp4", fileOf(file)) + more, {error + "\n"});
  };
  expectRefused(
      "ring-all-reduce-8.xml", {},
      fileOf("ring-all-reduce-8.xml") + ": gpus: expected 8, those of workload.collective, got 4");
  expectRefused("ring-all-gather-4.xml", {},
                fileOf("ring-all-gather-4.xml") +
                    ": workload.collective: expected a reduce_scatter or an allreduce, which begin "
                    "with what a GEMM puts out, got coll=\"allgather\"");
  expectRefused("direct-all-reduce-4.xml", {},
                fileOf("direct-all-reduce-4.xml") +
                    ": fabric.topology: expected a link from GPU 0 to GPU 2, as the collective "
                    "needs (fully-connected and switch have all links)");
  expectRefused("hierarchical-all-reduce-4.xml",
                {"--set", kSwitch, "--set tracker.regions=1 --mode t3 --tracker model"},
                "--mode: expected tracker.regions of at least 2, for the chunks that a GPU treats "
                "alike, got 1, got 't3'");
  expectRefused("halving-doubling-all-reduce-4.xml",
                {"--set", kSwitch, "--data elided --gpus symmetric"},
                fileOf("halving-doubling-all-reduce-4.xml") +
                    ": simulated_gpus: expected explicit, because the GPUs of workload.collective "
                    "do not all do the same with other chunks, so no GPU stands for all");
  expectRefused("ring-all-reduce-4.xml", {"--collective", fileOf("ring-all-reduce-4.xml")},
                "--collective: workload.collective: expected either, got both: --collective runs a "
                "file alone");
}

TEST(SublayerFile, RandomMachinesEndWithExactSums) {
  test::RandomSettings random(test::seed(20261123));
  for (int run = 0; run < 8; ++run) {
    const std::string kind = random.any(
        "ring-all-reduce", "ring-reduce-scatter", "two-rings-all-reduce", "direct-all-reduce",
        "direct-reduce-scatter", "halving-doubling-all-reduce", "hierarchical-all-reduce");
    const std::string topology = kind.starts_with("two-rings") ? "bidirectional-ring"
                                 : kind.starts_with("ring")
                                     ? random.any("ring", "switch", "fully-connected")
                                     : random.any("switch", "fully-connected");
    const std::string tileRows = random.any("16", "32");
    random.set("fabric.topology", topology);
    random.set("gpu.gemm.tile_rows", tileRows);
    random.set("gpu.gemm.tile_columns", random.any("32", "64"));
    random.set("gpu.gemm.wavefronts", random.any("1", "4", "8"));
    random.set("workload.rows", random.upTo(16 * std::stoul(tileRows)));
    random.set("workload.columns", random.any("64", "112", "192"));
    random.set("workload.depth", random.any("16", "64", "200"));
    random.set("gpu.compute_units", random.any("2", "4", "16"));
    random.set("gpu.kernel_launch_us", random.any("0", "2"));
    random.set("link.bandwidth_gb_s", random.any("10", "75", "1000"));
    random.set("link.latency_ns", random.any("0", "500"));
    random.set("hbm.channels", random.any("12", "32"));
    random.set("hbm.initial_value", random.any("in-memory", "in-memory", "zero-over-bus"));
    random.set("tracker.lane_queue_updates", random.any("4", "64"));
    random.set("gpu1.launch_delay_us", random.any("0", "7"));
    const Words words =
        Words{
            "compare --preset tiny-tp4 --modes sequential,t3,t3-mca,t3-ag --data checked "
            "--tracker",
            random.any("lockstep", "model")} +
        random.take();
    SCOPED_TRACE(testing::PrintToString(words));
    test::exactRuns(withFile(words, fileOf(kind + "-4.xml")), 4U);
  }
}

}  // namespace
}  // namespace t3::sublayer_file_test
