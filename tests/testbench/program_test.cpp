// SPDX-License-Identifier: Apache-2.0
// The program as people and scripts use it. Method: the real t3sim is run; exit code, both output
// streams and the directory it writes to are what is judged. Long scenarios appear only where the
// run is interrupted or refused, never to their end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/testbench/family.h"
#include "tests/testbench/file_watch.h"
#include "tests/testbench/refused.h"

namespace t3::program_test {
namespace {

namespace json = boost::json;

using test::childrenOf;
using test::expectRefused;
using test::FileWatch;
using test::Outcome;
using test::Program;
using test::runsT3sim;
using test::t3sim;
using test::TemporaryDirectory;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using test::Words;

constexpr const char* kLong = "t-nlg-fc2-tp8";

json::value readJson(const std::string& path) { return test::readJson(path); }

// --- usage ----------------------------------------------------------------------------------

TEST(Usage, HelpIsOnStandardOutputAndListsWhatExists) {
  const auto program = test::mustRun("--help");
  EXPECT_THAT(program.output, AllOf(HasSubstr("run "), HasSubstr("compare "), HasSubstr("presets "),
                                    HasSubstr("t3sim --version")));
  EXPECT_EQ(program.error, "") << "not even a banner";
  for (const char* command : {"run", "compare", "presets"}) {
    const Outcome help = t3sim({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_THAT(help.output, HasSubstr("usage: t3sim " + std::string(command)));
    EXPECT_EQ(help.error, "") << command;
  }
}

TEST(Usage, HelpMayBeAskedForInAnyOfItsWays) {
  const std::string help = t3sim("sweep --help").output;
  EXPECT_THAT(help, AllOf(HasSubstr("usage: t3sim sweep"), HasSubstr("schema t3sim-sweep/1")));
  EXPECT_EQ(t3sim("sweep -h").output, help);
  EXPECT_EQ(t3sim("help sweep").output, help);
  const std::string overview = t3sim("--help").output;
  for (const char* words : {"help", "-h", "help help", "--help --help"}) {
    const auto outcome = test::mustRun(words);
    EXPECT_EQ(outcome.output, overview);
  }
  expectRefused("help fly", {"unknown command 'fly'"});
}

TEST(Usage, UnknownCommandListsWhatThereIs) {
  expectRefused({}, {"expected a command",
                     "run, compare, reproduce, sweep, validate, presets, collective, graph, "
                     "explain, schema, diff, hbm, "
                     "follow, bench or manual"});
  expectRefused({"fly"}, {"'fly'",
                          "run, compare, reproduce, sweep, validate, presets, collective, graph, "
                          "explain, schema, diff, "
                          "hbm, follow, bench or manual"});
}

TEST(Usage, UnknownOptionNamesTheNearestAndTheCommandsThatHaveIt) {
  expectRefused("run --jsn x", {"--jsn: unknown option; the nearest is '--json'\n"});
  expectRefused("run --js x", {"--js: unknown option; the nearest is '--json'\n"});
  expectRefused(
      {"compare --mode t3"},
      {"--mode: unknown option; the nearest is '--modes'; t3sim run and t3sim graph and t3sim "
       "follow have it\n"});
  expectRefused("compare --wave x.fst", {"--wave: unknown option; t3sim run has it\n"});
  expectRefused("compare --wave=x.fst", {"--wave: unknown option; t3sim run has it\n"});
  expectRefused("run --flyer", {"--flyer: unknown option (t3sim run --help lists all)\n"});
}

TEST(Usage, NoNameIsOfferedThatIsFarFromWhatWasTyped) {
  expectRefused("presets --show foo", {"unknown preset 'foo' (`t3sim presets` lists all)\n"});
  expectRefused("hbm --preset foo", {"unknown preset 'foo'; memories are"});
  expectRefused("run --set foo=1", {"foo: unknown key (t3sim explain lists all)\n"});
  expectRefused("run --mode fast", {"got 'fast'\n"});
}

TEST(Usage, ANameWithATypingErrorIsAnsweredWithTheNearest) {
  expectRefused("run --mode t3mca", {"got 't3mca'; the nearest is 't3-mca'\n"});
  expectRefused("compare --modes t3,cusplit:8", {"the nearest is 'cu-split:K'\n"});
  expectRefused({"comapre"}, {"unknown command 'comapre'; the nearest is 'compare'"});
  expectRefused("schema scenrio", {"the nearest is 'scenario'\n"});
  expectRefused("reproduce --out x --only trafic", {"the nearest is 'traffic'\n"});
}

TEST(Usage, SuperfluousMissingAndRepeatedWordsAreRefused) {
  expectRefused("run t3", {"unexpected argument 't3'"});
  expectRefused("run --mode", {"--mode: expected a value behind it, got none\n"});
  expectRefused("run --json --quiet", {"--json: expected a value behind it, got '--quiet'\n"});
  expectRefused("run --mode t3 --mode t3", {"--mode: expected once"});
  expectRefused("run --quiet=1", {"--quiet: expected no value\n"});
  expectRefused("schema run sweep", {"schema: expected one of", "got 'sweep'"});
  expectRefused("presets --document --show tiny-tp4", {"--document", "--show"});
  expectRefused({"reproduce --out x --only", ""}, {"--only", "names between commas"});
}

TEST(Usage, OptionValuesAreCheckedByName) {
  expectRefused("run --mode fast", {"--mode", "t3-mca", "fast"});
  expectRefused("run --set gpu.gemm.operand_pitch_align_bytes=64",
                {"gpu.gemm.operand_pitch_align_bytes", "multiple of gpu.l2.fetch_bytes (256)"});
  expectRefused("run --set gpu.l2.fetch_bytes=192",
                {"gpu.l2.fetch_bytes", "multiple of line_bytes"});
  expectRefused("run --set gpu.gemm.wavefronts=2 --set gpu.gemm.tile_rows=1",
                {"gpu.gemm.wavefronts", "at most tile_rows"});
  expectRefused("run --mode cu-split", {"--mode", "cu-split:K", "'cu-split'"});
  expectRefused("run --preset tiny-tp4 --mode cu-split:16",
                {"--mode", "K from 1 to 15", "'cu-split:16'"});
  expectRefused("run --preset tiny-tp4 --mode cu-split:4 --set gpu2.compute_units=4",
                {"--mode", "K from 1 to 3", "gpu2.compute_units is 4", "'cu-split:4'"});
  expectRefused("run --preset tiny-tp4 --mode cu-split:1 --set gpu2.compute_units=1",
                {"--mode", "without K", "gpu2.compute_units is 1"});
  expectRefused("compare --modes t3,cu-split:80", {"--modes", "K from 1 to 79"});
  expectRefused("compare --modes cu-split:8,cu-split:8", {"--modes", "twice"});
  expectRefused("run --tracker gates", {"--tracker", "rtl, model, lockstep or netlist"});
  expectRefused("run --tracker netlist", {"--tracker netlist", "--target t3sim_netlist"});
  expectRefused("run --data real", {"t3sim: --data: expected elided or checked, got"});
  expectRefused("run --seed -1", {"t3sim: --seed: expected a whole number from 0", "-1"});
  expectRefused("run --gpus 8", {"--gpus", "explicit or symmetric", "--set gpus=N"});
  expectRefused("compare --modes t3,fast", {"--modes", "fast"});
  expectRefused("compare --modes t3,t3", {"--modes", "twice"});
  expectRefused({"compare --modes", ""}, {"--modes"});
  expectRefused("compare --jobs 0", {"--jobs", "from 1 to"});
  expectRefused("compare --jobs two", {"--jobs", "two"});
}

// --- configuration --------------------------------------------------------------------------

TEST(Configuration, PresetAndConfigExcludeEachOther) {
  for (const char* command : {"run", "hbm"}) {
    expectRefused({command, "--preset tiny-tp4 --config x"},
                  {"--preset: expected either --preset or --config, got both",
                   "; a file extends a preset with \"preset\": \"tiny-tp4\" in it"});
  }
  expectRefused("hbm --preset hbm3 --config x", {"--config, got both\n"});
}

TEST(Configuration, UnknownPresetNamesTheNearest) {
  expectRefused("run --preset t-nlg-fc3-tp8", {"'t-nlg-fc3-tp8'", "'t-nlg-fc2-tp8'"});
  expectRefused("presets --show tiny", {"--show: ", "'tiny'", "tiny-tp4"});
}

TEST(Configuration, BadFilesAndAssignmentsAreNamedWithKeyAndExpectation) {
  const TemporaryDirectory directory;
  expectRefused({"run --config", directory.write("bad.json", R"({"gpu": {"clock_mhzz": 1}})")},
                {"bad.json", "gpu.clock_mhzz", "unknown key", "gpu.clock_mhz'"});
  expectRefused({"run --config", directory.path("absent.json")}, {"absent.json", "No such file"});
  expectRefused("run --set gpus=8 --set link.latency_ns=x",
                {"--set", "link.latency_ns", "a number"});
  expectRefused("run --set fabric.topology=two-level --set gpus=7",
                {"--set", "fabric.gpus_per_node", "whole nodes"});
}

TEST(Configuration, UnwritableOutputIsRefusedBeforeTheSimulation) {
  const TemporaryDirectory directory;
  for (const char* option : {"--json", "--csv"}) {
    expectRefused({"run --preset", kLong, option, directory.path("absent/x")},
                  {option, "absent/x", "cannot be written"});
    expectRefused({"compare --preset", kLong, option, directory.path()},
                  {option, "cannot be written"});
  }
  directory.write("file", "");
  expectRefused({"run --preset", kLong, "--out", directory.path("file/x")}, {"--out"});
  for (const char* command : {"run", "reproduce"}) {
    expectRefused({command, "--out", ""}, {"--out: expected a directory"});
  }
  const std::string same = directory.path("same");
  expectRefused({"run --preset", kLong, "--json", same, "--csv", same}, {"--csv", "same"});
  EXPECT_THAT(directory.names(), ElementsAre("file"));
}

TEST(Configuration, TwoResultsInOneFileAreRefused) {
  const TemporaryDirectory directory;
  const std::string wave = directory.path("a.fst");
  const std::string view = directory.path("a.gtkw");
  for (const Words& words :
       {Words{"--json", wave, "--timeline", wave}, Words{"--timeline", wave, "--wave", wave},
        Words{"--csv", view, "--wave", wave}, Words{"--transactions", view, "--wave", wave},
        Words{"--command-trace", wave, "--transactions", wave}}) {
    expectRefused("run --preset tiny-tp4" + words,
                  {directory.path(), "expected another file, --", " writes this one"});
  }
  expectRefused({"compare --preset tiny-tp4 --json", directory.path("c.t3.csv"), "--command-trace",
                 directory.path("c.csv")},
                {"--command-trace", "c.t3.csv", "--json writes this one"});
  expectRefused({"hbm --trace x --json", wave, "--command-trace", wave},
                {"--command-trace", "--json writes this one"});
  EXPECT_THAT(directory.names(), ElementsAre());
}

TEST(Configuration, AResultIsNotWrittenOverWhatIsRead) {
  const TemporaryDirectory directory;
  const std::string scenario = directory.write("in.json", R"({"gpus": 4})");
  const std::string trace = directory.write("trace", "0x0 READ 0\n");
  expectRefused({"run --config", scenario, "--json", directory.path("./in.json")},
                {"--json", "in.json", "expected another file, --config reads this one"});
  expectRefused({"hbm --trace", trace, "--command-trace", trace},
                {"--command-trace", "expected another file, --trace reads this one"});
  EXPECT_EQ(test::readFile(trace), "0x0 READ 0\n");
}

TEST(Configuration, CommandsOfSeveralModesNeedANameThatFilesCanBeMadeOf) {
  const TemporaryDirectory directory;
  for (const std::string& path :
       {std::string("/dev/null"), directory.path(), directory.path("x/"), std::string()}) {
    expectRefused({"compare --preset tiny-tp4 --command-trace", path},
                  {"--command-trace", "expected the name of an ordinary file"});
  }
  EXPECT_THAT(directory.names(), ElementsAre());
}

TEST(Configuration, ATrackerTheRtlWasNotBuiltAsIsRefused) {
  expectRefused(
      {"run --preset tiny-tp4 --set tracker.slots=512"},
      {"--tracker rtl: tracker.slots: the RTL is built with 4096, got 512; --tracker model"});
  expectRefused("run --preset tiny-tp4 --set tracker.lanes=4",
                {"--tracker rtl: tracker.lanes: the RTL is built with 8, got 4; --tracker model"});
}

// --- presets --------------------------------------------------------------------------------

TEST(PresetsCommand, ListsAndShows) {
  const auto list = test::mustRun("presets");
  EXPECT_THAT(list.output, AllOf(HasSubstr("t-nlg-fc2-tp8"), HasSubstr("tiny-edge-tp4")));
  const json::value asJson = json::parse(t3sim("presets --json").output);
  EXPECT_EQ(asJson.at("schema").as_string(), "t3sim-presets/1");
  EXPECT_EQ(asJson.at("presets").as_array().size(), 55U);
}

TEST(PresetsCommand, WhatItShowsRunsAsAFile) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("tiny.json", t3sim("presets --show tiny-tp4").output);
  const auto run = test::mustRun(
      {"run --config", file, "--mode sequential --quiet --json", directory.path("run.json")});
  EXPECT_EQ(readJson(directory.path("run.json")).at("scenario"), test::readJson(file));
}

// --- run and compare ------------------------------------------------------------------------

TEST(Run, WritesReportAndTableAndNothingElse) {
  const TemporaryDirectory directory;
  const auto run = test::mustRun({"run --preset tiny-tp4 --mode t3 --json",
                                  directory.path("t3.json"), "--csv", directory.path("t3.csv")});
  EXPECT_EQ(run.error, "") << "no progress bar in a pipe";
  EXPECT_THAT(run.output, HasSubstr("data exact"));
  EXPECT_THAT(directory.names(), UnorderedElementsAre("t3.json", "t3.csv"));
  const json::value report = readJson(directory.path("t3.json"));
  EXPECT_EQ(report.at("schema").as_string(), "t3sim/1");
  ASSERT_EQ(report.at("runs").as_array().size(), 1U);
  const json::value& record = report.at("runs").at(0);
  EXPECT_EQ(record.at("status").as_string(), "ok");
  EXPECT_TRUE(record.at("speedup").is_null()) << "sequential was not run";
  EXPECT_EQ(record.at("verification").at("elements").to_number<std::uint64_t>(), 4U * 512 * 512);
  EXPECT_EQ(record.at("verification").at("mismatches").to_number<std::uint64_t>(), 0U);
  EXPECT_GT(record.at("host").at("wall_s").to_number<double>(), 0);
  EXPECT_GT(record.at("host").at("peak_rss_mb").to_number<double>(), 0);
  const auto bursts = record.at("host").at("dram_bursts").to_number<double>();
  EXPECT_GT(bursts, 0);
  EXPECT_NEAR(record.at("host").at("dram_bursts_per_s").to_number<double>() *
                  record.at("host").at("wall_s").to_number<double>(),
              bursts, bursts * 1e-6);
}

TEST(Run, WritesAReportToStandardOutputInPlaceOfTheTable) {
  const Words words = "run --preset tiny-tp4 --mode t3 --data elided";
  const Outcome json = t3sim(words + "--json -");
  EXPECT_EQ(json.code, 0) << json.error;
  EXPECT_EQ(json::parse(json.output).at("schema").as_string(), "t3sim/1");
  const Outcome csv = t3sim(words + "--csv -");
  EXPECT_THAT(csv.output, testing::StartsWith("workload.model,"));
  EXPECT_EQ(std::ranges::count(csv.output, '\n'), 2);
  expectRefused("run --json - --csv -", {"--csv: -", "--json writes this one"});
}

TEST(Run, OptionsReachTheScenario) {
  const TemporaryDirectory directory;
  const auto run = test::mustRun(
      {"run --preset tiny-tp4 --mode sequential --set link.latency_ns=700 --seed 9 --data "
       "elided --tracker model --quiet --out",
       directory.path("new/place")});
  EXPECT_EQ(run.output, "");
  const json::value report = readJson(directory.path("new/place/run.json"));
  EXPECT_EQ(report.at("scenario").at("link").at("latency_ns").to_number<double>(), 700);
  EXPECT_EQ(report.at("scenario").at("seed").to_number<int>(), 9);
  EXPECT_EQ(report.at("scenario").at("data").as_string(), "elided");
  EXPECT_EQ(report.at("runs").at(0).at("tracker").as_string(), "model");
  EXPECT_TRUE(std::filesystem::exists(directory.path("new/place/run.csv")));
  EXPECT_TRUE(std::filesystem::exists(directory.path("new/place/run.txt")));
}

TEST(Run, AScenarioOfOnesOwnIsNotCalledByThePresetItBeganWith) {
  const TemporaryDirectory directory;
  const Words words = {"run --preset tiny-tp4 --mode sequential --data elided --out",
                       directory.path()};
  const auto with = [&](const std::string& assignment) {
    Words all = words;
    all.insert(all.end(), {"--set", assignment});
    return t3sim(all).output;
  };
  EXPECT_THAT(with("workload.rows=256"),
              testing::StartsWith("GEMM on 4 GPUs: output 256 x 512 fp16, K 128 per GPU"));
  EXPECT_THAT(test::readFile(directory.path("run.csv")), HasSubstr("\n,,256,512,128,"));
  EXPECT_THAT(with("workload={\"rows\": 256, \"sublayer\": \"mine\"}"),
              testing::StartsWith("tiny mine on 4 GPUs: output 256 x 512"));
  EXPECT_THAT(with("link.latency_ns=700"), testing::StartsWith("tiny test on 4 GPUs: "));
}

TEST(Run, ShowsProgressOnATerminalOnly) {
  const Words words = "run --preset tiny-tp4 --mode sequential --data elided";
  setenv("TERM", "xterm", 1);
  Program terminal(words, Program::Error::Terminal);
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.error, HasSubstr("sequential 0%"));
  Program silent(words + "--quiet", Program::Error::Terminal);
  EXPECT_EQ(silent.wait(), 0);
  EXPECT_EQ(silent.error, "");
}

TEST(Run, SendsNoControlCodesToATerminalThatHasNone) {
  for (const char* kind : {"TERM=dumb", "TERM="}) {
    Program dumb(
        std::vector<std::string>{
            "-c", "exec env " + std::string(kind) +
                      " " T3SIM " run --preset tiny-tp4 --mode sequential --data elided"},
        Program::Error::Terminal, "/bin/sh");
    EXPECT_EQ(dumb.wait(), 0);
    EXPECT_EQ(dumb.error, "") << kind;
  }
}

TEST(Compare, PutsEveryModeSideBySide) {
  const TemporaryDirectory directory;
  const auto compare =
      test::mustRun({"compare --preset tiny-tp4 --json", directory.path("all.json")});
  EXPECT_EQ(compare.error, "");
  const json::value report = readJson(directory.path("all.json"));
  std::vector<std::string> modes;
  for (const json::value& run : report.at("runs").as_array()) {
    modes.emplace_back(run.at("mode").as_string());
    EXPECT_EQ(run.at("status").as_string(), "ok") << modes.back();
    EXPECT_GE(run.at("speedup").to_number<double>(), 0.1) << modes.back();
  }
  EXPECT_THAT(modes, ElementsAre("sequential", "t3", "t3-mca", "t3-ag", "ideal-overlap",
                                 "ideal-rs-nmc", "ideal-ag"));
  EXPECT_EQ(report.at("runs").at(0).at("speedup").to_number<double>(), 1.0);
  EXPECT_EQ(report.at("runs").at(4).at("derived_from").as_string(), "sequential");
}

TEST(Compare, AModeThatNeedsASwitchThatAddsIsRunIfItIsNamed) {
  const TemporaryDirectory directory;
  const auto modes = [&](const Words& more) {
    const Words words = {
        "compare --preset tiny-tp4 --data elided --tracker model --set fabric.topology=switch "
        "--set switch.merge=model --quiet --json",
        directory.path("report.json")};
    test::mustRun(words + more);
    const json::value report = readJson(directory.path("report.json"));
    std::vector<std::string> names;
    for (const json::value& run : report.at("runs").as_array()) {
      names.emplace_back(run.at("mode").as_string());
    }
    return names;
  };
  const auto all = modes({});
  EXPECT_EQ(all.size(), 7U);
  EXPECT_EQ(modes("--modes all"), all);
  EXPECT_THAT(modes("--modes nvls,t3-ag"), ElementsAre("nvls", "t3-ag"));
  expectRefused("compare --preset tiny-tp4 --modes sequential,nvls",
                {"--modes", "switch.merge is off", "nvls"});
}

TEST(Compare, IdealOverlapIsTheSameSimulatedOrDerived) {
  const TemporaryDirectory directory;
  for (const char* modes : {"sequential,ideal-overlap", "ideal-overlap"}) {
    test::mustRun(
        {"compare --preset tiny-tp4 --modes", modes, "--quiet --json", directory.path(modes)});
  }
  const json::value derived = readJson(directory.path("sequential,ideal-overlap"));
  const json::value simulated = readJson(directory.path("ideal-overlap"));
  EXPECT_EQ(derived.at("runs").at(1).at("time_ps"), simulated.at("runs").at(0).at("time_ps"));
  EXPECT_TRUE(simulated.at("runs").at(0).at("derived_from").is_null());
  EXPECT_TRUE(simulated.at("runs").at(0).at("speedup").is_null());
}

TEST(Compare, GivesTheSameResultsAsRunAndWithAnyNumberOfJobs) {
  const TemporaryDirectory directory;
  const Words scenario = "--preset tiny-edge-tp4 --quiet --json";
  const auto execute = [&](const Words& words, const std::string& file) {
    test::mustRun(words + scenario + directory.path(file));
    return readJson(directory.path(file)).at("runs");
  };
  const json::value one = execute("compare --modes t3-mca,t3 --jobs 1", "one");
  const json::value two = execute("compare --modes t3-mca,t3 --jobs 2", "two");
  const json::value run = execute("run --mode t3-mca", "run");
  for (const char* key : {"time_ps", "dram_bytes", "link_bytes", "per_gpu", "tracker_stats"}) {
    EXPECT_EQ(one.at(0).at(key), two.at(0).at(key)) << key;
    EXPECT_EQ(one.at(1).at(key), two.at(1).at(key)) << key;
    EXPECT_EQ(one.at(0).at(key), run.at(0).at(key)) << key;
  }
}

// --- help while typing ----------------------------------------------------------------------

TEST(Manual, HasTheHelpOfEveryCommandFitForAManualReader) {
  Program program("manual");
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.output, testing::StartsWith(".TH T3SIM 1 "));
  for (const char* command : {"RUN", "COMPARE", "REPRODUCE", "SWEEP", "HBM", "MANUAL"}) {
    EXPECT_THAT(program.output, HasSubstr(std::string("\n.SH T3SIM ") + command + "\n.nf\n"));
  }
  EXPECT_THAT(program.output, HasSubstr("\\-\\-preset NAME"));
  // Lines of ours that begin like a request of the language would vanish.
  std::istringstream lines(program.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('.')) {
      EXPECT_THAT(line, testing::ContainsRegex("^\\.(TH|SH|B|I|IR|TP|nf|fi)( |$)"));
    }
  }
}

