// SPDX-License-Identifier: Apache-2.0
// Method: the real program writes the log of small runs. Bytes by step must be those of the report
// of the same run; the steps of each request must be in order, and those of one tile must lead from
// its store to the GPU that keeps it. Of every filter, the lines must be the lines of the whole log
// that a predicate written here picks. `t3sim follow` tells a story about the same run, so its
// times must be those of the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include <functional>
#include <set>

#include "tests/system/runs.h"
#include "tests/testbench/csv_log.h"
#include "tests/testbench/refused.h"

namespace t3::transactions_test {
namespace {

using test::expectRefused;
using test::LogLine;
using test::numberIn;
using test::readLog;
using test::t3sim;
using test::TemporaryDirectory;
using test::Words;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Words kScenario = "--preset tiny-tp4 --data elided --quiet";
const Words kRun = "run --mode t3-mca" + kScenario;

std::uint64_t bytesOf(const std::vector<LogLine>& log, const std::string& step) {
  std::uint64_t sum = 0;
  for (const LogLine& line : log) sum += line.at("step") == step ? numberIn(line, "bytes") : 0;
  return sum;
}

/// What the report says about the run with these options more.
boost::json::object recordOf(const TemporaryDirectory& directory, const Words& more) {
  const std::string path = directory.path("report.json");
  test::mustRun(kRun + "--json" + path + more);
  return test::runIn(path);
}

TEST(Transactions, AddUpToTheReportOfTheRunThatTheyDoNotChange) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  const auto off = recordOf(directory, {});
  const auto on = recordOf(directory, {"--transactions", path});
  for (const char* key : {"time_ps", "dram_bytes", "link_bytes", "per_gpu", "tracker_stats"}) {
    EXPECT_EQ(on.at(key), off.at(key)) << key;
  }
  const std::vector<LogLine> log = readLog(path);
  std::uint64_t dram = 0;
  for (const auto& kind : off.at("dram_bytes").as_object()) {
    dram += 4 * kind.value().to_number<std::uint64_t>();
  }
  // Each GPU's memory clears the chunk that stays, 128 KiB, in whole rows and without its data bus.
  EXPECT_EQ(bytesOf(log, "served"), dram + 4 * std::uint64_t{32} * 4 * 2048);
  EXPECT_EQ(bytesOf(log, "sent"), test::number(off, "link_bytes"));
  EXPECT_EQ(bytesOf(log, "begin-response"), bytesOf(log, "created"));
}

TEST(Transactions, LeadFromTheStoreOfATileToTheGpuThatKeepsIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  test::mustRun(kRun + "--transactions" + path);
  std::map<std::uint64_t, std::vector<LogLine>> requests;
  for (const LogLine& line : readLog(path)) {
    if (!line.at("request").empty()) requests[numberIn(line, "request")].push_back(line);
  }
  std::uint64_t carried = 0;
  for (const auto& [number, steps] : requests) {
    EXPECT_EQ(steps.front().at("step"), "created");
    std::uint64_t before = 0;
    for (const LogLine& line : steps) {
      const std::string_view step = line.at("step");
      // What may be said while something ahead of it is known: a link that takes a request may have
      // sent it already.
      if (step == "end-request" || step == "begin-response" || step == "served") continue;
      EXPECT_GE(numberIn(line, "time_ps"), before) << number << " " << step;
      before = numberIn(line, "time_ps");
    }
    for (const LogLine& line : steps) {
      if (line.at("step") != "served") continue;
      EXPECT_LE(numberIn(line, "entered_ps"), numberIn(line, "time_ps"));
    }
    if (steps.front().at("cause").empty()) continue;
    const std::vector<LogLine>& read = requests.at(numberIn(steps.front(), "cause"));
    for (const char* same : {"workgroup", "wavefront", "bytes", "source"}) {
      EXPECT_EQ(read.front().at(same), steps.front().at(same)) << number;
    }
    // The same place in its buffer; buffers are aligned to 1 MiB.
    const auto place = [](const LogLine& line) {
      const std::string_view address = line.at("address");
      return address.substr(address.size() - 5);
    };
    EXPECT_EQ(place(read.front()), place(steps.front())) << number;
    EXPECT_EQ(read.front().at("operation"), "read");
    EXPECT_LE(numberIn(read.back(), "entered_ps"), numberIn(steps.front(), "time_ps"));
    carried += numberIn(steps.front(), "bytes");
    EXPECT_EQ(bytesOf(steps, "counted"), numberIn(steps.front(), "bytes"))
        << number << " keeps its number in the next GPU";
  }
  // Of each output, what passes through a GPU: all chunks but its first and its last.
  EXPECT_EQ(carried, std::uint64_t{512} * 512 * 2 * 2);

  // Chunk 1 of GPU 3 is summed in 3, 0 and 1, where it stays.
  std::set<std::string> counted;
  std::set<std::string> last;
  for (const auto& [number, steps] : requests) {
    if (steps.front().at("workgroup") != "17" || steps.front().at("wavefront") != "2") continue;
    for (const LogLine& line : steps) {
      if (line.at("step") != "counted") continue;
      counted.emplace(line.at("place"));
      if (line.at("place") == "gpu1.hbm") last.emplace(line.at("source"));
    }
  }
  EXPECT_THAT(counted, ElementsAre("gpu0.hbm", "gpu1.hbm", "gpu3.hbm"));
  EXPECT_THAT(last, ElementsAre("0", "1"));
}

const Words kMerging = "--set fabric.topology=switch --set switch.merge=rtl";

TEST(Transactions, LeadThroughASumOfTheSwitch) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  const auto report = recordOf(directory, kMerging + "--transactions" + path);
  std::map<std::uint64_t, std::vector<LogLine>> parts;  // by the request that carries the sum
  std::map<std::uint64_t, std::uint64_t> counted;
  std::map<std::uint64_t, LogLine> sums;
  const std::vector<LogLine> log = readLog(path);
  for (const LogLine& line : log) {
    const std::string_view step = line.at("step");
    if (step == "joined") parts[numberIn(line, "cause")].push_back(line);
    if (step == "counted") counted[numberIn(line, "request")] += numberIn(line, "bytes");
    if (step == "created" && line.at("place").starts_with("switch.merge")) {
      sums.emplace(numberIn(line, "request"), line);
    }
  }
  const auto merged = [&](const char* key) {
    return report.at("merged").at(key).to_number<std::uint64_t>();
  };
  EXPECT_EQ(bytesOf(log, "joined"), merged("update_bytes"));
  EXPECT_EQ(sums.size(), merged("updates") - merged("joined"));
  EXPECT_EQ(sums.size(), parts.size());
  std::uint64_t complete = 0;
  for (const auto& [number, sum] : sums) {
    std::set<std::string_view> gpus;
    std::uint64_t taken = 0;
    for (const LogLine& part : parts[number]) {
      for (const char* same : {"place", "time_ps", "address", "bytes", "workgroup", "wavefront"}) {
        EXPECT_EQ(part.at(same), sum.at(same)) << number << " " << same;
      }
      EXPECT_GT(numberIn(part, "entered_ps"), taken) << "in the order of the additions";
      taken = numberIn(part, "entered_ps");
      EXPECT_GE(numberIn(sum, "time_ps"), taken);
      gpus.insert(part.at("source"));
    }
    EXPECT_EQ(gpus.size(), parts[number].size()) << "one contribution of a GPU";
    EXPECT_EQ(counted[number], numberIn(sum, "bytes")) << "the sum arrives";
    complete += gpus.size() == 3;
  }
  EXPECT_EQ(complete, merged("complete"));
}

