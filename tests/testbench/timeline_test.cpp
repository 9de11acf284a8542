// SPDX-License-Identifier: Apache-2.0
// Method: the real program writes timelines of small runs, which are read back and judged by the
// rules of the Trace Event format, as a viewer depends on them: names of processes and threads,
// slices that lie one after the other or in one another, arrows that begin, pass and end in slices.
// The same rules refuse small files that break them. viewer_test.cpp opens timelines in a viewer.
// What is drawn must add up to the report of the same run and to closed forms of the scenario.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <tuple>
#include <vector>

#include "testbench/wave/fst_file.h"
#include "tests/system/runs.h"
#include "tests/testbench/file_watch.h"
#include "tests/testbench/refused.h"

namespace t3::timeline_test {
namespace {

namespace json = boost::json;
using test::expectRefused;
using test::FileWatch;
using test::t3sim;
using test::TemporaryDirectory;
using test::Words;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kGpus = 4, kTiles = 64;  // of tiny-tp4
const Words kRun = "run --preset tiny-tp4 --mode t3-mca --data elided --quiet";

struct Slice {
  std::int64_t begin, end;
  std::string name;
  json::object arguments;
};
/// A beginning or an end of a slice.
struct End {
  char kind;
  std::int64_t when;
  std::string name;
  json::object arguments;
};
struct Point {
  char kind;
  std::string process, thread;
  std::int64_t when;
};
struct Sample {
  std::int64_t when;
  json::object series;
};

/// A file that keeps the format's rules.
class Timeline {
 public:
  using Thread = std::pair<std::string, std::string>;  // process, thread

  explicit Timeline(const std::string& path) {
    const json::object file = test::readJson(path).as_object();
    EXPECT_EQ(file.at("displayTimeUnit").as_string(), "ns");
    if (const json::value* about = file.if_contains("otherData")) {
      title = about->at("title").as_string();
    }
    const json::array& events = file.at("traceEvents").as_array();
    for (const json::value& event : events) readName(event.as_object());
    for (const auto& [process, name] : processes_) {
      EXPECT_EQ(sorted_.contains(process), name != "t3sim") << name << " has no place in the order";
    }
    for (const json::value& event : events) read(event.as_object());
    for (auto& [thread, list] : ends_) pair(thread, list);
    for (const auto& [id, way] : arrows) checkArrow(id, way);
  }

  /// Of the threads whose names begin like that.
  std::vector<Slice> of(const std::string& process, const std::string& thread) const {
    std::vector<Slice> all;
    for (const auto& [place, list] : slices) {
      if (place.first == process && place.second.starts_with(thread)) {
        all.insert(all.end(), list.begin(), list.end());
      }
    }
    return all;
  }

  /// What lies under the rates of a counter in MB/s, by series.
  std::map<std::string, double> bytesUnder(const std::string& process,
                                           const std::string& counter) const {
    std::map<std::string, double> bytes;
    const std::vector<Sample>& rates = counters.at({process, counter});
    for (std::size_t i = 0; i + 1 < rates.size(); ++i) {
      for (const auto& [series, rate] : rates[i].series) {
        const auto time = static_cast<double>(rates[i + 1].when - rates[i].when);
        bytes[series] += rate.to_number<double>() * time / 1e3;
      }
    }
    return bytes;
  }

  std::map<Thread, std::vector<Slice>> slices;
  std::map<std::uint64_t, std::vector<Point>> arrows;
  std::map<Thread, std::vector<Sample>> counters;  // process, counter
  std::map<Thread, std::vector<std::string>> instants;
  std::int64_t last = 0;
  std::string title;
  std::set<std::string> labels;  ///< of all processes

