// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with random graphs of kernels on random machines: late and slow GPUs, few
// compute units, short queues. What a graph may be is not known here: it has to end with exact
// data, or to be refused for a rule in one line that names two of its nodes. It never stands still.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tests/system/random_settings.h"

namespace t3::random_graphs_test {
namespace {

namespace json = boost::json;
using test::Words;

class RandomGraph : test::RandomSettings {
 public:
  explicit RandomGraph(std::uint64_t seed) : RandomSettings(seed) {
    // Of modes whose trackers count, half the outputs are tracked.
    mode_ = any("sequential", "t3", "t3-mca", "t3-ag");
    gpus_ = 1 + upTo(7);
    units_ = any({1U, 2U, 3U, 8U});
    const std::uint64_t outputs = any({1U, 2U, 4U, 9U});
    for (std::uint64_t o = 0; o < outputs && nodes_.size() < 36; ++o) addOutput();
    disturb();
  }

  const std::string& mode() const { return mode_; }
  std::string text() const {
    return json::serialize(json::object{{"outputs", outputs_}, {"nodes", nodes_}});
  }

  Words settings() {
    set("gpus", gpus_);
    set("gpu.compute_units", units_);
    const std::string topology =
        gpus_ % 2 == 0 && gpus_ > 2
            ? any("ring", "bidirectional-ring", "fully-connected", "switch", "two-level")
            : any("ring", "bidirectional-ring", "fully-connected", "switch");
    set("fabric.topology", topology);
    set("fabric.gpus_per_node", 2);
    if (topology == "switch") set("switch.merge", any("off", "model"));
    set("gpu.gemm.tile_rows", 32);
    set("gpu.gemm.tile_columns", 32);
    set("gpu.gemm.workgroups_per_cu", any({1, 2, 4}));
    set("hbm.initial_value", any("in-memory", "zero-over-bus"));
    set("workload.repeat", any({1, 1, 2}));
    set("gpu.kernel_launch_us", any("0", "0.1", "2"));
    if (sometimes()) set("gpu1.launch_delay_us", any("1", "30"));
    if (sometimes()) set("gpu0.clock_mhz", any("100", "900"));
    if (sometimes()) set("gpu.dma.queue_commands", any({1, 4}));
    if (sometimes()) set("gpu.dma.outstanding_reads", any({1, 16}));
    if (sometimes()) set("gpu.collective.outstanding_bytes_per_cu", any({256, 4096}));
    if (sometimes()) set("link.buffer_bytes", any({512, 4096}));
    if (sometimes()) set("link.input_buffer_bytes", any({1, 512}));
    if (sometimes()) set("hbm.stream_queue_requests", any({1, 3}));
    if (sometimes()) set("hbm.dram_queue_bursts", any({8, 16}));
    return take();
  }

 private:
  bool sometimes() { return upTo(2) == 1; }

  std::string add(json::object node) {
    std::string name = "n" + std::to_string(nodes_.size());
    node["name"] = name;
    // It may wait for others that stand before it.
    json::array after = node.contains("after") ? node["after"].as_array() : json::array{};
    const std::uint64_t rare = node.contains("chunks") ? 20 : 3;
    for (int i = 0; i < 2 && !nodes_.empty() && upTo(rare) == 1; ++i) {
      after.emplace_back("n" + std::to_string(below(nodes_.size())));
    }
    if (!after.empty()) node["after"] = after;
    nodes_.push_back(std::move(node));
    return name;
  }
  json::object collective(const char* what, const std::string& of) {
    json::object node = {{"collective", what}, {"of", of}};
    if (units_ > 1 && upTo(2) == 1) node["units"] = upTo(units_ - 1);
    return node;
  }