TEST(CollectiveCommand, WritesAFileThatRunsAndRefusesWhatIsNone) {
  const TemporaryDirectory directory;
  const std::string file = directory.path("c.xml");
  Program written({"collective halving-doubling-all-reduce --gpus 4 --write", file});
  ASSERT_EQ(written.wait(), 0) << written.error;
  EXPECT_EQ(written.output, "");
  Program printed("collective halving-doubling-all-reduce --gpus 4");
  ASSERT_EQ(printed.wait(), 0);
  EXPECT_EQ(printed.output, test::readFile(file));
  Program run({"run --collective", file,
               "--set fabric.topology=switch --set collective.bytes=64KiB --quiet"});
  EXPECT_EQ(run.wait(), 0) << run.error;
  expectRefused("collective ring-all-reduc",
                {"unknown collective 'ring-all-reduc'; the nearest is 'ring-all-reduce'"});
  expectRefused("collective halving-doubling-all-reduce --gpus 6",
                {"halving-doubling-all-reduce: expected a number of GPUs that is a power of two, "
                 "got 6"});
  expectRefused("collective hierarchical-all-reduce --gpus 2",
                {"expected a number of GPUs that is an even number from 4 on, got 2"});
  expectRefused("collective all-to-all --gpus 1025", {"--gpus", "2 to 1024", "1025"});
  expectRefused("collective --gpus 4", {"expected NAME with --gpus"});
}