 private:
  void readName(const json::object& event) {
    if (event.at("ph").as_string() != "M") return;
    const std::string kind(event.at("name").as_string());
    const auto process = event.at("pid").to_number<int>();
    const json::object& arguments = event.at("args").as_object();
    if (kind == "process_name") {
      EXPECT_TRUE(processes_.emplace(process, arguments.at("name").as_string()).second);
    } else if (kind == "thread_name") {
      const int thread = event.at("tid").to_number<int>();
      EXPECT_TRUE(
          threads_.emplace(std::pair(process, thread), arguments.at("name").as_string()).second);
    } else if (kind == "process_labels") {
      labels.insert(std::string(arguments.at("labels").as_string()));
    } else {
      const bool ofProcess = kind == "process_sort_index";
      EXPECT_TRUE(ofProcess || kind == "thread_sort_index") << kind;
      const int number = ofProcess ? process : event.at("tid").to_number<int>();
      EXPECT_EQ(arguments.at("sort_index").to_number<int>(), number);
      if (ofProcess) sorted_.insert(process);
    }
  }

  /// In nanoseconds, of which the format's microseconds are thousandths.
  static std::int64_t timeOf(const json::object& event) {
    const double microseconds = event.at("ts").to_number<double>();
    const auto nanoseconds = std::llround(microseconds * 1000);
    EXPECT_NEAR(static_cast<double>(nanoseconds), microseconds * 1000, 1e-4) << serialize(event);
    EXPECT_GE(nanoseconds, 0) << serialize(event);
    return nanoseconds;
  }

  void read(const json::object& event) {
    const std::string_view kind = event.at("ph").as_string();
    if (kind == "M") return;
    const std::string name(event.at("name").as_string());
    const int process = event.at("pid").to_number<int>();
    const std::int64_t when = timeOf(event);
    last = std::max(last, when);
    ASSERT_TRUE(processes_.contains(process)) << name;
    Thread place{processes_.at(process), name};
    if (kind == "C") {
      std::vector<Sample>& samples = counters[place];
      EXPECT_TRUE(samples.empty() || samples.back().when <= when) << name;
      samples.push_back({when, event.at("args").as_object()});
      return;
    }
    const int thread = event.at("tid").to_number<int>();
    ASSERT_TRUE(threads_.contains({process, thread})) << name << " in a thread without a name";
    place.second = threads_.at({process, thread});
    if (kind == "B" || kind == "E") {
      const json::value* arguments = event.if_contains("args");
      ends_[place].push_back(
          {kind[0], when, name, arguments != nullptr ? arguments->as_object() : json::object()});
    } else if (kind == "i") {
      EXPECT_EQ(event.at("s").as_string(), "t");
      instants[place].push_back(name);
    } else {
      ASSERT_TRUE(kind == "s" || kind == "t" || kind == "f") << kind;
      EXPECT_FALSE(event.at("cat").as_string().empty());
      EXPECT_EQ(event.contains("bp"), kind == "f") << "an end is bound to the slice around it";
      arrows[event.at("id").to_number<std::uint64_t>()].push_back(
          {kind[0], place.first, place.second, when});
    }
  }

  /// As a viewer reads it: by time, and in the order of the file where times are equal. Every end
  /// is that of the slice that began last.
  void pair(const Thread& thread, std::vector<End>& list) {
    std::ranges::stable_sort(list, {}, &End::when);
    std::vector<Slice> open;
    for (End& end : list) {
      const std::string where =
          thread.first + " " + thread.second + ": " + end.name + " at " + std::to_string(end.when);
      if (end.kind == 'B') {
        open.push_back({end.when, 0, end.name, std::move(end.arguments)});
        continue;
      }
      ASSERT_FALSE(open.empty()) << where << " ends and did not begin";
      EXPECT_EQ(open.back().name, end.name) << where;
      EXPECT_EQ(open.back().arguments, end.arguments) << where;
      open.back().end = end.when;
      slices[thread].push_back(std::move(open.back()));
      open.pop_back();
    }
    EXPECT_TRUE(open.empty()) << thread.first << " " << thread.second << ": " << open.back().name
                              << " has no end";
    std::ranges::stable_sort(slices[thread], {}, &Slice::begin);
  }

