// SPDX-License-Identifier: Apache-2.0
// Method: graphs as files. What `t3sim graph` writes of a mode has to run in the same picoseconds
// as the mode; graphs of one's own must be exact, or be refused with their nodes named. Where tiles
// of two outputs have the same numbers, the story of one must be that of a run without the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/system/runs.h"
#include "tests/testbench/csv_log.h"

namespace t3::graph_file_test {
namespace {

using test::TemporaryDirectory;
using test::Words;
using testing::HasSubstr;

boost::json::object tinyRun(const Words& words) {
  const TemporaryDirectory directory;
  const std::string report = directory.path("report.json");
  test::mustRun(Words{"run --preset tiny-tp4 --tracker model --quiet --json", report} + words);
  return test::runIn(report);
}

struct Case {
  const char* name;
  const char* mode;
  Words settings;
};

class OfAMode : public testing::TestWithParam<Case> {};

TEST_P(OfAMode, RunsInTheSameTime) {
  const TemporaryDirectory directory;
  const std::string file = directory.path("graph.json");
  Words words = {"--mode", GetParam().mode};
  for (const std::string& setting : GetParam().settings) {
    words.insert(words.end(), {"--set", setting});
  }
  test::mustRun(Words{"graph --preset tiny-tp4 --write", file} + words);
  const boost::json::object own = tinyRun(words);
  const boost::json::object read = tinyRun(words + "--graph" + file);
  for (const char* key : {"time_ps", "link_bytes", "phases", "nodes", "per_gpu", "memory",
                          "tracker_stats", "verification"}) {
    EXPECT_EQ(own.at(key), read.at(key)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(
    GraphFile, OfAMode,
    testing::Values(Case{"Sequential", "sequential", {}}, Case{"T3", "t3", {}},
                    Case{"T3Mca", "t3-mca", {"fabric.topology=switch"}}, Case{"T3Ag", "t3-ag", {}},
                    Case{"CuSplit", "cu-split:3", {}},
                    Case{"Pair", "t3-ag", {"workload.consumer.columns=256"}},
                    Case{"NormAndConsumer",
                         "t3-ag",
                         {"workload.between=norm", "workload.consumer.columns=256"}},
                    Case{"AgSplit", "ag-split:2", {"workload.consumer.columns=256"}},
                    Case{"Nvls", "nvls", {"fabric.topology=switch", "switch.merge=model"}}),
    [](const auto& test) { return test.param.name; });

constexpr const char* kOutputs = R"({"outputs": [
  {"name": "x", "rows": 512, "columns": 512, "depth": 128},
  {"name": "y", "rows": 512, "columns": 320, "depth": 64}], "nodes": [)";

std::string tracked(const std::string& gemmY) {
  return std::string(kOutputs) + R"({"name": "gemm_x", "gemm": "x"},
  {"name": "sum_x", "collective": "reduce-scatter", "of": "x", "by": "tracker", "chunks": "gemm_x"},
  )" + gemmY +
         R"(,
  {"name": "whole_x", "collective": "all-gather", "of": "x", "after": ["gemm_x", "sum_x"]},
  {"name": "sum_y", "collective": "reduce-scatter", "of": "y", "by": "tracker", "chunks": "gemm_y"},
  {"name": "whole_y", "collective": "all-gather", "of": "y", "after": ["sum_y", "whole_x"]}]})";
}

TEST(GraphFile, OfTwoOutputsIsExactWithTrackersAndRecordsItsNodes) {
  // The second GEMM waits for the first, or for the tracker only.
  for (const auto& [mode, gemm] :
       {std::pair("t3", R"({"name": "gemm_y", "gemm": "y", "after": "gemm_x"})"),
        std::pair("t3-mca", R"({"name": "gemm_y", "gemm": "y"})")}) {
    const TemporaryDirectory directory;
    const std::string file = directory.write("graph.json", tracked(gemm));
    const boost::json::object run = tinyRun({"--mode", mode, "--graph", file});
    EXPECT_EQ(run.at("verification").at("elements").to_number<int>(), 4 * 512 * (512 + 320));
    EXPECT_EQ(run.at("verification").at("mismatches").to_number<int>(), 0);
    std::vector<std::string> names;
    for (const auto& phase : run.at("phases").as_array()) {
      names.emplace_back(phase.at("name").as_string());
    }
    EXPECT_THAT(names, testing::ElementsAre("zeroing", "gemm_x", "gemm_y", "sum_x", "whole_x",
                                            "sum_y", "whole_y"));
  }
}