TEST(ShippedCollective, RunsByItsNameAsItsFileDoes) {
  const TemporaryDirectory directory;
  const auto runsOf = [&](const Words& words) {
    const std::string path = directory.path("r.json");
    test::mustRun(Words{"run --preset tiny-tp4 --tracker model --quiet --json", path} + words);
    boost::json::object run = test::runIn(path);
    run.erase("host");
    if (run.contains("collective")) run["collective"].as_object().erase("file");
    return run;
  };
  const std::string name = "ring-all-reduce-4", file = T3_COLLECTIVES "/ring-all-reduce-4.xml";
  EXPECT_EQ(runsOf({"--collective", name, "--set collective.bytes=64KiB"}),
            runsOf({"--collective", file, "--set collective.bytes=64KiB"}));
  EXPECT_EQ(runsOf({"--set workload.collective=" + name}),
            runsOf({"--set workload.collective=" + file}));
  // Also one of which there is no file, and in the processes of compare.
  test::mustRun(
      {"compare --preset tiny-tp4 --tracker model --modes t3,t3-mca --set "
       "workload.collective=" +
           name,
       "--quiet"});
  test::mustRun("run --collective ring-all-gather-6 --set collective.bytes=48KiB --quiet");
  expectRefused("run --collective ring-all-reduc-8",
                {"ring-all-reduc-8: expected a file, or a collective that ships with its number of "
                 "GPUs, such as ring-all-reduce-8; the nearest is 'ring-all-reduce-8'"});
  expectRefused("run --collective ring-all-reduce", {"expected a file, or a collective"});
  expectRefused("run --collective ring-all-reduce-1025", {"expected 2 to 1024 GPUs, got 1025"});
  expectRefused("run --collective halving-doubling-all-reduce-6", {"a power of two, got 6"});
  expectRefused("run --collective none.xml", {"none.xml: cannot be read"});
}