  void addOutput() {
    const std::string name = "o" + std::to_string(outputs_.size());
    json::object output = {{"name", name}};
    std::uint64_t rows = upTo(160);
    std::optional<std::string> made;
    const bool given = upTo(4) == 1;
    if (given) {
      output["given"] = true;
    } else if (!whole_.empty() && upTo(2) == 1) {
      const Whole& read = whole_[below(whole_.size())];
      output["operand"] = read.output;
      rows = read.rows;
    } else {
      output["depth"] = upTo(64);
    }
    output["rows"] = rows;
    output["columns"] = upTo(160);
    json::object gemm = {{"gemm", name}};
    if (output.contains("operand")) {
      for (Whole& read : whole_) {
        if (read.output != output["operand"].as_string()) continue;
        if (read.byRows && sometimes()) {
          gemm["rows"] = read.node;
          if (!read.after.empty()) gemm["after"] = read.after;
          read.byRows = false;
        } else {
          gemm["after"] = json::array{read.node};
        }
      }
    }
    outputs_.push_back(std::move(output));
    if (!given) made = add(std::move(gemm));
    if (upTo(6) == 1) add({{"delay_us", static_cast<double>(upTo(20)) / 4}});
    if (made && upTo(4) == 1) return whole_.push_back({name, *made, rows});
    const auto behind = [&](json::object node, const std::optional<std::string>& before) {
      if (before) node["after"] = json::array{*before};
      return add(std::move(node));
    };
    if (upTo(3) == 1) {
      return whole_.push_back({name, behind(collective("all-reduce", name), made), rows});
    }
    std::string sums;
    const bool tracked = made && mode_ != "sequential" && upTo(2) == 1;
    if (tracked) {
      sums = add(
          {{"collective", "reduce-scatter"}, {"of", name}, {"by", "tracker"}, {"chunks", *made}});
    } else if (made && upTo(3) == 1) {
      json::object node = collective("reduce-scatter", name);
      node["chunks"] = *made;
      sums = add(std::move(node));
    } else {
      sums = behind(collective("reduce-scatter", name), made);
    }
    if (tracked && mode_ == "t3-ag" && sometimes()) {
      if (upTo(3) == 1) sums = add({{"norm", name}, {"rows", sums}});
      const std::string all =
          add({{"collective", "all-gather"}, {"of", name}, {"by", "tracker"}, {"chunks", sums}});
      return whole_.push_back({name, all, rows, {}, true});
    }
    if (upTo(4) == 1) sums = behind({{"norm", name}}, sums);
    if (upTo(4) == 1) return;
    const std::string all = behind(collective("all-gather", name), sums);
    whole_.push_back({name, all, rows, nodes_.back().as_object()["after"].as_array(), true});
  }

  /// Now and then an edge that may close a circle, or nodes in another order.
  void disturb() {
    if (upTo(12) == 1) {
      json::object& node = nodes_[below(nodes_.size())].as_object();
      const json::value back("n" + std::to_string(below(nodes_.size())));
      if (!node.contains("after")) node["after"] = json::array{};
      node["after"].as_array().push_back(back);
    }
    if (upTo(3) == 1) {
      for (std::size_t i = nodes_.size(); i-- > 1;) {
        std::swap(nodes_[i], nodes_[below(i + 1)]);
      }
    }
  }

  struct Whole {
    std::string output, node;  ///< that completes it
    std::uint64_t rows;
    json::array after = {};  ///< for which that node waits
    bool byRows = false;     ///< a GEMM may begin with the first of its rows
  };

  std::string mode_;
  std::uint64_t gpus_ = 0, units_ = 0;
  json::array outputs_, nodes_;
  std::vector<Whole> whole_;  ///< there on every GPU
};

TEST(RandomGraphs, EndWithExactDataOrAreRefusedWithTheirNodesNamed) {
  std::uint64_t rounds = 0, refused = 0;
  test::forSeeds(1, 40, [&](std::uint64_t seed) {
    ++rounds;
    RandomGraph graph(seed);
    const test::TemporaryDirectory directory;
    const std::string file = directory.write("graph.json", graph.text());
    const std::string report = directory.path("report.json");
    const Words words = Words{"run --preset tiny-tp4 --data checked --tracker model --quiet --mode",
                              graph.mode(),
                              "--graph",
                              file,
                              "--json",
                              report} +
                        graph.settings();
    const test::Outcome outcome = test::t3sim(words);
    if (outcome.code == 2) {
      ++refused;
      EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
      EXPECT_GE(std::ranges::count(outcome.error, '\''), 4) << outcome.error;
      return;
    }
    ASSERT_EQ(outcome.code, 0) << words.text() << "\n" << graph.text() << "\n" << outcome.error;
    const json::object run = test::runIn(report);
    EXPECT_EQ(run.at("verification").at("mismatches").to_number<int>(), 0);
    EXPECT_GT(run.at("verification").at("elements").to_number<std::uint64_t>(), 0U);
  });
  EXPECT_LT(2 * refused, rounds + 2) << "most of them run";
}

}  // namespace
}  // namespace t3::random_graphs_test
