// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim under mpirun, in one to four processes to which process 0 deals the
// simulations of a command, against t3sim alone. Files must be the same but for what they say of
// the machine. Then processes are killed: a simulation's, and one that simulates for others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/system/mpirun.h"
#include "tests/system/runs.h"
#include "tests/testbench/family.h"
#include "tests/testbench/file_watch.h"

namespace t3::farm_test {
namespace {

namespace json = boost::json;

using test::kSmallMachine;
using test::launch;
using test::Launched;
using test::Outcome;
using test::TemporaryDirectory;
using test::Words;
using testing::HasSubstr;

const Words kGrid = {
    "sweep --sweep link.latency_ns=100,200,300,400 --modes sequential,ideal-overlap,t3-mca"};

/// Takes away what depends on the machine, wherever it is.
void forgetHost(json::value& value) {
  if (json::object* object = value.if_object()) {
    for (const char* key : {"host", "peak_rss_mb", "wall_s"}) object->erase(key);
    for (auto& member : *object) forgetHost(member.value());
  } else if (json::array* array = value.if_array()) {
    for (json::value& element : *array) forgetHost(element);
  }
}

json::value reportIn(const std::string& path) {
  json::value report = test::readJson(path);
  forgetHost(report);
  return report;
}

struct Reports {
  json::value json;
  std::string csv;
  bool operator==(const Reports&) const = default;
};

/// Of a command that must succeed.
Reports reportsOf(int processes, const Words& words) {
  const TemporaryDirectory directory;
  const Outcome outcome = launch(
      processes, words + "--json" + directory.path("r.json") + "--csv" + directory.path("r.csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "") << processes << " processes";
  EXPECT_EQ(outcome.output, "");
  if (outcome.code != 0) return {};
  return {reportIn(directory.path("r.json")),
          test::csvWithoutHost(test::readFile(directory.path("r.csv")))};
}

TEST(Farm, OneToFourProcessesGiveTheSweepOfOne) {
  const Reports alone = reportsOf(0, kGrid + kSmallMachine);
  EXPECT_EQ(alone.json.at("points").as_array().size(), 4U);
  for (const int processes : {1, 2, 3, 4}) {
    EXPECT_EQ(reportsOf(processes, kGrid + kSmallMachine), alone) << processes << " processes";
  }
}

TEST(Farm, GivesTheComparisonOfOneWithItsCommandTraces) {
  const Words words = "compare --modes sequential,t3" + kSmallMachine;
  const TemporaryDirectory mine, theirs;
  const auto traced = [&](const TemporaryDirectory& directory) {
    return words + "--command-trace" + directory.path("c.csv");
  };
  EXPECT_EQ(reportsOf(3, traced(theirs)), reportsOf(0, traced(mine)));
  for (const char* name : {"c.sequential.csv", "c.t3.csv"}) {
    const std::string commands = test::readFile(mine.path(name));
    EXPECT_NE(commands, "");
    EXPECT_TRUE(test::readFile(theirs.path(name)) == commands) << name;
  }
}

TEST(Farm, GivesTheIterationOfOne) {
  const std::string trace = T3_WORKLOADS "/tiny-transformer-tp4.0.et";
  const Words words = Words{"run --mode t3 --workload", trace} + kSmallMachine;
  EXPECT_EQ(reportsOf(3, words), reportsOf(0, words));
}

TEST(Farm, GivesTheEvaluationOfOne) {
  const TemporaryDirectory mine, theirs;
  const auto words = [](const TemporaryDirectory& directory) -> Words {
    return {"reproduce --quick --tracker model --only traffic --out", directory.path(), "--quiet"};
  };
  EXPECT_EQ(launch(0, words(mine)).code, 0);
  const Outcome dealt = launch(2, words(theirs));
  EXPECT_EQ(dealt.code, 0) << dealt.error;
  EXPECT_EQ(reportIn(theirs.path("reproduce.json")), reportIn(mine.path("reproduce.json")));
  const json::value report = json::parse(test::readFile(theirs.path("reproduce.json")));
  EXPECT_EQ(report.at("host").at("jobs"), json::value(2));
}

TEST(Farm, AFailedCheckEndsWithTheLineAndExitCodeOfOneProcess) {
  const Words words = "sweep --modes t3 --sweep gpu1.link.lose_write=0,20" + kSmallMachine;
  const Outcome alone = launch(0, words);
  EXPECT_EQ(alone.code, 1);
  const Outcome dealt = launch(2, words);
  EXPECT_EQ(dealt.code, 1);
  EXPECT_EQ(dealt.error, alone.error);
}

TEST(Farm, BadInputIsOneLineOfOneProcess) {
  const auto expectRefused = [](const Words& words, const std::string& line) {
    const Outcome outcome = launch(3, words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.error, "t3sim: " + line + "\n");
  };
  expectRefused("sweep --jobs 2", "--jobs: expected one process, not mpirun");
  expectRefused("compare --set gpus=three",
                "--set: gpus: expected a whole number from 2 to 1024, got \"three\"");
}

// --- what dies ------------------------------------------------------------------------------

/// A run of seconds, so that there is time to end it.
const Words kSeconds = kSmallMachine + "--set workload.repeat=12";

std::string fileOf(pid_t process, const char* name) {
  return test::readFile("/proc/" + std::to_string(process) + "/" + name);
}

/// The processes that mpirun has started, each with that of its simulation. A simulation that is
/// there is held until it may go on, so that however busy the machine is, none has ended before the
/// last one begins.
class Pairs {
 public:
  struct Pair {
    pid_t launcher, simulation;
  };

  Pairs(const Launched& program, std::size_t count) {
    while (list.size() < count) {
      test::pause();
      list.clear();
      for (const pid_t process : test::childrenOf(program.process())) {
        if (!test::runsT3sim(process)) continue;
        for (const pid_t child : test::childrenOf(process)) {
          // Until it executes the program anew it has the command line of its parent.
          const std::string words = fileOf(child, "cmdline");
          if (words.empty() || words == fileOf(process, "cmdline")) continue;
          kill(child, SIGSTOP);
          list.push_back({process, child});
        }
      }
    }
  }
  ~Pairs() { goOn(); }
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;

  void goOn() const {
    for (const Pair& pair : list) kill(pair.simulation, SIGCONT);
  }

  std::vector<Pair> list;
};

TEST(Farm, SimulationsKnowNothingOfTheLauncher) {
  Launched program(2, "compare --modes t3,t3-mca" + kSeconds);
  const Pairs pairs(program, 2);
  for (const auto& [launcher, simulation] : pairs.list) {
    EXPECT_THAT(fileOf(launcher, "environ"), HasSubstr("OMPI_COMM_WORLD_RANK="));
    EXPECT_THAT(fileOf(launcher, "environ"), HasSubstr("PMIX_"));
    EXPECT_THAT(fileOf(simulation, "environ"), HasSubstr("PATH="));
    for (const char* theirs : {"OMPI_", "PMIX_"}) {
      EXPECT_THAT(fileOf(simulation, "environ"), testing::Not(HasSubstr(theirs)));
    }
  }
}

TEST(Farm, ASimulationThatDiesIsRepeated) {
  const TemporaryDirectory directory;
  const Words words = "compare --modes t3,t3-mca" + kSeconds;
  Launched program(2, words + "--json" + directory.path("r.json"));
  const Pairs pairs(program, 2);
  kill(pairs.list.back().simulation, SIGKILL);
  pairs.goOn();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.error,
              testing::MatchesRegex("t3sim: t3.*killed by signal 9 .Killed.; it is repeated\n"));
  EXPECT_EQ(reportIn(directory.path("r.json")), reportsOf(0, words).json);
}

TEST(Farm, AProcessThatDiesEndsTheJobAndTheSameCommandGoesOnWhereItStopped) {
  const TemporaryDirectory directory;
  const Words words = "sweep --modes t3 --sweep link.latency_ns=100,200,300,400" + kSeconds;
  const Words kept = words + "--out" + directory.path();
  std::filesystem::create_directory(directory.path("runs"));
  const test::FileWatch watch(directory.path("runs"), test::FileWatch::What::Named);
  Launched program(2, kept);
  const Pairs pairs(program, 2);
  kill(pairs.list.front().simulation, SIGCONT);
  watch.wait();  // one run has ended; that of the other process cannot
  kill(pairs.list.back().launcher, SIGKILL);
  pairs.goOn();
  EXPECT_NE(program.wait(), 0);
  for (const auto& [launcher, simulation] : pairs.list) {
    while (test::runsT3sim(simulation)) test::pause();  // the test's time limit is the judge
  }
  EXPECT_THAT(directory.names(), testing::ElementsAre("runs")) << "nothing half-written";
  std::map<std::string, std::string> before;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path("runs"))) {
    before[entry.path()] = test::readFile(entry.path());
  }
  EXPECT_GE(before.size(), 1U);
  EXPECT_LT(before.size(), 4U);
  EXPECT_EQ(launch(2, kept).code, 0);
  for (const auto& [path, text] : before) {
    EXPECT_TRUE(test::readFile(path) == text) << "made again, with other figures of the host";
  }
  EXPECT_EQ(reportIn(directory.path("sweep.json")), reportsOf(0, words).json);
}

}  // namespace
}  // namespace t3::farm_test