  void checkArrow(std::uint64_t id, const std::vector<Point>& way) const {
    ASSERT_GE(way.size(), 2U) << id;
    for (std::size_t i = 0; i < way.size(); ++i) {
      EXPECT_EQ(way[i].kind, i == 0 ? 's' : i + 1 == way.size() ? 'f' : 't') << id;
      EXPECT_GE(way[i].when, way[i == 0 ? 0 : i - 1].when) << id;
      const auto list = slices.find({way[i].process, way[i].thread});
      ASSERT_NE(list, slices.end()) << way[i].thread;
      EXPECT_TRUE(std::ranges::any_of(list->second,
                                      [&](const Slice& slice) {
                                        return slice.begin <= way[i].when &&
                                               way[i].when < slice.end;
                                      }))
          << id << " " << way[i].kind << " in " << way[i].process << " " << way[i].thread << " at "
          << way[i].when;
    }
  }

  std::map<int, std::string> processes_;
  std::set<int> sorted_;  ///< processes with a place in the order
  std::map<std::pair<int, int>, std::string> threads_;
  std::map<Thread, std::vector<End>> ends_;
};

std::string gpu(int number) { return "gpu" + std::to_string((number + kGpus) % kGpus); }

TEST(Timeline, KeepsTheRulesOfItsFormatAndAddsUpToTheReport) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json");
  const std::string report = directory.path("report.json");
  test::mustRun(kRun + "--timeline" + path + "--timeline-sample 100ns --json" + report);
  const Timeline timeline(path);
  EXPECT_EQ(timeline.title,
            "tiny test on 4 GPUs: output 512 x 512 fp16, K 128 per GPU, elided data, mode t3-mca");
  EXPECT_THAT(timeline.labels, ElementsAre(timeline.title));
  const json::value run = test::runIn(report);

  std::size_t triggers = 0;
  for (int g = 0; g < kGpus; ++g) {
    std::set<std::string> names;
    std::size_t workgroups = 0;
    for (const Slice& slice : timeline.of(gpu(g), "workgroup slot ")) {
      if (slice.name == "stores") continue;
      ++workgroups;
      names.insert(slice.name);
    }
    EXPECT_EQ(workgroups, kTiles);
    EXPECT_EQ(names.size(), kTiles);
    ASSERT_EQ(timeline.of(gpu(g), "compute").size(), 1U);
    EXPECT_EQ(timeline.of(gpu(g), "compute").front().name, "gemm");
    const std::vector<Slice> moves = timeline.of(gpu(g), "communication");
    ASSERT_EQ(moves.size(), 2U);
    EXPECT_EQ(moves.front().name + " " + moves.back().name, "reduce_scatter all_gather");
    EXPECT_EQ(timeline.of(gpu(g), "gemm chunks").size(), kGpus);
    EXPECT_EQ(timeline.of(gpu(g), "gemm stages").size(), kTiles / 16);  // 16 slots
    EXPECT_EQ(timeline.of(gpu(g), "gpu.all_gather steps").size(), kGpus - 1);
    EXPECT_EQ(timeline.of(gpu(g), "zeroing").size(), 1U);
    triggers += timeline.of(gpu(g), "dma channel").size();
    // Kernels end when the report says.
    const json::value& figures = run.at("per_gpu").at(static_cast<std::size_t>(g));
    const std::vector<Slice> kernels = timeline.of(gpu(g), "gpu.gemm");
    EXPECT_TRUE(std::ranges::any_of(kernels, [&](const Slice& slice) {
      return slice.name == "kernel" &&
             slice.end == figures.at("gemm_end_ps").to_number<std::int64_t>() / 1000;
    }));
    std::uint64_t sent = 0;
    for (const Slice& slice : timeline.of(gpu(g), "link")) {
      if (slice.name != "credit") sent += slice.arguments.at("bytes").to_number<std::uint64_t>();
    }
    EXPECT_EQ(sent, figures.at("link_bytes").to_number<std::uint64_t>());

    // What lies under the rates are the bytes of the report.
    auto bytes = timeline.bytesUnder(gpu(g), "HBM MB/s");
    const json::object& dram = figures.at("dram_bytes").as_object();
    for (const char* series : {"gemm_read", "rs_read", "rs_write"}) {
      std::string name = series;
      std::ranges::replace(name, '_', ' ');
      const auto expected = dram.at(series).to_number<double>();
      EXPECT_NEAR(bytes[name], expected, 0.001 * expected) << name;
    }
    // Every tile that was begun was completed.
    const auto& open = timeline.counters.at({gpu(g), "wavefront tiles with updates missing"});
    EXPECT_EQ(open.back().series.at("open").to_number<int>(), 0);
    EXPECT_GT(std::ranges::max(
                  open, {},
                  [](const Sample& sample) { return sample.series.at("open").to_number<int>(); })
                  .series.at("open")
                  .to_number<int>(),
              8);
  }
  // Those of the own chunks send nothing.
  EXPECT_EQ(triggers + kTiles, run.at("tracker_stats").at("triggers").to_number<std::size_t>());
  EXPECT_NEAR(static_cast<double>(timeline.last), run.at("time_ns").to_number<double>(), 1.0);
}

/// GEMMs and collectives of two outputs, of which the first has more tiles than that of the preset;
/// two collectives by kernels run side by side, and beside the second GEMM.
constexpr const char* kGraph = R"({"outputs": [
  {"name": "x", "rows": 1024, "columns": 512, "depth": 64},
  {"name": "y", "rows": 512, "columns": 320, "depth": 64}], "nodes": [
  {"name": "gemm_x", "gemm": "x"},
  {"name": "sum_x", "collective": "reduce-scatter", "of": "x", "by": "tracker", "chunks": "gemm_x"},
  {"name": "gemm_y", "gemm": "y", "after": "gemm_x"},
  {"name": "whole_x", "collective": "all-gather", "of": "x", "after": ["gemm_x", "sum_x"]},
  {"name": "host", "delay_us": 1, "after": "gemm_y"},
  {"name": "sum_y", "collective": "reduce-scatter", "of": "y", "by": "tracker", "chunks": "gemm_y"},
  {"name": "whole_y", "collective": "all-gather", "of": "y", "after": ["sum_y", "host"]}]})";