TEST(Transactions, OfOneGpuThatStandsForAllKeepTheNumbersOfWritesThatComeBackInPieces) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  // 1.5 rows of tiles per chunk: a gathered run of one chunk is several runs of the chunk before.
  const Words run = kRun + "--tracker model --gpus symmetric --transactions" + path +
                    "--set gpus=16 --set workload.rows=1536 --set workload.columns=256";
  for (const char* topology :
       {"ring", "bidirectional-ring", "fully-connected", "switch", "two-level"}) {
    SCOPED_TRACE(topology);
    test::mustRun(run + (std::string("--set fabric.topology=") + topology));
    struct Bytes {
      std::uint64_t made = 0, delivered = 0, arrived = 0, served = 0;
      std::size_t pieces = 0;
    };
    std::map<std::uint64_t, Bytes> requests;
    for (const LogLine& line : readLog(path)) {
      if (line.at("request").empty()) continue;
      Bytes& request = requests[numberIn(line, "request")];
      const std::string_view step = line.at("step"), place = line.at("place");
      const std::uint64_t bytes = numberIn(line, "bytes");
      const bool ingress = place.find(".ingress") != std::string_view::npos;
      if (step == "created" && !ingress) {
        EXPECT_EQ(request.made, 0U) << "made once: " << line.at("request");
        request.made = bytes;
      }
      if (step == "created" && ingress) {
        request.arrived += bytes;
        ++request.pieces;
      }
      if (step == "delivered" && place.starts_with("gpu")) request.delivered += bytes;
      if (step == "served") request.served += bytes;
    }
    std::size_t cut = 0;
    for (const auto& [number, request] : requests) {
      EXPECT_GT(request.made, 0U) << number;
      EXPECT_EQ(request.served, request.made) << number;
      EXPECT_EQ(request.arrived, request.delivered) << number;
      cut += request.pieces > 1 ? 1 : 0;
    }
    EXPECT_GT(cut, 5U);  // on two levels few: only what rails bring, by one chunk
  }
}

