// SPDX-License-Identifier: Apache-2.0
// Method: the real program on machines from topology files of TACCL, with files of MSCCL and
// schedules of TE-CCL, alone and behind a GEMM. With checked data every result is compared with the
// definition bit by bit. Times follow from what the busiest link carries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/system/runs.h"
#include "tests/testbench/refused.h"

namespace t3::links_test {
namespace {

using test::Words;

/// Two nodes of two GPUs with a switch and one network adapter, at 50 and 10 GB/s.
const std::string kNodes = R"({"name": "nodes", "gpus_per_node": 2, "nics_per_node": 1,
"alpha": 0.4, "node_betas_list": [20], "node_invbws_list": [20.4],
"remote_alpha": 2, "remote_beta": 100, "remote_invbw": 102})";
/// A ring of four both ways, in which the link from 3 to 0 is a double one.
const std::string kSquare = R"({"name": "square", "gpus_per_node": 4, "alpha": 0.5,
"links": [[0,1,0,2],[1,0,1,0],[0,1,0,1],[1,0,1,0]],
"betas": [[0,20,0,20],[20,0,40,0],[0,40,0,20],[20,0,20,0]],
"invbws": [[0,21,0,21],[21,0,41,0],[0,41,0,21],[21,0,21,0]]})";
/// Each GPU to both neighbours, and the one behind to the GPU in front.
const std::string kSchedule = R"({"7-Flows": [
"Chunk 0 from 0 traveled over 0->1 in epoch 0", "Chunk 0 from 0 traveled over 0->3 in epoch 0",
"Chunk 0 from 1 traveled over 1->0 in epoch 0", "Chunk 0 from 1 traveled over 1->2 in epoch 0",
"Chunk 0 from 2 traveled over 2->1 in epoch 0", "Chunk 0 from 2 traveled over 2->3 in epoch 0",
"Chunk 0 from 3 traveled over 3->2 in epoch 0", "Chunk 0 from 3 traveled over 3->0 in epoch 0",
"Chunk 0 from 0 traveled over 1->2 in epoch 1", "Chunk 0 from 1 traveled over 2->3 in epoch 1",
"Chunk 0 from 2 traveled over 3->0 in epoch 1", "Chunk 0 from 3 traveled over 0->1 in epoch 1"]})";

class Links : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return directory_.write(name, text);
  }
  Words on(const std::string& topology) const {
    return {"--set fabric.topology=links --set fabric.links=" + file("links.json", topology)};
  }

 private:
  const test::TemporaryDirectory directory_;
};

TEST_F(Links, RunAScheduleByKernelsAndByTrackers) {
  const std::string schedule = file("s.json", kSchedule);
  for (const char* mode : {"sequential", "t3"}) {
    const auto run = test::exactRun(Words{"run --collective", schedule, "--mode", mode,
                                          "--data checked --set collective.bytes=400000"} +
                                    on(kSquare));
    // GPU 1 sends two chunks to GPU 2, on the link of 25 GB/s.
    EXPECT_NEAR(run.at("bound_ns").at("total").to_number<double>(), 200000 / 25.0 + 500, 1) << mode;
    EXPECT_NEAR(run.at("time_ps").to_number<double>() / 1e3, 200000 / 25.0 + 500, 2000) << mode;
  }
}

TEST_F(Links, RunAScheduleBehindAGemmInEveryMode) {
  const Words words =
      Words(
          "compare --preset tiny-tp4 --data checked --tracker lockstep --modes "
          "sequential,cu-split:4,t3,t3-mca,t3-ag,ideal-overlap,ideal-rs-nmc,ideal-ag --set "
          "workload.depth=64 --set workload.repeat=1 --set workload.collective=" +
          file("s.json", kSchedule)) +
      on(kSquare);
  const auto runs = test::exactRuns(words, 8U);
  EXPECT_LT(test::number(runs.at("t3-ag"), "time_ps"),
            test::number(runs.at("sequential"), "time_ps"));
}

TEST_F(Links, RunTheBuiltInCollectivesWhereTheyHaveTheirLinks) {
  for (const std::string& topology : {kNodes, kSquare}) {
    test::exactRuns(
        "compare --preset tiny-tp4 --data checked --tracker model --modes sequential,t3-mca,t3-ag "
        "--set workload.depth=64 --set workload.repeat=2" +
            on(topology),
        3U);
  }
}