TEST(GraphFile, HasGivenOutputsDelaysHeldUnitsAndLocalOperands) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("graph.json", R"({"outputs": [
    {"name": "x", "rows": 512, "columns": 256, "depth": 128},
    {"name": "sums", "rows": 256, "columns": 512, "given": true},
    {"name": "parts", "rows": 512, "columns": 512, "given": true},
    {"name": "table", "rows": 128, "columns": 256, "given": true},
    {"name": "local", "rows": 512, "columns": 128, "operand": "x"},
    {"name": "read", "rows": 128, "columns": 128, "operand": "table"}],
    "nodes": [
    {"name": "gemm_x", "gemm": "x"},
    {"name": "all_reduce", "collective": "all-reduce", "of": "sums", "units": 8},
    {"name": "wait", "delay_us": 2.5},
    {"name": "all_gather", "collective": "all-gather", "of": "parts", "units": 8, "after": "wait"},
    {"name": "gemm_local", "gemm": "local", "after": "gemm_x"},
    {"name": "gemm_read", "gemm": "read", "after": "all_reduce"}]})");
  const boost::json::object run = tinyRun({"--mode sequential --graph", file});
  EXPECT_EQ(run.at("verification").at("elements").to_number<int>(),
            4 * (512 * 256 + 256 * 512 + 512 * 512 + 128 * 256 + 512 * 128 + 128 * 128));
  EXPECT_EQ(run.at("verification").at("mismatches").to_number<int>(), 0);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> spans;
  for (const auto& phase : run.at("phases").as_array()) {
    spans[std::string(phase.at("name").as_string())] = {
        phase.at("start_ps").to_number<std::int64_t>(),
        phase.at("end_ps").to_number<std::int64_t>()};
  }
  EXPECT_EQ(spans["wait"], (std::pair<std::int64_t, std::int64_t>(0, 2'500'000)));
  EXPECT_GT(spans["all_gather"].first + 1'000'000, spans["all_reduce"].second)
      << "8 and 8 of 16 units: on each GPU one after the other";
}

TEST(GraphFile, AGemmBesideACollectiveThatHoldsUnitsHasFewer) {
  const auto gemmEnd = [](const std::string& units) {
    const TemporaryDirectory directory;
    const std::string file = directory.write("graph.json", R"({"outputs": [
      {"name": "y", "rows": 1024, "columns": 1024, "depth": 512},
      {"name": "g", "rows": 1024, "columns": 1024, "given": true}], "nodes": [
      {"name": "sum", "collective": "all-reduce", "of": "g")" + units +
                                                               R"(},
      {"name": "gemm", "gemm": "y"}]})");
    const boost::json::object run = tinyRun({"--mode sequential --data elided --graph", file});
    return run.at("phases").at(0).at("end_ps").to_number<double>();
  };
  const double fluid = gemmEnd(""), some = gemmEnd(R"(, "units": 8)");
  EXPECT_GT(some, 1.1 * fluid);
  EXPECT_GT(gemmEnd(R"(, "units": 15)"), 1.1 * some);
}