TEST(Timeline, ShowsEachNodeOfAGraphOnceASublayerAndWhatOverlapsOnTracksOfItsOwn) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json"), report = directory.path("report.json");
  const std::string graph = directory.write("graph.json", kGraph);
  const std::vector<std::string> computes = {"gemm_x", "gemm_y", "host"},
                                 moves = {"sum_x", "sum_y", "whole_x", "whole_y"};
  for (const int repeat : {1, 2}) {
    SCOPED_TRACE(repeat);
    test::mustRun(
        kRun + "--graph" + graph +
        ("--set fabric.topology=fully-connected --set workload.repeat=" + std::to_string(repeat)) +
        "--tracker model --timeline" + path + "--json" + report);
    const Timeline timeline(path);
    const json::value run = test::runIn(report);
    std::map<std::string, std::int64_t> begins, ends;
    for (int g = 0; g < kGpus; ++g) {
      for (const auto& [stream, nodes] :
           {std::pair("compute", computes), std::pair("communication", moves)}) {
        std::map<std::string, int> shown;
        for (const Slice& slice : timeline.of(gpu(g), stream)) {
          ++shown[slice.name];
          begins.emplace(slice.name, slice.begin);
          begins[slice.name] = std::min(begins[slice.name], slice.begin);
          ends[slice.name] = std::max(ends[slice.name], slice.end);
        }
        EXPECT_EQ(shown.size(), nodes.size()) << gpu(g);
        for (const std::string& node : nodes) EXPECT_EQ(shown[node], repeat) << gpu(g) << node;
      }
      for (const auto& [place, list] : timeline.slices) {
        if (place.first != gpu(g) ||
            (!place.second.starts_with("compute") && !place.second.starts_with("communication"))) {
          continue;
        }
        for (std::size_t i = 1; i < list.size(); ++i) {
          EXPECT_GE(list[i].begin, list[i - 1].end) << place.second << ": " << list[i].name;
        }
      }
    }
    for (const json::value& node : run.at("nodes").as_array()) {
      const std::string name(node.at("name").as_string());
      EXPECT_EQ(begins[name], node.at("start_ps").to_number<std::int64_t>() / 1000) << name;
      EXPECT_EQ(ends[name], node.at("end_ps").to_number<std::int64_t>() / 1000) << name;
    }
    // Each tile that leaves a GPU directly has its arrow, whichever output it is of.
    EXPECT_EQ(timeline.arrows.size(), 3U * (16 * 8 + 8 * 5) * static_cast<unsigned>(repeat));
  }
}