Words collectiveRun(const std::string& mode, const Words& more) {
  return Words{"run --collective " T3_COLLECTIVES "/hierarchical-all-reduce-4.xml",
               "--quiet --mode", mode,
               "--set fabric.topology=switch --set collective.bytes=262144"} +
         more;
}

/// Who begins the steps whose commands a DMA engine does.
std::string joinsOf(std::string_view engine) {
  return std::string(engine.substr(0, engine.rfind('.'))) + ".joins";
}

TEST(Transactions, OfACollectiveFromAFileAddUpToItsReport) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv"), report = directory.path("report.json");
  for (const char* mode : {"sequential", "t3"}) {
    SCOPED_TRACE(mode);
    test::mustRun(collectiveRun(mode, {"--transactions", path, "--json", report}));
    const auto run = test::runIn(report);
    const std::vector<LogLine> log = readLog(path);
    const auto& figures = run.at("other_collectives").at(0).as_object();
    EXPECT_EQ(bytesOf(log, "served"),
              4 * (test::number(figures, "dram_read") + test::number(figures, "dram_write")));
    EXPECT_EQ(bytesOf(log, "begin-response"), bytesOf(log, "created"));
    std::uint64_t sent = 0;
    std::map<std::uint64_t, const LogLine*> created;
    std::set<std::string> steps, commands;
    for (const LogLine& line : log) {
      const std::string_view step = line.at("step"), place = line.at("place");
      const std::string worker = place.ends_with(".dma") ? joinsOf(place) : std::string(place);
      const std::string which = worker + " " + std::string(line.at("thread_block")) + " " +
                                std::string(line.at("number"));
      if (step == "sent" && place.starts_with("gpu")) sent += numberIn(line, "bytes");
      if (step == "step-begin") {
        EXPECT_TRUE(steps.insert(which).second) << which;
      }
      if (step.starts_with("command-")) commands.insert(which);
      EXPECT_EQ(line.at("thread_block").empty(),
                !step.starts_with("command-") && !step.starts_with("step-"));
      EXPECT_EQ(line.at("slice").empty(), !step.starts_with("command-"));
      if (!line.at("request").empty()) {
        EXPECT_EQ(line.at("phase"), "collective");
      }
      if (step != "created" || place.find(".ingress") != std::string_view::npos) continue;
      created[numberIn(line, "request")] = &line;
    }
    EXPECT_EQ(sent, test::number(run, "link_bytes"));
    EXPECT_EQ(commands.empty(), std::string(mode) == "sequential");
    EXPECT_TRUE(std::ranges::includes(steps, commands));
    // The DMA engine writes only what it has read, once or to two places.
    std::uint64_t carried = 0;
    for (const auto& [number, line] : created) {
      const bool write = line->at("operation") != "read";
      if (line->at("place").find(".dma.") == std::string_view::npos) continue;
      EXPECT_EQ(line->at("cause").empty(), !write) << number;
      if (!write) continue;
      const LogLine& read = *created.at(numberIn(*line, "cause"));
      EXPECT_EQ(read.at("bytes"), line->at("bytes")) << number;
      EXPECT_EQ(read.at("source"), line->at("source")) << number;
      carried += numberIn(*line, "bytes");
    }
    EXPECT_EQ(carried >= sent, std::string(mode) == "t3");
  }
}