TEST(GraphFile, NodesHaveAllOfItsTimeAndAllOfItsBytes) {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "graph.json", tracked(R"({"name": "gemm_y", "gemm": "y", "after": "gemm_x"})"));
  const boost::json::object run =
      tinyRun({"--mode t3 --set fabric.topology=switch --gpus explicit --graph", file});
  double exposed = 0, bytes = 0, sent = 0;
  std::vector<std::string> kinds;
  for (const auto& node : run.at("nodes").as_array()) {
    exposed += node.at("exposed_ns").to_number<double>();
    bytes += node.at("dram_read").to_number<double>() + node.at("dram_write").to_number<double>();
    sent += node.at("link_bytes").to_number<double>();
    kinds.emplace_back(node.at("kind").as_string());
  }
  EXPECT_THAT(kinds, testing::ElementsAre("gemm", "collective", "gemm", "collective", "collective",
                                          "collective"));
  double expected = 0;
  for (const auto& [name, count] : run.at("dram_bytes").as_object()) {
    expected += count.to_number<double>();
  }
  EXPECT_NEAR(bytes, expected, 20) << "means, rounded down";
  EXPECT_NEAR(sent, run.at("link_bytes").to_number<double>() / 4, 6);
  EXPECT_LT(exposed, run.at("time_ns").to_number<double>()) << "in launches nothing runs";
  EXPECT_GT(exposed, 0.5 * run.at("time_ns").to_number<double>());
  // Three of four chunks leave a GPU, whoever stores them.
  const auto linkBytes = [&](std::size_t n) {
    return run.at("nodes").at(n).at("link_bytes").to_number<std::uint64_t>();
  };
  EXPECT_EQ(linkBytes(0) + linkBytes(2), 0U);
  for (const std::size_t ofX : {1, 3}) EXPECT_EQ(linkBytes(ofX), 512U * 512 * 2 * 3 / 4);
  for (const std::size_t ofY : {4, 5}) EXPECT_EQ(linkBytes(ofY), 512U * 320 * 2 * 3 / 4);
}

TEST(GraphFile, ASweepHasItsNodesInCsv) {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "graph.json", tracked(R"({"name": "gemm_y", "gemm": "y", "after": "gemm_x"})"));
  const std::string csv = directory.path("sweep.csv");
  test::mustRun({"sweep --preset tiny-tp4 --tracker model --modes t3 --quiet --graph", file,
                 "--sweep link.latency_ns=100,500 --csv", csv});
  EXPECT_THAT(test::readFile(csv), HasSubstr(",nodes.whole_y.exposed_ns,"));
}

// --- t3sim follow -------------------------------------------------------------------------------

/// `work` on an output x and then, behind its node "end_x", on y of the same shape.
std::string twice(const std::string& outputs, const std::string& work) {
  const auto of = [](const std::string& text, const char* name) {
    return std::regex_replace(text, std::regex("@"), name);
  };
  const std::string behind = R"({"name": "gemm.y", "after": "end_x",)";
  return R"({"outputs": [)" + of(outputs, "x") + "," + of(outputs, "y") + R"(], "nodes": [)" +
         of(work, "x") + "," +
         std::regex_replace(of(work, "y"), std::regex(R"(\{"name": "gemm.y",)"), behind) + "]}";
}

constexpr const char* kOutput = R"({"name": "@", "rows": 512, "columns": 512, "depth": 128})";
const std::string kSummed = R"({"name": "gemm.@", "gemm": "@"}, {"name": "sum_@",
  "collective": "reduce-scatter", "of": "@", "by": "tracker", "chunks": "gemm.@"},)";
const std::string kGatheredByKernels = kSummed +
                                       R"({"name": "end_@",
  "collective": "all-gather", "of": "@", "after": ["gemm.@", "sum_@"]})";
const std::string kConsumed = kSummed + R"({"name": "whole_@", "collective": "all-gather",
  "of": "@", "by": "tracker", "chunks": "sum_@"},
  {"name": "end_@", "gemm": "use_@", "rows": "whole_@"})";

/// Of a line of the story that contains `words`, its time in ps.
std::uint64_t timeIn(const std::string& story, const std::string& words, std::size_t from = 0) {
  const std::size_t at = story.find(words, from);
  EXPECT_NE(at, std::string::npos) << words << "\n" << story;
  if (at == std::string::npos) return 0;
  return static_cast<std::uint64_t>(std::stod(story.substr(story.rfind('\n', at) + 1)) * 1e6 + 0.5);
}

class Followed : public testing::Test {
 protected:
  std::string story(const Words& words) {
    const auto outcome = test::mustRun("follow --gpu 3 --wg 17" + kRun + words);
    EXPECT_THAT(outcome.output, testing::Not(HasSubstr("where it stands")));
    return outcome.output;
  }
  /// Of x, but for the names, as in the mode's own graph.
  static std::string withoutNames(const std::string& text) {
    return std::regex_replace(std::regex_replace(text, std::regex(" 'x',"), ","),
                              std::regex("gemm_x__0"), "gemm");
  }

