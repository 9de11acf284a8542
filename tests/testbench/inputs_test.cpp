// SPDX-License-Identifier: Apache-2.0
// What goes into the program from a shell, and comes out of it: pipes and standard input, marks of
// the byte order, names that are no UTF-8, results of others, and full disks. Method: the command
// line of a user in bash, with t3sim as $T and an empty directory as the current one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <string>

#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "tests/testbench/program.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::inputs_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTiny =
    " --preset tiny-tp4 --data elided --gpus symmetric --tracker model"
    " --quiet ";

/// A shell in a directory of its own.
class Shell {
 public:
  test::Outcome operator()(const std::string& line) const {
    test::Program bash(
        std::vector<std::string>{"-c", "cd '" + directory.path() + "'; T='" T3SIM "'; " + line},
        test::Program::Error::Pipe, "/bin/bash");
    const int code = bash.wait();
    return {code, bash.output, bash.error};
  }
  void expectRuns(const std::string& line) const {
    const test::Outcome outcome = (*this)(line);
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.error;
  }
  void expectRefused(const std::string& line, const std::string& why) const {
    const test::Outcome outcome = (*this)(line);
    EXPECT_EQ(outcome.code, 2) << line << "\n" << outcome.error;
    EXPECT_THAT(outcome.error, HasSubstr(why)) << line;
    EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
  }

  const test::TemporaryDirectory directory;
};

TEST(Inputs, MayComeFromAPipeOrStandardInput) {
  const Shell shell;
  const std::string config = "echo '{\"preset\": \"tiny-tp4\", \"data\": \"elided\"}'";
  const std::string run = " run --gpus symmetric --tracker model --quiet --mode t3 --config ";
  shell.expectRuns("$T" + run + "<(" + config + ")");
  shell.expectRuns(config + " | $T" + run + "-");
  shell.expectRuns(config + " | $T" + run + "/dev/stdin");
  const std::string ring = "$T collective ring-all-reduce --gpus 4";
  shell.expectRuns(ring + " | $T run --quiet --set collective.bytes=4KiB --collective -");
  shell.expectRuns("$T run" + std::string(kTiny) + "--mode t3 --set workload.collective=<(" + ring +
                   ")");
  shell.expectRuns("echo 0x0 READ 0 | $T hbm --quiet --trace -");
}

TEST(Inputs, ThatSeveralProcessesReadAreFiles) {
  const Shell shell;
  const std::string ring = "<($T collective ring-all-reduce --gpus 4)";
  const std::string why = "expected an ordinary file, because several processes read it";
  for (const std::string command : {"compare", "sweep --sweep link.latency_ns=1,2"}) {
    shell.expectRefused(
        "$T " + command + kTiny + "--modes sequential,t3 --set workload.collective=" + ring,
        "workload.collective: /dev/fd/");
  }
  shell.expectRefused("$T run --workload tiny-transformer-tp4 --quiet --collective " + ring, why);
  shell.expectRefused("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 $T run --config -", why);
}

TEST(Inputs, HaveStandardInputForOneOfThem) {
  const Shell shell;
  shell.expectRefused("$T collective ring-all-reduce --gpus 4 | $T run --config - --collective -",
                      "expected a file, --collective reads standard input");
}

TEST(Inputs, MayBeginWithAByteOrderMark) {
  const Shell shell;
  const std::string mark = "printf '\\xef\\xbb\\xbf'; ";
  shell.expectRuns("(" + mark + "echo '{\"preset\": \"tiny-tp4\"}') > c.json && $T run --config " +
                   "c.json --data elided --gpus symmetric --tracker model --quiet --mode t3");
  shell.expectRuns("(" + mark + "echo 0x0 READ 0) > t && $T hbm --quiet --trace t");
  shell.expectRuns("(" + mark + "echo '{\"1\": [0, 1, 2, 3]}') > g && $T run --gpus symmetric " +
                   "--workload tiny-transformer-tp4 --tracker model --data elided --quiet " +
                   "--mode t3 --workload-groups g");
  shell.expectRuns("(" + mark +
                   "$T collective ring-all-reduce --gpus 4) > r.xml && $T run --quiet " +
                   "--set collective.bytes=4KiB --collective r.xml");
  shell.expectRefused("printf '\\xff\\xfe{\\0}\\0' > u; $T run --config u",
                      "expected text in UTF-8, got UTF-16");
}

// ---- what is written ----------------------------------------------------------------------------