TEST(Transactions, OfACollectiveFromAFileFilterByBlocksThatTrackersCount) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  const auto log = [&](const Words& more) {
    test::mustRun(collectiveRun("t3", Words{"--transactions", path} + more));
    return readLog(path);
  };
  std::vector<LogLine> expected;
  std::ranges::copy_if(log({}), std::back_inserter(expected),
                       [](const LogLine& line) { return line.at("workgroup") == "1"; });
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(log("--transactions-wg 1"), expected);
  expectRefused(collectiveRun("t3", {"--transactions", path, "--transactions-wg 9999"}),
                {"--transactions-wg: expected numbers from 0 to "});
  expectRefused(collectiveRun("sequential", {"--transactions", path, "--transactions-wg 0"}),
                {"--transactions-wg: expected nothing, because this run has none, got 0"});
}

TEST(Transactions, FiltersPickLinesOfTheWholeLog) {
  const TemporaryDirectory directory;
  const auto logWith = [&](const Words& more) {
    const std::string path = directory.path("log.csv");
    test::mustRun(kRun + "--transactions" + path + more);
    return readLog(path);
  };
  const std::vector<LogLine> whole = logWith({});
  using Predicate = std::function<bool(const LogLine&)>;
  const auto picks = [&](const Words& more, const Predicate& wanted) {
    std::vector<LogLine> expected;
    std::ranges::copy_if(whole, std::back_inserter(expected), wanted);
    EXPECT_GT(expected.size(), 10U) << more[1];
    EXPECT_LT(expected.size(), whole.size() / 2) << more[1];
    EXPECT_EQ(logWith(more), expected) << more[1];
  };
  picks("--transactions-scope gpu3.link,*.tracker", [](const LogLine& line) {
    return line.at("place") == "gpu3.link" || line.at("place").substr(4).starts_with(".tracker");
  });
  picks("--transactions-window 5us:5.5us", [](const LogLine& line) {
    return numberIn(line, "time_ps") >= 5'000'000 && numberIn(line, "time_ps") < 5'500'000;
  });
  picks("--transactions-wg 17,4", [](const LogLine& line) {
    return line.at("workgroup") == "17" || line.at("workgroup") == "4";
  });
  picks("--transactions-stream communication --transactions-scope gpu0", [](const LogLine& line) {
    return line.at("stream") == "communication" && line.at("place").starts_with("gpu0.");
  });
  picks("--transactions-channel 7,30", [](const LogLine& line) {
    return line.at("channel") == "7" || line.at("channel") == "30";
  });
  // One byte in the middle of a row of a request. A wavefront's band is 8 rows of 128 bytes, 1 KiB
  // apart; other events name their first byte.
  picks("--transactions-address 0x224ca0:0x224ca1", [](const LogLine& line) {
    const std::uint64_t from = numberIn(line, "address");
    const std::uint64_t bytes = line.at("request").empty() ? 1 : numberIn(line, "bytes");
    const bool band = line.at("step") == "band-store";
    for (std::uint64_t row = 0; row < (band ? 8 : 1); ++row) {
      const std::uint64_t begin = from + row * 1024;
      if (begin <= 0x224ca0 && begin + (band ? 128 : bytes) > 0x224ca0) return from != 0;
    }
    return false;
  });
}