TEST(Explain, PrintsSettingsAndRefusesWhatIsNone) {
  Program known("explain hbm.channels link.latency_ns");
  EXPECT_EQ(known.wait(), 0);
  EXPECT_THAT(known.output, testing::StartsWith("hbm.channels = 32\n"));
  EXPECT_THAT(known.output, HasSubstr("\nlink.latency_ns = 500.0\n"));
  expectRefused("explain link.latncy_ns", {"the nearest is 'link.latency_ns'"});
}

/// What bash offers for the last of these words; `line` is as they were typed if bash has cut some.
std::string completed(const std::string& words, const std::string& line = "") {
  const std::string script = "source '" T3_COMPLETION "'; COMP_WORDS=(" T3SIM " " + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=" +
                             (line.empty() ? "\"${COMP_WORDS[*]}\"" : "'" T3SIM " " + line + "'") +
                             "; "
                             "COMP_POINT=${#COMP_LINE}; _t3sim; echo \"${COMPREPLY[*]}\"";
  Program bash(std::vector<std::string>{"-c", script}, Program::Error::Pipe, "/bin/bash");
  EXPECT_EQ(bash.wait(), 0);
  return bash.output;
}

TEST(Completion, OffersCommandsOptionsPresetsAndSettings) {
  EXPECT_EQ(completed("re"), "reproduce\n");
  EXPECT_EQ(completed("run --preset tiny-"), "tiny-tp4 tiny-edge-tp4 tiny-pair-tp4\n");
  EXPECT_EQ(completed("run --workload tiny-"), "tiny-transformer-tp4 tiny-transformer-sp-tp4\n");
  EXPECT_EQ(completed("graph --graph t-nlg"), "t-nlg-layer-tp8\n");
  EXPECT_EQ(completed("compare --set hbm.channel_"),
            "hbm.channel_bits= hbm.channel_interleave_bytes= hbm.channel_hash=\n");
  EXPECT_EQ(completed("hbm --set hbm.channel_h"), "hbm.channel_hash=\n");
  EXPECT_EQ(completed("explain link.lat"), "link.latency_ns\n");
  EXPECT_EQ(completed("presets --do"), "--document\n");
  EXPECT_EQ(completed("help sw"), "sweep\n");
  EXPECT_EQ(completed("--ver"), "--version\n");
}

