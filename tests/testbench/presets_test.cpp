// SPDX-License-Identifier: Apache-2.0
// The scenarios that ship. Method: the whole table of the evaluation, written out here as numbers
// (model x sublayer x degree), against what the program computes from its model table; the small
// presets by the properties they exist for; the generated page against the one in docs/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"
#include "testbench/presets/explanation.h"
#include "testbench/presets/presets.h"
#include "tests/testbench/refused.h"
#include "tlm/gpu/tiling.h"

namespace t3::presets_test {
namespace {

struct Expected {
  const char* name;
  std::uint32_t gpus, rows, columns, depth, layers;
};

constexpr Expected kEvaluation[] = {
    {"mega-gpt-2-op-tp8", 8, 16384, 3072, 384, 74},
    {"mega-gpt-2-fc2-tp8", 8, 16384, 3072, 1536, 74},
    {"mega-gpt-2-fc1-tp8", 8, 16384, 3072, 1536, 74},
    {"mega-gpt-2-ip-tp8", 8, 16384, 3072, 1152, 74},
    {"mega-gpt-2-op-tp16", 16, 16384, 3072, 192, 74},
    {"mega-gpt-2-fc2-tp16", 16, 16384, 3072, 768, 74},
    {"mega-gpt-2-fc1-tp16", 16, 16384, 3072, 768, 74},
    {"mega-gpt-2-ip-tp16", 16, 16384, 3072, 576, 74},
    {"t-nlg-op-tp8", 8, 8192, 4256, 532, 78},
    {"t-nlg-fc2-tp8", 8, 8192, 4256, 2128, 78},
    {"t-nlg-fc1-tp8", 8, 8192, 4256, 2128, 78},
    {"t-nlg-ip-tp8", 8, 8192, 4256, 1596, 78},
    {"t-nlg-op-tp16", 16, 8192, 4256, 266, 78},
    {"t-nlg-fc2-tp16", 16, 8192, 4256, 1064, 78},
    {"t-nlg-fc1-tp16", 16, 8192, 4256, 1064, 78},
    {"t-nlg-ip-tp16", 16, 8192, 4256, 798, 78},
    {"gpt-3-op-tp32", 32, 12288, 2048, 384, 96},
    {"gpt-3-fc2-tp32", 32, 12288, 2048, 1536, 96},
    {"gpt-3-fc1-tp32", 32, 12288, 2048, 1536, 96},
    {"gpt-3-ip-tp32", 32, 12288, 2048, 1152, 96},
    {"palm-op-tp32", 32, 18432, 2048, 576, 118},
    {"palm-fc2-tp32", 32, 18432, 2048, 2304, 118},
    {"palm-fc1-tp32", 32, 18432, 2048, 2304, 118},
    {"palm-ip-tp32", 32, 18432, 2048, 1728, 118},
    {"mt-nlg-op-tp32", 32, 20480, 2048, 640, 105},
    {"mt-nlg-fc2-tp32", 32, 20480, 2048, 2560, 105},
    {"mt-nlg-fc1-tp32", 32, 20480, 2048, 2560, 105},
    {"mt-nlg-ip-tp32", 32, 20480, 2048, 1920, 105},
};

// Larger models that the paper's outlook speaks of, not its evaluation.
constexpr Expected kOutlook[] = {
    {"future-1t-op-tp64", 64, 25600, 2048, 400, 128},
    {"future-1t-fc2-tp64", 64, 25600, 2048, 1600, 128},
    {"future-1t-fc1-tp64", 64, 25600, 2048, 1600, 128},
    {"future-1t-ip-tp64", 64, 25600, 2048, 1200, 128},
    {"future-10t-op-tp64", 64, 65536, 2048, 1024, 194},
    {"future-10t-fc2-tp64", 64, 65536, 2048, 4096, 194},
    {"future-10t-fc1-tp64", 64, 65536, 2048, 4096, 194},
    {"future-10t-ip-tp64", 64, 65536, 2048, 3072, 194},
};

// A feed-forward layer over whole nodes of 8 GPUs: 53,248 / N.
constexpr Expected kNodes[] = {
    {"llama-3-405b-fc2-tp256", 256, 16384, 2048, 208, 126},
    {"llama-3-405b-fc2-tp512", 512, 16384, 2048, 104, 126},
};

/// Two GEMMs with a norm between them: tokens are the rows.
struct ExpectedPair {
  Expected first;
  std::uint32_t columns;   ///< of the second: 4H/N or 3H/N, whole bursts of 16 elements
  std::uint32_t tileRows;  ///< so that every GPU owns whole rows of tiles
};
constexpr ExpectedPair kPairs[] = {
    {{"mega-gpt-2-op-fc1-tp8", 8, 16384, 3072, 384, 74}, 1536, 128},
    {{"mega-gpt-2-fc2-qkv-tp8", 8, 16384, 3072, 1536, 74}, 1152, 128},
    {{"mega-gpt-2-op-fc1-tp16", 16, 16384, 3072, 192, 74}, 768, 128},
    {{"mega-gpt-2-fc2-qkv-tp16", 16, 16384, 3072, 768, 74}, 576, 128},
    {{"t-nlg-op-fc1-tp8", 8, 8192, 4256, 532, 78}, 2128, 128},
    {{"t-nlg-fc2-qkv-tp8", 8, 8192, 4256, 2128, 78}, 1600, 128},   // 1596
    {{"t-nlg-op-fc1-tp16", 16, 8192, 4256, 266, 78}, 1072, 128},   // 1064
    {{"t-nlg-fc2-qkv-tp16", 16, 8192, 4256, 1064, 78}, 800, 128},  // 798
    {{"gpt-3-op-fc1-tp32", 32, 2048, 12288, 384, 96}, 1536, 64},
    {{"gpt-3-fc2-qkv-tp32", 32, 2048, 12288, 1536, 96}, 1152, 64},
    {{"palm-op-fc1-tp32", 32, 2048, 18432, 576, 118}, 2304, 64},
    {{"palm-fc2-qkv-tp32", 32, 2048, 18432, 2304, 118}, 1728, 64},
    {{"mt-nlg-op-fc1-tp32", 32, 2048, 20480, 640, 105}, 2560, 64},
    {{"mt-nlg-fc2-qkv-tp32", 32, 2048, 20480, 2560, 105}, 1920, 64},
};

Tiling tilingOf(const SystemConfig& config) {
  const GemmConfig& gemm = config.gpu.gemm;
  return {{config.workload.rows, config.workload.columns, bytesOf(config.workload.data_type)},
          {gemm.tile_rows, gemm.tile_columns, gemm.wavefronts},
          config.gpus};
}

std::string written(SystemConfig config) { return formatJson(toJson(config)); }

void expectPreset(const Expected& expected, bool evaluated) {
  const Preset* preset = findPreset(expected.name);
  ASSERT_NE(preset, nullptr) << expected.name;
  EXPECT_EQ(preset->evaluated, evaluated) << expected.name;
  EXPECT_EQ(preset->config.gpus, expected.gpus) << expected.name;
  EXPECT_EQ(preset->config.workload.rows, expected.rows) << expected.name;
  EXPECT_EQ(preset->config.workload.columns, expected.columns) << expected.name;
  EXPECT_EQ(preset->config.workload.depth, expected.depth) << expected.name;
  EXPECT_EQ(preset->layers, expected.layers) << expected.name;
  EXPECT_EQ(preset->config.workload.data_type, DataType::Fp16);
  EXPECT_EQ(preset->config.data, DataMode::Elided) << "paper-scale runs move sizes only";
}

TEST(Presets, AreTheEvaluatedSublayersOfEveryModel) {
  for (const Expected& expected : kEvaluation) expectPreset(expected, true);
  for (const Expected& expected : kOutlook) expectPreset(expected, false);
  EXPECT_EQ(presets().size(), std::size(kEvaluation) + std::size(kOutlook) + std::size(kPairs) +
                                  std::size(kNodes) + 3);
}

TEST(Presets, HundredsOfGpusAreInNodesOfEight) {
  for (const Expected& expected : kNodes) {
    expectPreset(expected, false);
    const SystemConfig& config = findPreset(expected.name)->config;
    EXPECT_EQ(config.fabric.topology, Topology::TwoLevel);
    EXPECT_EQ(config.fabric.gpus_per_node, 8U);
    EXPECT_EQ(config.check(), std::nullopt);
  }
}

TEST(Presets, PairsHaveTokensOutermostAndEveryGpuOwnsWholeRows) {
  for (const ExpectedPair& expected : kPairs) {
    SCOPED_TRACE(expected.first.name);
    expectPreset(expected.first, false);
    const Preset* preset = findPreset(expected.first.name);
    ASSERT_NE(preset, nullptr);
    EXPECT_TRUE(preset->pair);
    const SystemConfig& config = preset->config;
    EXPECT_EQ(config.workload.between, Between::Norm);
    EXPECT_EQ(config.workload.consumer.columns, expected.columns);
    EXPECT_EQ(config.gpu.gemm.tile_rows, expected.tileRows);
    const Tiling tiling = tilingOf(config);
    EXPECT_EQ(tiling.chunk(ChunkId{0}).count % tiling.tilesAcross(), 0U);
  }
}

TEST(Presets, HaveNamesOfTheirOwnAndKeepAllRules) {
  std::set<std::string> names;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    SystemConfig config = preset.config;
    EXPECT_EQ(crossCheckSettings(bindSettings(config)), std::nullopt) << preset.name;
    EXPECT_NO_THROW(tilingOf(config)) << preset.name;
  }
  EXPECT_EQ(findPreset("t-nlg-fc2-tp4"), nullptr);
}

TEST(Presets, TheDefaultIsADefaultSystemConfig) {
  ASSERT_NE(findPreset(kDefaultPreset), nullptr);
  SystemConfig config;
  config.workload.model = "T-NLG";
  config.workload.sublayer = "FC-2";
  EXPECT_EQ(written(findPreset(kDefaultPreset)->config), written(config));
}

TEST(Presets, TinyHasFourGpusCheckedDataAndChunksOfWholeTileRows) {
  const SystemConfig& config = findPreset("tiny-tp4")->config;
  const Tiling tiling = tilingOf(config);
  EXPECT_EQ(config.gpus, 4U);
  EXPECT_EQ(config.data, DataMode::Checked);
  EXPECT_EQ(tiling.rows() % tiling.tileRows(), 0U);
  EXPECT_EQ(tiling.columns() % tiling.tileColumns(), 0U);
  EXPECT_EQ(tiling.chunk(ChunkId{0}).count % tiling.tilesAcross(), 0U);
}

TEST(Presets, TinyEdgeHasCutTilesEmptyWavefrontsAndChunksOfBrokenTileRows) {
  const SystemConfig& config = findPreset("tiny-edge-tp4")->config;
  const Tiling tiling = tilingOf(config);
  EXPECT_EQ(config.gpus, 4U);
  EXPECT_EQ(config.data, DataMode::Checked);
  EXPECT_NE(tiling.rows() % tiling.tileRows(), 0U);
  EXPECT_NE(tiling.columns() % tiling.tileColumns(), 0U);
  EXPECT_NE(tiling.chunk(ChunkId{0}).count % tiling.tilesAcross(), 0U);
  const WorkgroupId corner{tiling.tiles() - 1};
  EXPECT_LT(tiling.liveWavefronts(corner), tiling.wavefronts());
  EXPECT_NE(config.workload.depth % config.gpu.gemm.k_step, 0U);
}

TEST(ConfigurationPage, IsWhatTheProgramGenerates) {
  const std::string page = test::readFile(T3_CONFIGURATION_PAGE);
  EXPECT_TRUE(page == configurationDocument())
      << "out of date; run: t3sim presets --document > docs/configuration.md";
}

TEST(ConfigurationPage, NamesEverySetting) {
  const std::string page = configurationDocument();
  SystemConfig config;
  const Setting root = bindSettings(config);
  for (const Setting& member : root.members) {
    const std::string& name = member.series.empty() ? member.key : member.series;
    EXPECT_THAT(page, testing::HasSubstr("`" + name + "`"));
  }
  EXPECT_THAT(page, testing::HasSubstr("| `latency_ns` | 500.0 | a number from"));
}

TEST(ConfigurationPage, RowsOfPresetsStandForEveryNameAndItsDepth) {
  const std::string page = configurationDocument();
  const std::regex row(R"(\n\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d*) \| ([^|]+) \|)");
  const std::regex entry(R"((?:`([^`]+)` )?(\d+))");
  std::map<std::string, std::vector<std::string>> found;
  const std::sregex_iterator end;
  for (std::sregex_iterator at(page.begin(), page.end(), row); at != end; ++at) {
    const std::string entries = (*at)[6];
    for (std::sregex_iterator one(entries.begin(), entries.end(), entry); one != end; ++one) {
      const std::string name = boost::replace_all_copy((*at)[1].str(), "SUBLAYER", (*one)[1].str());
      EXPECT_THAT(found, testing::Not(testing::Contains(testing::Key(name))));
      found[name] = {(*at)[2], (*at)[3], (*at)[4], (*at)[5], (*one)[2]};
    }
  }
  EXPECT_EQ(found.size(), presets().size());
  for (const Preset& preset : presets()) {
    const WorkloadConfig& gemm = preset.config.workload;
    EXPECT_THAT(found[preset.name],
                testing::ElementsAre(std::to_string(preset.config.gpus), std::to_string(gemm.rows),
                                     std::to_string(gemm.columns),
                                     preset.layers > 0 ? std::to_string(preset.layers) : "",
                                     std::to_string(gemm.depth)))
        << preset.name;
  }
}

TEST(Explanation, OfASettingSaysDefaultLegalValuesMeaningAndWhoSetsAnother) {
  EXPECT_EQ(explanation("gpus"),
            "gpus = 8\n"
            "    a whole number from 2 to 1024\n"
            "    GPUs: the tensor-parallel degree N; above 64 not fully-connected\n"
            "    4 in tiny-tp4, tiny-edge-tp4, tiny-pair-tp4\n"
            "    16 in mega-gpt-2-op-tp16, mega-gpt-2-fc2-tp16, mega-gpt-2-fc1-tp16,\n"
            "    mega-gpt-2-ip-tp16 and 8 more\n"
            "    32 in gpt-3-op-tp32, gpt-3-fc2-tp32, gpt-3-fc1-tp32, gpt-3-ip-tp32 and 14\n"
            "    more\n"
            "    64 in future-1t-op-tp64, future-1t-fc2-tp64, future-1t-fc1-tp64,\n"
            "    future-1t-ip-tp64 and 4 more\n"
            "    256 in llama-3-405b-fc2-tp256\n"
            "    512 in llama-3-405b-fc2-tp512\n");
}

TEST(Explanation, OfASizeOfTheTrackerSaysWhatItsRtlTakes) {
  EXPECT_THAT(explanation("tracker.lanes"),
              testing::AllOf(testing::HasSubstr("\n    a whole number from 1 to 16\n"),
                             testing::HasSubstr("\n    --tracker rtl, lockstep: 8\n")));
  EXPECT_THAT(explanation("tracker.slots"),
              testing::HasSubstr("\n    --tracker rtl, lockstep: 4096\n"));
  EXPECT_THAT(explanation("tracker.clock_mhz"), testing::Not(testing::HasSubstr("--tracker rtl")));
}

TEST(Explanation, OfAGroupOrOfPartOfANameIsALineForEachSetting) {
  const std::string group = explanation("hbm.mca");
  EXPECT_THAT(group, testing::HasSubstr("hbm.mca.lag_stages = 3.0\n"));
  EXPECT_THAT(group, testing::Not(testing::HasSubstr("hbm.channels")));
  EXPECT_EQ(explanation("lag_stages"),
            "hbm.mca.lag_stages = 3.0\nhbm.mca.lag_stages_long_ring = 0.5\n");
  EXPECT_THAT(explanation("gpu2.clock_mhz"), testing::StartsWith("gpu2.clock_mhz = (not set)\n"));
}

TEST(Explanation, OfAnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(test::refusalOf([] { explanation("hbm.chanels"); }),
            "explain: hbm.chanels: unknown key; the nearest is 'hbm.channels'");
}

TEST(Explanation, WithoutAWordListsEverySettingOnce) {
  const std::string all = explanation("");
  const std::vector<std::string> paths = settingPaths();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(all, '\n')), paths.size());
  EXPECT_THAT(paths, testing::Contains("gpu0.clock_mhz"));
  EXPECT_THAT(paths, testing::Not(testing::Contains("gpu1.clock_mhz")));
}

TEST(Explanation, FitsEightyColumns) {
  SystemConfig config;
  for (const std::string& key : settingPaths()) {
    std::istringstream lines(explanation(key));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

}  // namespace
}  // namespace t3::presets_test