TEST(Transactions, OfAGraphFromAFileKnowTheTilesOfEachOutput) {
  const TemporaryDirectory directory;
  const std::string graph = directory.write("graph.json", R"({"outputs": [
    {"name": "x", "rows": 1024, "columns": 512, "depth": 64},
    {"name": "y", "rows": 512, "columns": 320, "depth": 64}], "nodes": [
    {"name": "gemm_x", "gemm": "x"},
    {"name": "sum_x", "collective": "reduce-scatter", "of": "x", "by": "tracker", "chunks": "gemm_x"},
    {"name": "gemm.y", "gemm": "y", "after": "gemm_x"},
    {"name": "sum_y", "collective": "reduce-scatter", "of": "y", "by": "tracker", "chunks": "gemm.y"}
    ]})");
  const std::string path = directory.path("log.csv");
  const auto words = [&](const Words& more) {
    return kRun + "--tracker model --graph" + graph + "--transactions" + path + more;
  };
  const auto logWith = [&](const Words& more) {
    test::mustRun(words(more));
    return readLog(path);
  };
  const std::vector<LogLine> last = logWith("--transactions-wg 127");
  EXPECT_GT(last.size(), 100U);
  for (const LogLine& line : last) EXPECT_EQ(line.at("workgroup"), "127");
  expectRefused(words("--transactions-wg 128"), {"from 0 to 127, got 128"});

  const std::vector<LogLine> bands = logWith("--transactions-scope gpu0.gpu.gemm_y__2");
  const auto band = std::ranges::find_if(
      bands, [](const LogLine& line) { return line.at("step") == "band-store"; });
  ASSERT_NE(band, bands.end());
  // In the last of its 8 rows, 640 bytes apart.
  const std::uint64_t byte = numberIn(*band, "address") + 7 * 640 + 3;
  const std::vector<LogLine> of =
      logWith({"--transactions-scope gpu0.gpu.gemm_y__2 --transactions-address",
               std::to_string(byte) + ":" + std::to_string(byte + 1)});
  EXPECT_NE(std::ranges::find(of, *band), of.end());
}

TEST(Transactions, OfARunThatFailsAreComplete) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  const auto outcome =
      t3sim(kRun + "--set watchdog_us=50 --set link.latency_ns=900000 --transactions" + path);
  EXPECT_EQ(outcome.code, 1);
  const std::vector<LogLine> log = readLog(path);
  EXPECT_GT(bytesOf(log, "sent"), 0U);
  EXPECT_EQ(bytesOf(log, "sent") - bytesOf(log, "delivered"), 4U * 131072) << "on the links";
  EXPECT_THAT(directory.names(), ElementsAre("log.csv"));
}

TEST(Transactions, ThatMakeNoSenseAreRefusedInOneLine) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.csv");
  const auto refuses = [&](const Words& more, const std::string& says) {
    expectRefused(kRun + more, {says});
    EXPECT_THAT(directory.names(), ElementsAre());
  };
  refuses("--transactions-wg 3", "--transactions-wg: expected --transactions FILE with it");
  refuses({"--transactions", path, "--transactions-wg x"}, "expected numbers up to");
  refuses({"--transactions", path, "--transactions-wg 3,64"}, "from 0 to 63, got 64");
  refuses({"--transactions", path, "--transactions-channel 32"}, "from 0 to 31, got 32");
  refuses({"--transactions", path, "--transactions-wg 1,"}, "between commas");
  refuses({"--transactions", path, "--transactions-stream dma"},
          "expected compute or communication, got 'dma'");
  refuses({"--transactions", path, "--transactions-scope gpu4"}, "nothing is called 'gpu4'");
  refuses({"--transactions", path, "--transactions-address 9:0x8"}, "end after the beginning");
  refuses({"--transactions", path, "--transactions-window 9us"}, "expected FROM:TO");
  refuses({"--transactions", directory.path("no/x.csv")}, "cannot be written");
}

// --- t3sim follow -------------------------------------------------------------------------------

Words follow(const char* gpu, const char* wg, const char* wf) {
  return Words{"follow --gpu", gpu, "--wg", wg, "--wf", wf} + kScenario;
}

/// As the story writes times.
std::string microseconds(std::uint64_t picoseconds) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%14.3f ", static_cast<double>(picoseconds) * 1e-6);
  return text.data();
}

/// Of a line of the story that contains `words`, its time.
std::string timeBefore(const std::string& story, const std::string& words) {
  const std::size_t at = story.find(words);
  if (at == std::string::npos) return "no " + words;
  return story.substr(story.rfind('\n', at) + 1, 15);
}