TEST(Timeline, ArrowsLeadEveryTileFromGpuToGpu) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json");
  for (const char* block : {"tracker.block_log2=0", "tracker.block_log2=2"}) {
    SCOPED_TRACE(block);
    test::mustRun(kRun + "--timeline" + path + "--set" + block);
    const Timeline timeline(path);
    // Every tile is passed on three times, all but the first time by a DMA command.
    EXPECT_EQ(timeline.arrows.size(), 3U * kTiles);
    std::map<std::size_t, std::size_t> lengths;
    std::map<std::string, std::size_t> into;
    for (const auto& [id, way] : timeline.arrows) {
      ++lengths[way.size()];
      ++into[way.back().process];
      const int from = way.front().process.back() - '0';
      EXPECT_EQ(way.back().process, gpu(from + 1));
      EXPECT_TRUE(way.back().thread.starts_with("updates from " + gpu(from)));
      EXPECT_THAT(way.front().thread, HasSubstr(way.size() == 2 ? "slot" : "updates"));
      EXPECT_THAT(way[1].thread, HasSubstr(way.size() == 2 ? "updates" : "dma channel"));
    }
    EXPECT_EQ(lengths, (std::map<std::size_t, std::size_t>{{2, kTiles}, {3, 2 * kTiles}}));
    for (int g = 0; g < kGpus; ++g) EXPECT_EQ(into[gpu(g)], 3U * kTiles / kGpus);
  }
}

TEST(Timeline, ArrowsLeadThroughASwitchThatAddsFromEveryGpu) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json"), report = directory.path("report.json");
  test::mustRun(kRun + "--timeline" + path + "--json" + report +
                "--set fabric.topology=switch --set switch.merge=rtl");
  const Timeline timeline(path);
  // Each GPU stores every tile that is not its own into the home of the tile, through the switch.
  EXPECT_EQ(timeline.arrows.size(), 3U * kTiles);
  std::map<std::string, std::map<std::string, std::size_t>> from;
  for (const auto& [id, way] : timeline.arrows) {
    ASSERT_EQ(way.size(), 2U);
    EXPECT_THAT(way.front().thread, HasSubstr("slot"));
    EXPECT_TRUE(way.back().thread.starts_with("updates from the switch"));
    ++from[way.back().process][way.front().process];
  }
  for (int g = 0; g < kGpus; ++g) {
    EXPECT_EQ(from[gpu(g)].size(), 3U);
    for (const auto& [sender, tiles] : from[gpu(g)]) EXPECT_EQ(tiles, kTiles / kGpus) << sender;
    EXPECT_FALSE(from[gpu(g)].contains(gpu(g)));
  }
  const json::value merged = test::runIn(report).at("merged");
  double updates = 0, sums = 0;
  for (int g = 0; g < kGpus; ++g) {
    const std::string unit = "switch.merge" + std::to_string(g) + " MB/s";
    updates += timeline.bytesUnder("t3sim", unit).at("updates");
    sums += timeline.bytesUnder("t3sim", unit).at("sums");
  }
  const auto bytes = [&](const char* key) { return merged.at(key).to_number<double>(); };
  EXPECT_NEAR(updates, bytes("update_bytes"), 0.001 * bytes("update_bytes"));
  EXPECT_NEAR(sums, bytes("sum_bytes"), 0.001 * bytes("sum_bytes"));
}

TEST(Timeline, ScopesAndWindowsShowThatPartOfTheWhole) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("part.json");
  test::mustRun(kRun + "--timeline" + path +
                "--timeline-scope gpu1,gpu2 --timeline-window 4us:7us");
  const Timeline part(path);
  ASSERT_FALSE(part.slices.empty());
  for (const auto& [thread, list] : part.slices) {
    EXPECT_TRUE(thread.first == "gpu1" || thread.first == "gpu2") << thread.first;
    for (const Slice& slice : list) {
      EXPECT_LT(slice.begin, 7000);
      EXPECT_GE(slice.end, 4000);
    }
  }
  EXPECT_GT(part.arrows.size(), 5U);
  for (const auto& [id, way] : part.arrows) {
    EXPECT_EQ(way.front().process, "gpu1");
    EXPECT_EQ(way.back().process, "gpu2");
  }
  for (const auto& [counter, samples] : part.counters) {
    EXPECT_GE(samples.front().when, 4000) << counter.second;
    EXPECT_LT(samples.back().when, 7000) << counter.second;
  }
}