TEST(Completion, OffersTheValuesOfOptionsThatHaveFew) {
  EXPECT_EQ(completed("run --mode t3"), "t3 t3-mca t3-ag\n");
  EXPECT_EQ(completed("run --mode cu"), "cu-split:\n");
  EXPECT_EQ(completed("run --mode n"), "nvls\n");
  EXPECT_EQ(completed("follow --mode i"), "\n") << "it tracks no tiles";
  EXPECT_EQ(completed("compare --modes sequential,t3-"), "sequential,t3-mca sequential,t3-ag\n");
  EXPECT_EQ(completed("run --tracker l"), "lockstep\n");
  EXPECT_EQ(completed("run --data ''"), "elided checked\n");
  EXPECT_EQ(completed("run --data=c"), "--data=checked\n");
  EXPECT_EQ(completed("sweep --gpus s"), "symmetric\n");
  EXPECT_EQ(completed("presets --show tiny-e"), "tiny-edge-tp4\n");
  EXPECT_EQ(completed("hbm --preset hbm2"), "hbm2 hbm2-pseudo hbm2e\n");
  EXPECT_EQ(completed("schema s"), "scenario sweep\n");
  EXPECT_EQ(completed("bench h"), "hbm\n");
  EXPECT_EQ(completed("reproduce --only t"), "traffic\n");
  EXPECT_EQ(completed("run --wave-from t"), "trigger\n");
  EXPECT_EQ(completed("run --transactions-stream co"), "compute communication\n");
  EXPECT_EQ(completed("compare --set hbm.arbitration=m"), "hbm.arbitration=mca\n");
  EXPECT_EQ(completed("sweep --sweep hbm.near_memory="),
            "hbm.near_memory=true hbm.near_memory=false\n");
  EXPECT_EQ(completed("run --seed ''"), "\n") << "a number has no list";
  EXPECT_EQ(completed("fly ''"), "\n");
}