TEST(Follow, TellsTheTimesOfTheLog) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  test::mustRun(kRun + "--transactions" + path + "--transactions-wg 17");
  std::map<std::string, std::uint64_t> lastCounted, told;  // by GPU
  std::map<std::string, std::string> command;
  for (const LogLine& line : readLog(path)) {
    const std::uint64_t when = numberIn(line, "time_ps");
    const std::string gpu(line.at("place").substr(0, 4));
    if (line.at("step") == "counted") told[gpu] = when;
    if (line.at("step") == "counted" && line.at("wavefront") == "2") lastCounted[gpu] = when;
    if (line.at("step") == "command-taken") command[gpu] = line.at("number");
  }
  // A trigger names its command only, and the DMA engine knows whose that is.
  test::mustRun(kRun + "--transactions" + path + "--transactions-scope *.tracker");
  for (const LogLine& line : readLog(path)) {
    if (line.at("step") != "trigger") continue;
    EXPECT_EQ(line.at("workgroup"), "");
    const auto taken = command.find(std::string(line.at("place").substr(0, 4)));
    if (taken == command.end() || line.at("number") != taken->second) continue;
    told[taken->first] = numberIn(line, "time_ps");
  }
  const auto outcome = test::mustRun(follow("3", "17", "2"));
  EXPECT_EQ(outcome.error, "");
  const std::string& story = outcome.output;
  EXPECT_THAT(story, HasSubstr("on its way gpu3 -> gpu0 -> gpu1, where it stays"));
  std::size_t from = 0;
  for (const char* gpu : {"gpu3", "gpu0", "gpu1"}) {
    const std::string name = gpu;
    const std::size_t title = story.find("\n" + name + " adds it up\n", from);
    ASSERT_NE(title, std::string::npos) << story;
    const std::string after = story.substr(title);
    EXPECT_EQ(timeBefore(after, name == "gpu1" ? "the sum is final" : "the tracker issues"),
              microseconds(told.at(name)));
    EXPECT_THAT(story, HasSubstr(microseconds(lastCounted.at(name)))) << name;
    from = title;
  }
  EXPECT_EQ(timeBefore(story, "its last addition").find_first_not_of(" .0123456789"),
            std::string::npos);
}

TEST(Follow, ItsWaitsAddUpToTheTimeFromTheStoreToTheEnd) {
  const auto outcome = test::mustRun(follow("1", "17", "0") + "--mode t3");
  const std::string& story = outcome.output;
  const double stored = std::stod(timeBefore(story, "wavefront 0 leaves"));
  const double summed = std::stod(timeBefore(story, "the sum is final"));
  const std::size_t summary = story.rfind(" us from its store to here, by what it waited for:");
  ASSERT_NE(summary, std::string::npos) << story;
  const double total = std::stod(story.substr(story.rfind('\n', summary) + 1));
  EXPECT_NEAR(total, summed - stored, 0.0011);
  double sum = 0;
  std::istringstream lines(story.substr(story.find('\n', summary) + 1));
  for (std::string line; std::getline(lines, line);) sum += std::stod(line);
  EXPECT_NEAR(sum, total, 0.02) << "rounded to 1 ns each";
}

TEST(Follow, NamesWhatItWaitedFor) {
  const auto storyWith = [](const Words& settings) {
    const auto outcome = test::mustRun(follow("3", "17", "2") + settings);
    return outcome.output;
  };
  // Zeroing of 512 bytes at a time is far behind the stores; a link of 4 KiB stands still for most
  // of its round trip; a slow tracker whose lanes hold one update has to refuse the next.
  EXPECT_THAT(storyWith("--set hbm.initial_value=zero-over-bus --set gpu.dma.fill_bytes=512 --set "
                        "gpu.dma.fill_outstanding_bytes=512"),
              HasSubstr("handed to gpu3.gpu.gemm.memory   [zeros under it]"));
  EXPECT_THAT(storyWith("--set link.buffer_bytes=4096"), HasSubstr(" ns link credit, "));
  EXPECT_THAT(storyWith("--set tracker.lane_queue_updates=1 --set tracker.clock_mhz=250"),
              HasSubstr(" ns tracker lane full, "));
}

TEST(Follow, OfATileThatStaysWhereItIsMadeGoesNowhere) {
  const auto outcome = test::mustRun(follow("0", "5", "2"));
  EXPECT_THAT(outcome.output, HasSubstr("chunk 0 of 4, made in gpu0, where it stays"));
  EXPECT_THAT(outcome.output, Not(HasSubstr(".link")));
}