TEST_F(Links, WhatGpusShareTheyTakeInTurns) {
  // Every GPU sends a quarter to each: two GPUs' halves go through the one adapter of a node.
  const auto run =
      test::exactRun(Words{"run --collective", std::string(T3_COLLECTIVES) + "/all-to-all-4.xml",
                           "--set collective.bytes=4000000 --data checked"} +
                     on(kNodes));
  const double shared = 4 * 1000000 / 10.0;
  EXPECT_NEAR(run.at("bound_ns").at("total").to_number<double>(), shared + 500, 1);
  EXPECT_NEAR(run.at("time_ps").to_number<double>() / 1e3, shared, 0.02 * shared);
}

TEST_F(Links, TheUnitsOfTheFileMayBeOthers) {
  const Words words = {"run --collective", file("s.json", kSchedule),
                       "--set collective.bytes=400000"};
  const auto us = test::runOf(words + on(kSquare));
  // The same machine: a tenth of the message, and times a hundred times as large.
  std::string scaled = kSquare;
  for (const auto& [from, to] : {std::pair{"0.5", "50"}, {"20", "200"}, {"40", "400"}}) {
    for (auto at = scaled.find(from); at != std::string::npos; at = scaled.find(from, at + 4)) {
      scaled.replace(at, std::string(from).size(), to);
    }
  }
  const auto small = test::runOf(words + on(scaled) +
                                 "--set fabric.links_bytes=100000 --set fabric.links_unit_us=0.01");
  EXPECT_EQ(test::number(us, "time_ps"), test::number(small, "time_ps"));
}

TEST_F(Links, AreRefusedWithOneLine) {
  const Words tiny = "run --preset tiny-tp4 --mode t3";
  test::expectRefused(tiny + "--set fabric.topology=links",
                      {"fabric.links: expected a file with topology = links, got none"});
  test::expectRefused(tiny + ("--set fabric.links=" + file("links.json", kSquare)),
                      {"fabric.links: expected none, because topology is not links, got a file"});
  test::expectRefused(tiny + on(kSquare) + "--gpus symmetric",
                      {"simulated_gpus: expected explicit with fabric.topology = links"});
  test::expectRefused(tiny + on(kSquare) + "--set gpu1.link.latency_ns=1",
                      {"gpu1.link: expected no bandwidth and no latency"});
  test::expectRefused("run --workload tiny-transformer-tp4" + on(kSquare),
                      {"fabric.topology: expected any but links"});
  const std::string line = R"({"name": "line", "gpus_per_node": 4, "alpha": 0.5,
"links": [[0,1,0,0],[1,0,1,0],[0,1,0,1],[0,0,1,0]], "betas": [[0,9,9,9],[9,0,9,9],[9,9,0,9],[9,9,9,0]],
"invbws": []})";
  test::expectRefused(tiny + on(line), {"fabric.topology: expected a link from GPU 3 to GPU 0"});
  test::expectRefused(tiny + "--as allreduce", {"--as: expected --collective beside it"});
  test::expectRefused(
      Words{"run --collective", file("s.json", kSchedule), "--as alltoall"} + on(kSquare),
      {"--as: expected reduce_scatter or allreduce, got 'alltoall'"});
}

TEST_F(Links, RunWhatShips) {
  const std::string folder = std::string(T3_COLLECTIVES) + "/../topologies/";
  for (const char* name :
       {"dgx1-ring", "dgx1-two-rings", "dgx1-gather", "dgx1-x2-ring", "dgx1-x2-gather"}) {
    SCOPED_TRACE(name);
    test::exactRun({"run --collective", folder + name + ".json",
                    "--as allreduce --data checked --set collective.bytes=65536 "
                    "--set fabric.topology=links --set fabric.links=" +
                        folder + "dgx1.json"});
  }
  test::exactRun(
      {"run --collective direct-all-reduce-16 --data checked --set "
       "collective.bytes=65536 --set fabric.topology=links --set fabric.links=" +
       folder + "dgx2.json"});
}

}  // namespace
}  // namespace t3::links_test
