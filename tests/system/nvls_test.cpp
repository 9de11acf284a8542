// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim with the NVLS kernel, behind a GEMM (mode nvls) and alone (a collective
// from a file). Data is checked against the reference; what moves is counted here from the
// definition: each GPU answers loads of the whole output and stores its share in all GPUs. Each run
// also checks itself: bytes of every link, of what the switch has added, and what is left over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/system/symmetric.h"

namespace t3::nvls_test {
namespace {

using test::number;
using test::Words;
using testing::HasSubstr;

Words onSwitch(const Words& more) { return test::onFabric("merging-switch") + more; }

/// `output` in bytes.
void expectExact(const Words& scenario, std::uint64_t gpus, std::uint64_t output) {
  const auto run = test::exactRun("run --mode nvls" + onSwitch(scenario));
  EXPECT_EQ(number(run, "link_bytes"), (gpus + 1) * output) << "S answers and S/N stores each";
  const auto& summed = run.at("summed").as_object();
  EXPECT_EQ(summed.at("answer_bytes").to_number<std::uint64_t>(), gpus * output);
  EXPECT_EQ(summed.at("sum_bytes").to_number<std::uint64_t>(), output);
  const auto& collective = run.at("other_collectives").at(0).as_object();
  EXPECT_EQ(collective.at("name").as_string(), "all_reduce");
  EXPECT_EQ(collective.at("dram_read").to_number<std::uint64_t>(), output);
  EXPECT_EQ(collective.at("dram_write").to_number<std::uint64_t>(), output);
}

TEST(Nvls, SumsAreExactOnTwoToSixteenGpus) {
  const auto sized = [](const char* gpus, const char* rows) {
    return Words{std::string("--preset tiny-tp4 --set gpus=") + gpus,
                 std::string("--set workload.rows=") + rows, "--set workload.columns=256"};
  };
  expectExact("--preset tiny-tp4", 4, 512 * 512 * 2);
  expectExact(sized("2", "256"), 2, 256 * 256 * 2);
  expectExact(sized("3", "192"), 3, 192 * 256 * 2);
  expectExact(sized("16", "256"), 16, 256 * 256 * 2);
}

TEST(Nvls, SumsAreExactWithCutTilesLateSlowAndSmallGpus) {
  const std::vector<Words> machines = {
      {"--preset tiny-edge-tp4"},
      {"--preset tiny-edge-tp4 --set workload.data_type=bf16"},
      {"--preset tiny-tp4 --set gpu1.launch_delay_us=20"},
      {"--preset tiny-tp4 --set gpu2.link.bandwidth_gb_s=5 --set gpu0.link.latency_ns=1500"},
      {"--preset tiny-tp4 --set gpu3.compute_units=10"},
      {"--preset tiny-tp4 --set link.bandwidth_gb_s=4 --set link.input_buffer_bytes=256 --set "
       "link.header_bytes=32 --set link.packet_bytes=128"},
      {"--preset tiny-tp4 --set workload.repeat=3"},
      {"--preset tiny-tp4 --set gpu.collective.thread_blocks=own"}};
  for (const Words& machine : machines) {
    SCOPED_TRACE(testing::PrintToString(machine));
    test::exactRun("run --mode nvls" + onSwitch(machine));
  }
}

TEST(Nvls, WithANormItIsAReduceScatterAndAnAllGather) {
  const auto run = test::exactRun("run --mode nvls --preset tiny-pair-tp4" + onSwitch({}));
  std::vector<std::string> phases;
  for (const auto& phase : run.at("phases").as_array()) {
    phases.emplace_back(phase.at("name").as_string());
  }
  EXPECT_EQ(phases,
            (std::vector<std::string>{"gemm", "norm", "reduce_scatter", "all_gather", "consumer"}));
}

TEST(Nvls, AgreesWithOneGpuThatStandsForAll) {
  for (const Words& more : {Words{}, Words{"--set workload.between=norm"}}) {
    test::expectSymmetricAgrees(
        onSwitch("--preset tiny-tp4 --modes nvls --set gpus=8 --set workload.rows=1024 --set "
                 "workload.columns=1024 --set workload.depth=512" +
                 more),
        1, 0.02);
  }
}

TEST(Nvls, TheRtlOfTheMergeUnitsChangesNothing) {
  // Loads and copies pass beside it.
  std::map<std::string, boost::json::object> byUnit;
  for (const char* unit : {"model", "rtl", "lockstep"}) {
    byUnit[unit] = test::runOf({std::string("run --mode nvls --preset tiny-edge-tp4 --set "
                                            "fabric.topology=switch --set switch.merge=") +
                                unit});
    test::expectExact(byUnit[unit]);
    byUnit[unit].erase("host");
  }
  EXPECT_EQ(byUnit["rtl"], byUnit["model"]);
  EXPECT_EQ(byUnit["lockstep"], byUnit["model"]);
}

TEST(Nvls, ARootAloneLoadsSumsWhileOthersOnlyAnswer) {
  // GPUs 1 and 2 do nothing, and their kernels say when theirs may be loaded and end when it was.
  test::TemporaryDirectory directory;
  const std::string path = directory.path("reduce.xml");
  std::string text =
      R"(<algo name="r" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="3" coll="reduce" inplace="1">)";
  for (const char* id : {"0", "1", "2"}) {
    text += std::string(R"(<gpu id=")") + id + R"(" i_chunks="2" o_chunks="0" s_chunks="0">)";
    if (*id == '0') {
      text +=
          R"(<tb id="0" send="-1" recv="-1" chan="0"><step s="0" type="ls" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/></tb>)";
    }
    text += "</gpu>";
  }
  std::ofstream(path) << text << "</algo>";
  const auto run =
      test::exactRun(Words{"run --collective", path,
                           "--mode sequential --set collective.bytes=65536 --data checked"} +
                     onSwitch({}));
  EXPECT_EQ(run.at("summed").at("sum_bytes").to_number<std::uint64_t>(), 65536U);
}

TEST(Nvls, IsTheSameWithTimelineTransactionsAndWaves) {
  test::expectRecordingsChangeNothing("run --mode nvls --preset tiny-tp4" +
                                      onSwitch(test::kShallow));
}

/// A collective alone, written by the program.
class Alone {
 public:
  Alone(const std::string& name, const char* gpus) : path_(directory_.path(name + ".xml")) {
    test::mustRun({"collective", name, "--gpus", gpus, "--write", path_});
  }
  const std::string& path() const { return path_; }
  Words words(const Words& more) const {
    return Words{"run --collective", path_, "--mode sequential"} + more;
  }
  boost::json::object run(const Words& more) const { return test::runOf(words(onSwitch(more))); }
  /// GB/s.
  double busBandwidth(const Words& more) const {
    const auto result = test::runs(words(more));
    return result.begin()->second.at("collective").at("busbw_gb_s").to_number<double>();
  }

 private:
  test::TemporaryDirectory directory_;
  std::string path_;
};

TEST(Nvls, CollectivesFromFilesAreExact) {
  for (const char* name : {"nvls-reduce-scatter", "nvls-all-gather", "nvls-all-reduce"}) {
    for (const char* type : {"fp16", "fp32", "int32"}) {
      SCOPED_TRACE(std::string(name) + " " + type);
      const auto run = Alone(name, "5").run(
          {std::string("--set collective.bytes=300001 --data checked --set collective.data_type=") +
           type});
      test::expectExact(run);
    }
  }
}

TEST(Nvls, OneSideAloneFillsOneDirection) {
  // 8 MiB at 4 GB/s: the links are all there is. An answer or a copy of each byte passes the link.
  const Words slow = "--set collective.bytes=8MiB --set link.bandwidth_gb_s=4 --data elided";
  const double all = (8 << 20) / 4.0;
  for (const auto& [name, share] : {std::pair{"nvls-reduce-scatter", 0.0},
                                    {"nvls-all-gather", 0.0},
                                    {"nvls-all-reduce", 0.125}}) {
    SCOPED_TRACE(name);
    const auto run = Alone(name, "8").run(slow);
    const double bound = run.at("bound_ns").at("total").to_number<double>();
    constexpr double kLatency = 1000;  // ns, to the switch and on
    EXPECT_DOUBLE_EQ(bound, (1 + share) * all + kLatency);
    EXPECT_LE(run.at("time_ns").to_number<double>(), 1.05 * bound + 5000);
  }
}

/// Published: 8 H100, 450 GB/s each way. A ring reaches 365 to 370 GB/s of bus bandwidth on 2 to 8
/// of them, NVLS 480, 460, 440, 420 on 8, 7, 6, 5, and no more than the ring on 4. Packets of 128
/// bytes with 32 of header are what the ring's figure says; requests for sums are headers. All
/// bandwidths here are a sixth.
const Words kPackets = {
    "--set link.header_bytes=32 --set link.packet_bytes=128 --set fabric.topology=switch --data "
    "elided --set link.input_buffer_bytes=16384"};

void expectAsPublished(const std::string& bytes, double least, double most) {
  const Words words = kPackets + ("--set collective.bytes=" + bytes);
  const double ring = Alone("ring-all-reduce", "8").busBandwidth(words);
  const double nvls =
      Alone("nvls-all-reduce", "8").busBandwidth(words + "--set switch.merge=model");
  EXPECT_GE(nvls / ring, least);
  EXPECT_LE(nvls / ring, most);
}

TEST(Nvls, IsAsMuchFasterThanARingAsPublished) { expectAsPublished("32MiB", 1.25, 1.40); }

TEST(NvlsLong, IsAsMuchFasterThanARingAsPublishedWith256Mebibytes) {
  expectAsPublished("256MiB", 1.25, 1.40);
}

TEST(Nvls, SaysWhatItNeeds) {
  const auto refused = [](const Words& words) {
    const test::Outcome outcome = test::t3sim(words);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    return outcome.error;
  };
  EXPECT_THAT(
      refused("run --mode nvls --preset tiny-tp4"),
      HasSubstr("expected a mode that needs no switch to add, because switch.merge is off"));
  const Alone file("nvls-all-reduce", "4");
  EXPECT_THAT(
      refused(file.words("--set fabric.topology=switch")),
      HasSubstr("switch.merge: expected model, because the collective has steps of all GPUs"));
  Words tracked = file.words(onSwitch({}));
  tracked[4] = "t3";
  EXPECT_THAT(refused(tracked), HasSubstr("because trackers load no sums"));
  EXPECT_THAT(refused(Words("run --mode sequential --preset tiny-tp4 --set workload.collective=" +
                            file.path()) +
                      onSwitch({})),
              HasSubstr("workload.collective: expected steps of one or two GPUs, got steps of all "
                        "(ls, sa), which mode nvls has without a file"));
  EXPECT_THAT(refused("follow --mode nvls --preset tiny-tp4 --gpu 0 --wg 0" + onSwitch({})),
              HasSubstr("expected t3, t3-mca or t3-ag"));
}

}  // namespace
}  // namespace t3::nvls_test