  const Words kRun = "--preset tiny-tp4 --tracker model --quiet";
  TemporaryDirectory directory_;
};

TEST_F(Followed, ATileOfOneOfTwoOutputsHasTheTimesOfTheLog) {
  const std::string file = directory_.write("graph.json", twice(kOutput, kGatheredByKernels));
  const Words graph = {"--mode t3 --graph", file};
  const std::string x = story(graph + "--output x --wf 2");
  EXPECT_EQ(withoutNames(x), story("--mode t3 --wf 2"));

  const std::string y = story(graph + "--output y --wf 2");
  EXPECT_THAT(y, HasSubstr("of the output 'y', 1024 bytes"));
  EXPECT_THAT(y, HasSubstr("gpu3.gpu.gemm_y__3.memory"));
  // In the log, what concerns the second output comes last.
  const std::string path = directory_.path("log.csv");
  const auto log = [&](const char* key, const char* scope) {
    const Words logged = {"--transactions", path, key, scope};
    test::mustRun("run" + kRun + graph + logged);
    return test::readLog(path);
  };
  std::map<std::string, std::uint64_t> told;
  std::map<std::string, std::string> command;
  for (const test::LogLine& line : log("--transactions-wg", "17")) {
    const std::string gpu(line.at("place").substr(0, 4));
    if (line.at("step") == "counted") told[gpu] = test::numberIn(line, "time_ps");
    if (line.at("step") == "command-taken") command[gpu] = line.at("number");
  }
  for (const test::LogLine& line : log("--transactions-scope", "*.tracker")) {
    const std::string gpu(line.at("place").substr(0, 4));
    if (line.at("step") != "trigger" || gpu == "gpu1" || line.at("number") != command[gpu])
      continue;
    told[gpu] = test::numberIn(line, "time_ps");
  }
  for (const char* gpu : {"gpu3", "gpu0", "gpu1"}) {
    const std::string name = gpu;
    const std::size_t title = y.find("\n" + name + " adds it up\n");
    ASSERT_NE(title, std::string::npos) << y;
    EXPECT_NEAR(static_cast<double>(
                    timeIn(y, name == "gpu1" ? "the sum is final" : "the tracker issues", title)),
                static_cast<double>(told.at(name)), 500)
        << "rounded to 1 ns";
  }
}

TEST_F(Followed, ARowIsReleasedToTheConsumerOfItsOutput) {
  const std::string file = directory_.write(
      "graph.json", twice(std::string(kOutput) + R"(, {"name": "use_@", "rows": 512, "columns": 256,
                                         "operand": "@"})",
                          kConsumed));
  const Words mode = "--mode t3-ag --set workload.consumer.columns=256";
  const Words graph = mode + "--graph" + file;
  const std::string x = story(graph + "--output x");
  EXPECT_EQ(withoutNames(x), story(mode));
  const std::string y = story(graph + "--output y");
  const std::string last = "workgroup slot";
  EXPECT_GT(timeIn(y, "the GEMM begins"), timeIn(x, last, x.rfind(last) - 8));
  for (const char* gpu : {"gpu0", "gpu1", "gpu2", "gpu3"}) {
    const std::string released = gpu + std::string(" releases it to its consumer, row slot 2");
    EXPECT_GT(timeIn(y, released), timeIn(y, "the sum is final"));
  }
}