TEST(Follow, NamesTheWorkgroupsThatShareACommand) {
  const auto outcome = test::mustRun(follow("3", "17", "2") + "--set tracker.block_log2=2");
  EXPECT_THAT(outcome.output, HasSubstr("all updates of workgroups 16 to 19 are counted"));
  // A mode may put more tiles into a command, where arrivals need slots too.
  const auto few =
      test::mustRun(follow("3", "17", "2") + "--mode t3-ag --tracker model --set tracker.slots=64");
  EXPECT_THAT(few.output, HasSubstr("all updates of workgroups 16 to 17 are counted"));
}

TEST(Follow, OfATileThatIsStoredIntoTheNextGpuBeginsWithTheLink) {
  const auto outcome = t3sim(follow("1", "5", "7"));  // chunk 0, the first that GPU 1 computes
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(
      outcome.output,
      AllOf(HasSubstr("gpu1 -> gpu2 -> gpu3 -> gpu0"), HasSubstr("handed to gpu1.gpu.gemm.egress"),
            HasSubstr("leaves on gpu1.link"), HasSubstr("the sum is final")));
}

TEST(Follow, SaysWhatATileThatHangsWaitsFor) {
  const Words hang = "--set watchdog_us=50 --set link.latency_ns=900000";
  const auto outcome = t3sim(follow("3", "17", "2") + hang);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("where it stands at the end of the run"));
  EXPECT_THAT(outcome.output, HasSubstr("of the part of gpu2, 0 of 1024 bytes are counted"));
  EXPECT_THAT(outcome.output, HasSubstr(" is on gpu2.link, sent and not delivered, since "));
  EXPECT_THAT(outcome.error, HasSubstr("no progress since"));
  // The one that is on that link, and one of which its own GPU has stored nothing.
  const auto before = t3sim(follow("2", "17", "2") + hang);
  EXPECT_THAT(before.output, HasSubstr("gpu3 has counted 0 of 1024 bytes from gpu2"));
  EXPECT_THAT(before.output, HasSubstr("8 requests: on gpu2.link, sent and not delivered, since "));
  EXPECT_THAT(before.output, HasSubstr("gets least far:"));
  EXPECT_THAT(before.output, Not(HasSubstr("is the last to arrive")));
  EXPECT_THAT(before.output, Not(HasSubstr("adds it up")));
}

TEST(Follow, KnowsTheSwitchFromTheEndOfTheWay) {
  const auto outcome = t3sim(follow("0", "48", "1") +
                             "--set fabric.topology=switch --set watchdog_us=50 --set "
                             "gpu3.link.latency_ns=900000 --set link.buffer_bytes=10240");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("requests: at the end of gpu0.link, in the switch, waiting for"),
                    HasSubstr("requests: on switch.link3, sent and not delivered")));
}

TEST(Follow, GoesThroughASwitchThatAdds) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("log.csv");
  test::mustRun(kRun + kMerging + "--transactions" + path + "--transactions-wg 20");
  const auto outcome = test::mustRun(follow("0", "20", "0") + kMerging);
  const std::string& story = outcome.output;
  EXPECT_THAT(story, HasSubstr("chunk 1 of 4, on its way gpu0 -> gpu1, where it stays"));
  std::smatch name;
  ASSERT_TRUE(std::regex_search(story, name, std::regex("number ([0-9]+), 128 bytes"))) << story;
  // The line of that request that leaves last, and who has a part in its sum.
  const std::vector<LogLine> log = readLog(path);
  const LogLine* joined = nullptr;
  for (const LogLine& line : log) {
    if (line.at("step") == "joined" && line.at("request") == name[1].str()) joined = &line;
  }
  ASSERT_NE(joined, nullptr);
  std::string gpus;
  std::uint64_t counted = 0, contributions = 0;
  for (const LogLine& line : log) {
    if (line.at("step") == "counted" && line.at("request") == joined->at("cause")) {
      counted = numberIn(line, "time_ps");
    }
    if (line.at("step") != "joined" || line.at("cause") != joined->at("cause")) continue;
    gpus += (gpus.empty() ? "gpu" : " + gpu") + std::string(line.at("source"));
    ++contributions;
  }
  EXPECT_EQ(timeBefore(story, "taken by switch.merge1"),
            microseconds(numberIn(*joined, "entered_ps")));
  EXPECT_EQ(timeBefore(story, "leaves switch.merge1 in a sum of " + std::to_string(contributions) +
                                  " contributions: " + gpus + "   ["),
            microseconds(numberIn(*joined, "time_ps")));
  EXPECT_EQ(timeBefore(story, "counted by gpu1.tracker"), microseconds(counted));
  EXPECT_THAT(story, HasSubstr("leaves on switch.link1"));
  EXPECT_THAT(story, HasSubstr("the sum is final"));

  // The twin adds at the same times.
  const auto twin =
      t3sim(follow("0", "20", "0") + "--set fabric.topology=switch --set switch.merge=model");
  EXPECT_EQ(twin.output, story);
}