TEST(Timeline, OfEveryModeAndFabricKeepsTheRules) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json");
  for (const Words& more :
       {Words{"--mode sequential"}, Words{"--mode cu-split:4"}, Words{"--mode ideal-rs-nmc"},
        Words{"--mode t3 --set fabric.topology=fully-connected"},
        Words{"--mode t3-ag --set workload.consumer.columns=256"},
        Words{"--mode t3 --tracker lockstep --set fabric.topology=switch --set "
              "tracker.block_log2=1"}}) {
    Words words = {"run --preset tiny-tp4 --data elided --quiet --timeline", path};
    test::mustRun(words + more);
    const Timeline timeline(path);
    EXPECT_GE(timeline.of("gpu0", "workgroup slot ").size(), kTiles) << more[1];
    const bool kernelGathers = more[1] != "t3-ag";
    EXPECT_NE(timeline.of("gpu0", "gpu.all_gather").empty(), kernelGathers) << more[1];
    EXPECT_NE(timeline.of("gpu0", "consumer workgroup slot 0").empty(), !kernelGathers) << more[1];
  }
}

TEST(Timeline, CountsFlagsAndHeadersOnTheWire) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json");
  test::mustRun(kRun + "--timeline" + path +
                "--set link.header_bytes=128 --set link.packet_bytes=128");
  const Timeline timeline(path);
  const double sent = timeline.bytesUnder(gpu(0), "link MB/s").at("sent");
  EXPECT_GT(sent, 1e5);
  EXPECT_NEAR(timeline.bytesUnder(gpu(0), "link wire MB/s").at("with flags and headers"), 2 * sent,
              0.01 * sent);
}

TEST(Timeline, CountsWhatTheLinksOfASwitchCarry) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json");
  test::mustRun(kRun + "--timeline" + path +
                "--set fabric.topology=switch --set gpu3.link.bandwidth_gb_s=10");
  const Timeline timeline(path);
  double into = 0, out = 0;
  for (int g = 0; g < kGpus; ++g) {
    into += timeline.bytesUnder(gpu(g), "link MB/s").at("sent");
    const std::string link = "switch.link" + std::to_string(g);
    out += timeline.bytesUnder("t3sim", link + " MB/s").at("sent");
    EXPECT_FALSE(timeline.of("t3sim", link).empty());
  }
  EXPECT_GT(into, 1e6);
  EXPECT_NEAR(out, into, 0.001 * into);
  const auto& slow = timeline.counters.at({"t3sim", "switch.link3 queue (requests)"});
  EXPECT_TRUE(std::ranges::any_of(slow, [](const Sample& sample) {
    return sample.series.at("queued").to_number<int>() > 0;
  })) << "it is the one that others wait for";
}

/// What a file says of a thread block.
struct FileBlock {
  std::set<std::string> moving;   ///< steps that do more than to wait for a message
  std::set<std::string> sending;  ///< of them
};

std::vector<std::vector<FileBlock>> blocksOf(const std::string& file) {
  const std::string text = test::readFile(file);
  const std::regex tag(R"re((<gpu |<tb |<step s="(\d+)" type="(\w+)"))re");
  std::vector<std::vector<FileBlock>> gpus;
  for (std::sregex_iterator it(text.begin(), text.end(), tag), end; it != end; ++it) {
    const std::string what = (*it)[1], type = (*it)[3], step = "step " + (*it)[2].str();
    if (what == "<gpu ") {
      gpus.emplace_back();
    } else if (what == "<tb ") {
      gpus.back().emplace_back();
    } else if (type != "r") {
      gpus.back().back().moving.insert(step);
      if (type.ends_with('s')) gpus.back().back().sending.insert(step);
    }
  }
  return gpus;
}