TEST_F(Followed, OnlyOutputsThatTrackersSum) {
  const auto refuses = [&](const std::string& graph, const Words& words, const std::string& part) {
    const std::string file = directory_.write("graph.json", graph);
    test::expectRefused(Words{"follow --gpu 0 --wg 1 --mode t3 --graph", file} + kRun + words,
                        {part});
  };
  const std::string both = twice(kOutput, kGatheredByKernels);
  refuses(both, {}, "--output: expected 'x' or 'y', which trackers sum\n");
  refuses(both, "--output z", "--output: expected 'x' or 'y', which trackers sum, got 'z'");
  std::string one = both;
  const std::string byTracker = R"("of": "y", "by": "tracker",)";
  one.replace(one.find(byTracker), byTracker.size(), R"("of": "y",)");
  refuses(one, "--output y", "--output: expected 'x', which trackers sum, got 'y'");
  // The only one that is summed needs no name.
  refuses(one, "--wf 8", "--wf: expected a whole number from 0 to");
  one.replace(one.find(R"("of": "x", "by": "tracker",)"), byTracker.size(), R"("of": "x",)");
  refuses(one, {}, "workload.graph: expected sums by trackers");
  test::expectRefused("follow --gpu 0 --wg 1 --mode t3 --output x" + kRun,
                      {"--output: expected --graph beside it"});
}

TEST(GraphFile, MayNameNodesLikePartsOfAGpu) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("graph.json", R"({"outputs": [
    {"name": "x", "rows": 128, "columns": 128, "given": true},
    {"name": "y", "rows": 128, "columns": 128, "depth": 32}], "nodes": [
    {"name": "dma", "delay_us": 1},
    {"name": "sum", "collective": "all-reduce", "of": "x"},
    {"name": "sum_1", "gemm": "y"},
    {"name": "ingress", "collective": "reduce-scatter", "of": "y", "after": "sum_1"}]})");
  const auto outcome = test::mustRun(
      {"run --preset tiny-tp4 --quiet --graph", file, "--set fabric.topology=bidirectional-ring"});
  EXPECT_EQ(outcome.error, "");
}

class Refused : public testing::Test {
 protected:
  /// Of a run of a graph in a mode, with one line.
  void refuses(const std::string& graph, const std::string& part, const std::string& mode = "t3",
               const Words& more = {}) {
    const std::string file = directory_.write("graph.json", graph);
    test::expectRefused(
        Words{"run --preset tiny-tp4 --mode", mode, "--quiet --tracker model --graph", file} + more,
        {part});
  }

  TemporaryDirectory directory_;
};

TEST_F(Refused, ACircle) {
  refuses(std::string(kOutputs) + R"(
    {"name": "a", "gemm": "x", "after": "b"}, {"name": "b", "gemm": "y", "after": "a"}]})",
          "expected no node that waits for itself: 'a' -> 'b' -> 'a'");
}

TEST_F(Refused, TrackersThatWaitForALaterGemm) {
  std::string graph = tracked(R"({"name": "gemm_y", "gemm": "y"})");
  const std::string first = R"({"name": "gemm_x", "gemm": "x"})";
  graph.replace(graph.find(first), first.size(),
                R"({"name": "gemm_x", "gemm": "x", "after": "gemm_y"})");
  refuses(graph, "expected 'gemm_x' not behind 'gemm_y': trackers turn");
}

TEST_F(Refused, AModeWithoutTrackers) {
  refuses(tracked(R"({"name": "gemm_y", "gemm": "y"})"),
          "--mode: expected t3, t3-mca or t3-ag, because 'sum_x' of workload.graph is done by "
          "trackers, got 'sequential'",
          "sequential");
}

TEST(GraphFile, KernelsThatAreLaunchedLateHaveHeardOfChunksAndRows) {
  const auto exact = [](const Words& words, const std::string& nodes) {
    const TemporaryDirectory directory;
    const std::string file = directory.write("graph.json", R"({"outputs": [
      {"name": "g", "rows": 256, "columns": 512, "given": true},
      {"name": "y", "rows": 256, "columns": 256, "depth": 64},
      {"name": "z", "rows": 256, "columns": 128, "operand": "y"}], "nodes": [)" +
                                                               nodes + "]}");
    const boost::json::object run = tinyRun(words + "--graph" + file);
    EXPECT_EQ(run.at("verification").at("mismatches").to_number<int>(), 0) << nodes;
  };
  // Its units are taken when the GEMM has made the first chunks.
  exact("--mode sequential", R"(
    {"name": "first", "collective": "all-reduce", "of": "g", "units": 14},
    {"name": "gemm", "gemm": "y"},
    {"name": "sum", "collective": "reduce-scatter", "of": "y", "chunks": "gemm", "units": 4},
    {"name": "all", "collective": "all-gather", "of": "y", "after": "sum"},
    {"name": "read", "gemm": "z", "after": "all"})");
  // Rows of sums, and of what is gathered, come before who works on them begins.
  exact("--mode t3-ag", R"(
    {"name": "wait", "delay_us": 40},
    {"name": "first", "collective": "all-reduce", "of": "g"},
    {"name": "gemm", "gemm": "y"},
    {"name": "sum", "collective": "reduce-scatter", "of": "y", "by": "tracker", "chunks": "gemm"},
    {"name": "norm", "norm": "y", "rows": "sum", "after": "wait"},
    {"name": "all", "collective": "all-gather", "of": "y", "by": "tracker", "chunks": "norm"},
    {"name": "read", "gemm": "z", "rows": "all", "after": "norm"})");
}