TEST(Outputs, AreValidWhateverANameHolds) {
  EXPECT_TRUE(isUtf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* bad :
       {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x80"}) {
    EXPECT_FALSE(isUtf8(bad)) << bad;
    EXPECT_TRUE(isUtf8(asUtf8(bad))) << bad;
  }
  EXPECT_EQ(asUtf8("a\xff"
                   "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(quotedJson("\xff\"\n\x01"), "\"\xef\xbf\xbd\\\"\\n\\u0001\"");
  EXPECT_EQ(formatJson({{"\xff", "\xfe"}}), "{ \"\xef\xbf\xbd\": \"\xef\xbf\xbd\" }\n");
  EXPECT_EQ(formatCsv({{{"a", "\xff,"}, {"b", "x\ry"}}}), "a,b\n\"\xef\xbf\xbd,\",\"x\ry\"\n");
  EXPECT_EQ(formatNumber(1.0 / 0.0), "null");
}

TEST(Outputs, OfAFileWhoseNameIsNoUtf8CanBeRead) {
  const Shell shell;
  shell.expectRuns(
      "f=$(printf 'b\\xff.xml'); $T collective ring-all-reduce --gpus 4 --write \"$f\" "
      "> /dev/null && $T run --quiet --set collective.bytes=4KiB --collective \"$f\" "
      "--json o.json --csv o.csv");
  const std::string text = test::readFile(shell.directory.path("o.json"));
  EXPECT_TRUE(isUtf8(text));
  EXPECT_NO_THROW(boost::json::parse(text));
  EXPECT_TRUE(isUtf8(test::readFile(shell.directory.path("o.csv"))));
  shell.expectRefused("$T run --set workload.model=$'a\\xff'",
                      "workload.model: expected text in UTF-8");
  shell.expectRefused("$T compare" + std::string(kTiny) + "--command-trace $'a\\xff.csv'",
                      "expected a name in UTF-8");
}

TEST(Outputs, OnAFullDiskAreNoInternalError) {
  const Shell shell;
  for (const char* option : {"transactions", "timeline", "command-trace", "json", "csv"}) {
    const auto outcome =
        shell("$T run" + std::string(kTiny) + "--mode t3 --" + option + " /dev/full");
    EXPECT_EQ(outcome.code, 1) << option;
    EXPECT_THAT(outcome.error, EndsWith("/dev/full: cannot be written: No space left on device\n"));
    EXPECT_THAT(outcome.error, Not(HasSubstr("uncaught"))) << option;
  }
}

TEST(Outputs, DoNotReplaceWhatIsNotOurs) {
  const Shell shell;
  const std::string run = "$T run" + std::string(kTiny) + "--mode t3 --out o";
  shell.expectRuns(run);
  shell.expectRuns(run);
  for (const char* file : {"run.json", "run.csv", "run.txt"}) {
    shell.expectRefused("rm -rf o; mkdir o; echo mine > o/" + std::string(file) + "; " + run,
                        "o/" + std::string(file) + ": expected no file of this name");
    EXPECT_EQ(test::readFile(shell.directory.path("o/" + std::string(file))), "mine\n");
  }
  shell.expectRefused("rm -rf o; echo mine > o; " + run, "--out: o: cannot be made");
}

TEST(Modes, WithoutATrackerAreHeldToNoneOfItsLimits) {
  const Shell shell;
  const std::string many = std::string(kTiny) + "--set gpu.gemm.wavefronts=16 ";
  for (const char* mode : {"sequential", "ideal-overlap", "cu-split:4"}) {
    shell.expectRuns("$T run" + many + "--mode " + mode);
  }
  shell.expectRefused("$T run" + many + "--mode t3",
                      "--mode t3: gpu.gemm.wavefronts: expected at most 8");
  shell.expectRefused("$T compare" + many + "--modes sequential,t3",
                      "--modes t3: gpu.gemm.wavefronts");
  const auto all = shell("$T compare" + many);
  EXPECT_EQ(all.code, 0) << all.error;
  EXPECT_THAT(all.error, HasSubstr("t3sim: t3-ag is left out: gpu.gemm.wavefronts: expected"));
  shell.expectRuns("$T run --preset tiny-tp4 --quiet --mode sequential --set tracker.slots=512");
}

TEST(Sweep, HasAtMost10000Points) {
  const Shell shell;
  const auto sweep = [](int latencies) {
    return "$T sweep" + std::string(kTiny) +
           "--modes t3 --set gpu.gemm.wavefronts=16 --sweep link." + "latency_ns=$(seq -s, 1 " +
           std::to_string(latencies) + ") --sweep seed=$(seq -s, 1 100)";
  };
  shell.expectRefused(sweep(100), "--modes t3: gpu.gemm.wavefronts");
  shell.expectRefused(sweep(101), "expected a grid of at most 10000 points");
}

}  // namespace
}  // namespace t3::inputs_test