TEST(Timeline, OfACollectiveFromAFileShowsTheStepsOfEachThreadBlock) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json"), report = directory.path("report.json");
  const std::string file = T3_COLLECTIVES "/hierarchical-all-reduce-4.xml";
  const auto gpus = blocksOf(file);
  ASSERT_EQ(gpus.size(), 4U);
  for (const char* mode : {"sequential", "t3"}) {
    SCOPED_TRACE(mode);
    const Words words = {"run --collective", file, "--mode", mode, "--quiet --json", report};
    test::mustRun(
        words + "--set collective.bytes=1048576 --set fabric.topology=fully-connected --timeline" +
        path + "--timeline-sample 100ns");
    const Timeline timeline(path);
    const json::value run = test::runIn(report);
    const bool tracked = std::string(mode) == "t3";
    std::uint64_t sent = 0, triggers = 0;
    std::map<std::string, double> bytes;
    for (int g = 0; g < 4; ++g) {
      const auto& blocks = gpus[static_cast<std::size_t>(g)];
      EXPECT_GT(blocks.size(), 1U);
      std::set<std::string> sending, inCommands;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        std::set<std::string> shown;
        for (const Slice& slice : timeline.of(gpu(g), "thread block " + std::to_string(b))) {
          EXPECT_TRUE(shown.insert(slice.name).second) << slice.name << " is shown once";
        }
        if (tracked) {
          EXPECT_TRUE(std::ranges::includes(shown, blocks[b].moving)) << "thread block " << b;
        } else {
          EXPECT_FALSE(shown.empty()) << "but steps that are done with another one are not";
        }
        for (const std::string& step : blocks[b].sending) sending.insert(std::to_string(b) + step);
      }
      EXPECT_EQ(timeline.of(gpu(g), tracked ? "gpu.joins" : "gpu.kernel").front().name, "kernel");
      for (const Slice& command : timeline.of(gpu(g), "dma commands")) {
        const std::string name = command.name.substr(0, command.name.find(','));
        inCommands.insert(std::to_string(command.arguments.at("thread block").as_int64()) + name);
      }
      EXPECT_EQ(inCommands, tracked ? sending : std::set<std::string>())
          << "sums are made in the memory, where their source is";
      for (const Slice& slice : timeline.of(gpu(g), "link")) {
        if (slice.name == "credit") continue;
        EXPECT_EQ(slice.name, "collective");
        sent += slice.arguments.at("bytes").to_number<std::uint64_t>();
      }
      if (tracked) {
        const std::vector<std::string>& told = timeline.instants.at({gpu(g), "tracker"});
        triggers += static_cast<std::uint64_t>(std::ranges::count_if(
            told, [](const std::string& name) { return name.starts_with("trigger "); }));
      }
      for (const auto& [series, of] : timeline.bytesUnder(gpu(g), "HBM MB/s")) bytes[series] += of;
    }
    EXPECT_EQ(sent, run.at("link_bytes").to_number<std::uint64_t>());
    EXPECT_EQ(triggers, run.at("tracker_stats").at("triggers").to_number<std::uint64_t>());
    const json::value& figures = run.at("other_collectives").at(0);
    for (const char* way : {"read", "write"}) {
      const double expected = 4 * figures.at(std::string("dram_") + way).to_number<double>();
      EXPECT_NEAR(bytes[way], expected, 0.005 * expected) << way << ", short samples in whole ns";
    }
    EXPECT_NEAR(static_cast<double>(timeline.last), run.at("time_ns").to_number<double>(), 1.0);
  }
}