TEST_F(Refused, WorkOnGivenOutputsThatNeedsAGemm) {
  const std::string given = R"({"outputs": [{"name": "g", "rows": 64, "columns": 64,)";
  refuses(given + R"("given": true}], "nodes": [{"name": "a", "gemm": "g"}]})",
          "expected no GEMM for a given output, got 'a'");
  refuses(given + R"("given": true}], "nodes": [
                     {"name": "a", "collective": "reduce-scatter", "of": "g", "by": "tracker"}]})",
          "expected kernels for 'a', because its output is given");
  refuses(given + R"("depth": 4, "given": true}], "nodes": [{"name": "a", "gemm": "g"}]})",
          "outputs.0.given: expected neither depth nor operand beside it");
}

TEST_F(Refused, RowsThatNothingServes) {
  const auto graph = [](const std::string& nodes) {
    return R"({"outputs": [
      {"name": "y", "rows": 256, "columns": 256, "depth": 64},
      {"name": "z", "rows": 256, "columns": 128, "operand": "y"},
      {"name": "w", "rows": 256, "columns": 128, "operand": "y"}], "nodes": [
      {"name": "gemm", "gemm": "y"}, )" +
           nodes + "]}";
  };
  const std::string sums = R"({"name": "sum", "collective": "reduce-scatter", "of": "y",
    "after": "gemm"}, {"name": "all", "collective": "all-gather", "of": "y", "after": "sum"}, )";
  const std::string tracked = R"({"name": "sum", "collective": "reduce-scatter", "of": "y",
    "by": "tracker", "chunks": "gemm"}, )";
  refuses(graph(sums + R"({"name": "read", "gemm": "z", "rows": "all"},
                    {"name": "other", "gemm": "w", "after": "all"})"),
          "expected 'read' after 'sum', too, because 'all' is", "sequential");
  refuses(graph(sums + R"({"name": "read", "gemm": "z", "rows": "all",
                    "after": "sum"}, {"name": "other", "gemm": "w", "rows": "all",
                    "after": "sum"})"),
          "expected rows of 'all' for one node, got 'read' and 'other'", "sequential");
  const std::string reader = R"({"name": "read", "gemm": "z", "rows": "all", "after": "sum"},
                                {"name": "other", "gemm": "w", "after": "all"})";
  refuses(graph(sums + reader), "expected workload.repeat = 1 with 'read' on rows of 'all', got 2",
          "sequential", "--set workload.repeat=2");
  refuses(graph(tracked + R"({"name": "norm", "norm": "y", "rows": "sum"},
                    {"name": "all", "collective": "all-gather", "of": "y", "after": "norm"},
                    {"name": "read", "gemm": "z", "after": "all"},
                    {"name": "other", "gemm": "w", "after": "all"})"),
          "because no all-gather by trackers sends its rows on", "t3");
  refuses(graph(R"({"name": "all", "collective": "all-reduce", "of": "y",
                    "by": "loads", "after": "gemm"}, {"name": "read", "gemm": "z", "after": "all"},
                    {"name": "other", "gemm": "w", "after": "all"})"),
          "expected fabric.topology = switch with switch.merge for 'all'", "sequential");
  refuses(graph(R"({"name": "all", "collective": "all-reduce", "of": "y",
                    "units": 4, "after": "gemm"}, {"name": "read", "gemm": "z", "after": "all"},
                    {"name": "other", "gemm": "w", "after": "all"})"),
          "expected a mode without K, because 'all' of workload.graph holds", "cu-split:8");
}