TEST(Follow, SaysWhatASumThatHangsWaitsFor) {
  const Words slow = "--set watchdog_us=50 --set gpu2.link.latency_ns=900000";
  const auto outcome = t3sim(follow("0", "20", "0") + kMerging + slow);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("in a sum of 2 contributions: "), HasSubstr("until it is put out"),
                    HasSubstr("of the part of gpu2, 0 of 1024 bytes are counted"),
                    HasSubstr(" is on gpu2.link, sent and not delivered")));
}

TEST(Follow, TellsInTheOrderOfTime) {
  for (const char* wf : {"0", "2", "7"}) {
    for (const char* mode : {"t3", "t3-mca"}) {
      const auto outcome = test::mustRun(follow("2", "21", wf) + "--mode" + mode);
      double before = 0;
      std::istringstream lines(outcome.output.substr(0, outcome.output.find("from its store")));
      std::size_t times = 0;
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("         ") || line.find_first_not_of(' ') > 13) continue;
        if (line.find("time us") != std::string::npos) continue;
        EXPECT_GE(std::stod(line), before) << line;
        before = std::stod(line);
        ++times;
      }
      EXPECT_GT(times, 20U);
    }
  }
}

TEST(Follow, FindsTheWavefrontOfAWriteThatWasLost) {
  const Words lossy = "--set link.lose_write=1500";
  // As one would: the picture of the run names what misses updates.
  const auto run = t3sim(kRun + lossy);
  EXPECT_EQ(run.code, 1);
  std::smatch tile;
  ASSERT_TRUE(std::regex_search(run.error, tile,
                                std::regex("gpu1.tracker waits for gpu0.tracker: updates are "
                                           "missing; in the own chunk: workgroup ([0-9]+)")))
      << run.error;
  const auto outcome = t3sim(Words{"follow --gpu 2 --wg", tile[1].str()} + kScenario + lossy);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("(the one that gets least far"));
  EXPECT_THAT(outcome.output, HasSubstr("where it stands at the end of the run"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("1 request: on gpu[0-3].link, sent and not"));
}

TEST(Follow, WithoutAWavefrontTellsTheLastOne) {
  const auto whole = test::mustRun("follow --gpu 3 --wg 17" + kScenario);
  const double last = std::stod(timeBefore(whole.output, "its last addition"));
  for (const char* wf : {"0", "3", "7"}) {
    const auto one = t3sim(follow("3", "17", wf));
    EXPECT_LE(std::stod(timeBefore(one.output, "its last addition")), last + 0.2) << wf;
    EXPECT_EQ(timeBefore(one.output, "the sum is final"),
              timeBefore(whole.output, "the sum is final"));
  }
}

TEST(Follow, RefusesTilesThatAreNotThere) {
  expectRefused(follow("4", "17", "2"), {"--gpu: expected a whole number from 0 to 3, got '4'"});
  expectRefused(follow("3", "64", "2"), {"--wg: expected a whole number from 0 to 63, got '64'"});
  expectRefused(follow("3", "17", "8"), {"--wf: expected a whole number from 0 to 7, got '8'"});
  expectRefused("follow --gpu 1 --wf 2", {"--wg: expected one"});
  expectRefused(follow("3", "17", "2") + "--mode sequential",
                {"--mode: expected t3, t3-mca or t3-ag"});
  expectRefused(follow("3", "17", "2") + "--gpus symmetric", {"--gpus: expected explicit"});
}

}  // namespace
}  // namespace t3::transactions_test