TEST(Completion, OffersTheRestOfAWordThatBashHasCut) {
  // As bash cuts words, at "=" and ":".
  EXPECT_EQ(completed("compare --set hbm.arbitration = m"), "\n") << "three words typed so";
  EXPECT_EQ(completed("compare --set hbm.arbitration = m", "compare --set hbm.arbitration=m"),
            "mca\n");
  EXPECT_EQ(completed("run --data =", "run --data="), "elided checked\n");
  EXPECT_EQ(completed("run --mode cu-split :", "run --mode cu-split:"), "\n");
}

TEST(Completion, ScopesThatItOffersExist) {
  std::string list = completed("run --wave-scope ''");
  EXPECT_THAT(list, HasSubstr("gpu0.tracker"));
  list.pop_back();
  std::ranges::replace(list, ' ', ',');
  const TemporaryDirectory directory;
  test::mustRun(
      {"run --preset tiny-tp4 --data elided --set fabric.topology=switch --set "
       "switch.merge=model --tracker model --quiet --wave",
       directory.path("x.fst"), "--wave-scope", list, "--timeline", directory.path("x.json"),
       "--timeline-scope", list, "--transactions", directory.path("x.csv"), "--transactions-scope",
       list});
}

// --- what can go wrong meanwhile ------------------------------------------------------------