TEST_F(Refused, WhatAnotherInputSays) {
  const std::string file =
      directory_.write("graph.json", tracked(R"({"name": "gemm_y", "gemm": "y"})"));
  const Words graph = {"--graph", file};
  test::expectRefused("run --workload tiny-transformer-tp4" + graph,
                      {"--workload: workload.graph: expected none"});
  test::expectRefused("run --collective ring-all-reduce-4" + graph,
                      {"--collective: workload.graph: expected either, got both"});
  for (const char* setting : {"workload.shares=1,2,1,1", "workload.contributions=3"}) {
    test::expectRefused(
        Words{"run --preset tiny-tp4 --mode t3 --set fabric.topology=fully-connected --set",
              setting} +
            graph,
        {"with a graph from a file"});
  }
}

TEST_F(Refused, ModesThatAComparisonLeavesOut) {
  const std::string file =
      directory_.write("graph.json", tracked(R"({"name": "gemm_y", "gemm": "y"})"));
  const auto outcome = test::mustRun(
      {"compare --preset tiny-tp4 --tracker model --quiet --graph", file, "--json -"});
  std::vector<std::string> modes;
  const boost::json::value report = boost::json::parse(outcome.output);
  for (const auto& run : report.at("runs").as_array()) {
    modes.emplace_back(run.at("mode").as_string());
  }
  EXPECT_THAT(modes, testing::ElementsAre("t3", "t3-mca", "t3-ag"));
}

TEST_F(Refused, WhatNoGraphHas) {
  const auto refusesNodes = [&](const std::string& nodes, const std::string& part) {
    refuses(kOutputs + nodes + "]}", part);
  };
  refusesNodes(R"({"name": "a", "gemm": "z"})",
               "nodes.0.gemm: expected the name of an output, got 'z'");
  refusesNodes(R"({"name": "a", "gemm": "x", "fast": true})", "nodes.0.fast: ");
  refusesNodes(R"({"name": "a", "gemm": "x", "units": 4})",
               "nodes.0.units: expected after, chunks, ");
  refusesNodes(R"({"name": "a", "gemm": "x"}, {"name": "a", "gemm": "y"})",
               "nodes.1.name: expected a name of its own, got 'a' again");
  refusesNodes(R"({"name": "a", "gemm": "x"})",
               "expected one GEMM for each output, got 0 for output 1");
  refusesNodes(R"({"name": "a", "gemm": "x"}, {"name": "b", "gemm": "y"},
                       {"name": "c", "collective": "reduce-scatter", "of": "x"})",
               "expected 'c' after 'a', which makes what it works on");
  refusesNodes(R"({"name": "a", "delay_us": -1})",
               "nodes.0.delay_us: expected microseconds from 0 to 1e10");
  refusesNodes(R"({"name": "a", "gemm": "x", "delay_us": 1})",
               "nodes.0: expected one of gemm, norm, collective and delay_us");
  refusesNodes(R"({"name": "a", "gemm": "x"},
                       {"name": "c", "collective": "all-reduce", "of": "x", "units": 16})",
               "nodes.1.units: expected from 1 to 15, because GPU 0 has 16 compute units, "
               "got 16");
  refusesNodes(R"({"name": "a", "gemm": "x"}, {"name": "c", "collective": "reduce-scatter",
                       "of": "x", "by": "tracker", "chunks": "a", "units": 1})",
               "nodes.1.units: expected none, because trackers hold no compute units");
  refusesNodes(R"({"name": "a", "gemm": "x"}, {"name": "b", "gemm": "y"},
                       {"name": "c", "collective": "reduce-scatter", "of": "y", "by": "tracker",
                        "chunks": "b", "after": "a"})",
               "expected 'c', which begins with the first chunk of 'b', not after 'a'");
}

}  // namespace
}  // namespace t3::graph_file_test