TEST(Timeline, OfARunThatHangsEndsWithIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("hang.json");
  const auto outcome =
      t3sim(kRun + "--set watchdog_us=50 --set link.latency_ns=900000 --timeline" + path);
  EXPECT_EQ(outcome.code, 1);
  const Timeline timeline(path);
  std::int64_t last = 0;
  for (const auto& [place, list] : timeline.slices) {
    if (place.second.starts_with("communication")) continue;
    for (const Slice& slice : list) last = std::max(last, slice.end);
  }
  EXPECT_EQ(last, 7'069) << "nothing happens after that";
  for (int g = 0; g < kGpus; ++g) {
    ASSERT_EQ(timeline.of(gpu(g), "communication").size(), 1U);
    EXPECT_EQ(timeline.of(gpu(g), "communication").front().end, timeline.last)
        << "the reduce-scatter waits to the end";
  }
  EXPECT_EQ(timeline.of("gpu0", "workgroup slot ").size(), 2U * kTiles) << "the GEMM was over";
  EXPECT_THAT(directory.names(), ElementsAre("hang.json"));
}

TEST(Timeline, OfAnInterruptedRunIsComplete) {
  const TemporaryDirectory directory;
  const FileWatch watch(directory.path(), FileWatch::What::Written);
  test::Program program({"run --preset t-nlg-fc2-tp8 --tracker model --quiet --timeline",
                         directory.path("x.json"), "--timeline-sample 10ns"});
  // What is drawn is written as it comes, a block at a time: after the first the run goes on.
  watch.wait();
  program.signal(SIGINT);
  EXPECT_EQ(program.wait(), 130);
  EXPECT_THAT(program.error, HasSubstr("stopped at"));
  EXPECT_THAT(directory.names(), ElementsAre("x.json"));
  const Timeline timeline(directory.path("x.json"));
  const std::vector<Slice> slots = timeline.of("gpu7", "workgroup slot ");
  EXPECT_GE(slots.size(), 80U) << "one workgroup in every compute unit";
  EXPECT_TRUE(std::ranges::any_of(slots, [&](const Slice& slice) {
    return slice.end == timeline.last;
  })) << "what was under way is drawn to the end";
  EXPECT_LT(timeline.last, 1'000'000) << "of 3.1 ms";
}

TEST(Timeline, WaveAndTransactionsMayBeAskedForTogether) {
  const TemporaryDirectory directory;
  const auto asks = [&](const Words& more) { test::mustRun(kRun + more); };
  const Words wave = {"--wave", directory.path("together.fst"), "--wave-scope gpu0.hbm"};
  asks(Words{"--timeline", directory.path("together.json")} + wave + "--transactions" +
       directory.path("together.csv"));
  asks({"--timeline", directory.path("alone.json")});
  asks({"--transactions", directory.path("alone.csv")});
  asks({"--wave", directory.path("alone.fst"), "--wave-scope gpu0.hbm"});
  // Values are read between two steps of the simulation, whose length others choose, too.
  const auto withoutCounters = [&](const std::string& name) {
    std::string text;
    std::istringstream lines(test::readFile(directory.path(name)));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(R"({"ph":"C")")) text += line + "\n";
    }
    return text;
  };
  EXPECT_GT(withoutCounters("alone.json").size(), 100'000U);
  EXPECT_TRUE(withoutCounters("together.json") == withoutCounters("alone.json"));
  EXPECT_TRUE(test::readFile(directory.path("together.csv")) ==
              test::readFile(directory.path("alone.csv")));
  std::vector<std::vector<std::tuple<std::uint64_t, std::uint32_t, std::string>>> changes;
  for (const char* name : {"together.fst", "alone.fst"}) {
    auto& list = changes.emplace_back();
    forEachChange(directory.path(name),
                  [&](std::uint64_t when, std::uint32_t handle, const char* value) {
                    list.emplace_back(when, handle, value);
                  });
  }
  EXPECT_GT(changes[0].size(), 1000U);
  EXPECT_EQ(changes[0], changes[1]);
}

TEST(Timeline, RefusesWhatItCannotDrawInOneLine) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.json");
  const auto refuses = [&](const Words& more, const std::string& says) {
    expectRefused(kRun + more, {says});
    EXPECT_THAT(directory.names(), ElementsAre());
  };
  refuses("--timeline-scope gpu0", "--timeline-scope: expected --timeline FILE with it");
  refuses({"--timeline", path, "--timeline-scope gpu9"}, "nothing is called 'gpu9'");
  refuses({"--timeline", path, "--timeline-window 5us"}, "expected FROM:TO");
  refuses({"--timeline", path, "--timeline-sample 0us"}, "expected more than 0");
  refuses({"--timeline", directory.path("no/x.json")}, "cannot be written");
}

}  // namespace
}  // namespace t3::timeline_test