TEST(Interrupt, EndsWith130AndLeavesNothingHalfWritten) {
  for (const char* command : {"run", "compare"}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const TemporaryDirectory directory;
      directory.write("old.json", "old");
      const FileWatch watch(directory.path());
      Program program({command, "--preset", kLong, "--json", directory.path("old.json")});
      watch.wait();  // for the temporary file: the options are read, the simulation is next
      program.signal(signal);
      EXPECT_EQ(program.wait(), 130) << command;
      EXPECT_EQ(program.output, "");
      EXPECT_THAT(directory.names(), ElementsAre("old.json"));
      EXPECT_EQ(test::readFile(directory.path("old.json")), "old");
    }
  }
}

TEST(Interrupt, TakesTheSimulationsOfAComparisonAlong) {
  Program program({"compare --preset", kLong, "--modes t3"});
  const std::vector<pid_t> children = childrenOf(program.process());
  ASSERT_EQ(children.size(), 1U);
  program.signal(SIGINT);
  EXPECT_EQ(program.wait(), 130);
  while (runsT3sim(children.front())) test::pause();  // the test's time limit is the judge
}

TEST(Compare, AModeThatCrashesIsReported) {
  const TemporaryDirectory directory;
  Program program({"compare --preset", kLong, "--modes t3 --json", directory.path("x.json")});
  std::vector<pid_t> children = childrenOf(program.process());
  ASSERT_EQ(children.size(), 1U);
  kill(children.front(), SIGKILL);
  for (const pid_t dead = children.front(); children.front() == dead;) {
    children = childrenOf(program.process());
    ASSERT_EQ(children.size(), 1U) << "it is repeated once";
  }
  kill(children.front(), SIGKILL);
  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.output, HasSubstr("FAILED t3"));
  EXPECT_THAT(program.error, HasSubstr("(Killed); it is repeated\nt3sim: t3: "))
      << "also where the output goes elsewhere";
  const json::value run = readJson(directory.path("x.json")).at("runs").at(0);
  EXPECT_EQ(run.at("status").as_string(), "failed");
  EXPECT_THAT(std::string(run.at("error").as_string()), HasSubstr("signal 9"));
}

}  // namespace
}  // namespace t3::program_test
