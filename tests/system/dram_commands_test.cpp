// SPDX-License-Identifier: Apache-2.0
// The memories of whole systems keep the rules of DRAM. Method: the real t3sim writes every DRAM
// command of small runs; the independent checker reads them. There is a run for each part of the
// model that sends requests to a memory, and there are random machines.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "testbench/config/described_json.h"
#include "tests/support/seed.h"
#include "tests/system/checked_commands.h"
#include "tests/system/collective_files.h"
#include "tests/system/random_settings.h"
#include "tests/system/runs.h"

namespace t3::dram_commands_test {
namespace {

using test::Words;

/// One call of `t3sim run` or `compare`: every command keeps the rules, and there is one for each
/// burst that the report counts.
void expectRulesKept(const Words& words) {
  const test::TemporaryDirectory directory;
  test::mustRun(words + "--tracker model --data elided --quiet" + "--json" +
                directory.path("report.json") + "--command-trace" + directory.path("c.csv"));
  const auto report = boost::json::parse(test::readFile(directory.path("report.json"))).as_object();
  const auto memory = fromJson<HbmConfig>(report.at("scenario").at("hbm"));
  std::uint64_t bursts = 0, expected = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory.path(""))) {
    if (file.path().extension() != ".csv") continue;
    for (auto& [gpu, commands] : test::readCommandTrace(file.path())) {
      bursts +=
          test::burstsOfChecked({memory, std::move(commands)},
                                file.path().filename().string() + ", GPU " + std::to_string(gpu));
    }
  }
  for (const boost::json::value& run : report.at("runs").as_array()) {
    if (!run.at("derived_from").is_null()) continue;
    expected += run.at("host").at("dram_bursts").to_number<std::uint64_t>();
  }
  EXPECT_GT(expected, 0U);
  EXPECT_EQ(bursts, expected);
}

const Words kTracked = "compare --modes t3,t3-ag --preset tiny-tp4";
const Words kModes = "compare --modes sequential,cu-split:4,t3,t3-mca,t3-ag,ideal-rs-nmc,ideal-ag";

class DramCommands : public testing::TestWithParam<std::pair<const char*, Words>> {};

TEST_P(DramCommands, KeepTheRules) { expectRulesKept(GetParam().second); }

INSTANTIATE_TEST_SUITE_P(
    Runs, DramCommands,
    testing::Values(
        std::pair{"Ring", kModes + "--preset tiny-tp4"},
        std::pair{"BothWays", kModes + "--preset tiny-tp4" + test::onFabric("bidirectional-ring")},
        std::pair{"Direct", kModes + "--preset tiny-tp4" + test::onFabric("fully-connected")},
        std::pair{"Switch", kModes + "--preset tiny-tp4" + test::onFabric("switch")},
        std::pair{"TwoLevels", kModes + "--preset tiny-tp4" + test::onFabric("two-level")},
        std::pair{"MergingSwitch", Words("compare --modes t3-mca,t3-ag,nvls --preset tiny-tp4") +
                                       test::onFabric("merging-switch")},
        std::pair{"OneForAll", kModes + "--preset tiny-tp4 --gpus symmetric"},
        std::pair{"CutTiles", kModes + "--preset tiny-edge-tp4"},
        std::pair{"Pair", Words("compare --modes sequential,ag-split:4,t3,t3-ag --preset "
                                "tiny-pair-tp4")},
        std::pair{"PairOnSwitch", Words("compare --modes sequential,t3-ag --preset tiny-pair-tp4") +
                                      test::onFabric("switch")},
        std::pair{"UnequalChunks", kTracked +
                                       "--set workload.rows=576 --set "
                                       "workload.columns=200 --set workload.shares=2,1,1.5,1"},
        std::pair{"Stacks", kTracked + "--set hbm.stacks=4"},
        std::pair{"Repeated", kTracked + "--set workload.repeat=2"},
        std::pair{"Codec", Words("compare --modes t3-mca,t3-ag --preset tiny-tp4 "
                                 "--set gpu.dma.codec=block4")},
        std::pair{"FirstOfK", Words("compare --modes t3,t3-ag --preset tiny-tp4 --set "
                                    "fabric.topology=switch --set workload.contributions=2")},
        std::pair{"FromZeros", kTracked + "--set hbm.initial_value=zero-over-bus"},
        std::pair{"LateAndSlow", kTracked + "--set gpu1.launch_delay_us=20 --set "
                                            "gpu2.link.bandwidth_gb_s=5"},
        std::pair{"Links", Words{"run --mode t3 --set fabric.topology=links --set",
                                 "fabric.links=" T3_COLLECTIVES "/../topologies/dgx1.json",
                                 "--set collective.bytes=1MiB --collective",
                                 T3_COLLECTIVES "/../topologies/dgx1-gather.json"}},
        std::pair{"NvlsFile", Words{"run --set fabric.topology=switch --set switch.merge=model "
                                    "--set collective.bytes=65536 --collective",
                                    test::fileOf("nvls-all-reduce-4.xml")}},
        std::pair{"File", Words{"run --set fabric.topology=switch --mode t3 --set "
                                "collective.bytes=393216 --set workload.repeat=2 --collective",
                                test::fileOf("halving-doubling-all-reduce-4.xml")}},
        std::pair{
            "FileBehindGemm",
            Words{"compare --preset tiny-tp4 --modes sequential,t3,t3-mca --set "
                  "fabric.topology=switch --set",
                  "workload.collective=" + test::fileOf("halving-doubling-all-reduce-4.xml")}}),
    [](const auto& test) { return test.param.first; });

/// A random memory below a random fabric.
class RandomMemory : public test::RandomSettings {
 public:
  using RandomSettings::RandomSettings;

  Words next() {
    set("gpus", any({2, 3, 4}));
    set("fabric.topology", any("ring", "bidirectional-ring", "fully-connected", "switch"));
    set("workload.rows", 64 * upTo(6));
    set("workload.columns", 8 * upTo(48));
    set("workload.depth", 32);
    set("link.bandwidth_gb_s", any({10, 75, 2000}));
    const int stacks = any({1, 1, 2, 4});
    set("hbm.stacks", stacks);
    set("hbm.channels", stacks * any({1, 3, 8}));
    set("hbm.channel_interleave_bytes", any({256, 512, 2048}));
    set("hbm.bank_groups", any({1, 4}));
    set("hbm.banks", any({4, 16}));
    set("hbm.burst_length", any({2, 4}));
    set("hbm.address_mapping", any("burst-over-groups", "block-over-groups", "page-over-groups"));
    for (const char* hash : {"channel_hash", "bank_hash", "group_hash", "coalescing"}) {
      set(std::string("hbm.") + hash, any("true", "false"));
    }
    set("hbm.page_policy", any("open", "closed", "adaptive"));
    set("hbm.refresh", any("off", "all-bank", "per-bank"));
    set("hbm.refresh_stagger", any("true", "false"));
    set("hbm.scheduling", any("batches", "batches", "first-ready"));
    set("hbm.arbitration", any("round-robin", "compute-first", "comm-first", "mca"));
    set("hbm.near_memory", any("true", "true", "false"));
    set("hbm.initial_value", any("in-memory", "in-memory", "zero-over-bus"));
    return take();
  }
};

TEST(RandomDramCommands, KeepTheRules) {
  test::forSeeds(1, 12, [](std::uint64_t seed) {
    const Words settings = RandomMemory(seed).next();
    SCOPED_TRACE(settings.text());
    expectRulesKept(Words("compare --preset tiny-tp4 --modes sequential,t3,t3-ag") + settings);
  });
}

}  // namespace
}  // namespace t3::dram_commands_test
