// SPDX-License-Identifier: Apache-2.0
// Method: one small scenario, one mode, one tracker, one process. Data is checked, so the run
// itself compares every GPU's result with a sum computed without the models; on top of that the
// traffic must equal closed forms written here from the ring's definition alone, and every DRAM
// command of every GPU keeps the rules of the independent checker.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "testbench/config/mode_spelling.h"
#include "testbench/presets/presets.h"
#include "tests/system/checked_commands.h"
#include "tlm/node/system.h"

namespace t3::ring_run_test {
namespace {

/// The figures a ring all-reduce of this output must have, from M, N, element size and GPUs.
struct ClosedForm {
  explicit ClosedForm(const SystemConfig& config)
      : gpus(config.gpus),
        output(std::uint64_t{config.workload.rows} * config.workload.columns * 2),
        elements(std::uint64_t{config.workload.rows} * config.workload.columns) {}

  /// Sum over all links: reduce-scatter and all-gather each move N-1 chunks over each of N links.
  std::uint64_t linkBytes() const { return 2 * (gpus - 1) * output; }
  /// Mean over GPUs of the bytes of `chunks` chunks.
  std::uint64_t chunks(std::uint64_t count) const { return count * output / gpus; }

  std::uint64_t gpus, output, elements;
};

using Parameters = std::tuple<const char*, Mode, TrackerKind>;

class RingRun : public testing::TestWithParam<Parameters> {
 protected:
  void SetUp() override {
    const Preset* preset = findPreset(std::get<0>(GetParam()));
    ASSERT_NE(preset, nullptr);
    config_ = preset->config;
    ASSERT_EQ(config_.data, DataMode::Checked);
    System system(config_, std::get<1>(GetParam()), std::get<2>(GetParam()));
    const test::CheckedCommands commands(system);
    result_ = system.run();
    ASSERT_EQ(result_.error, "");
    commands.expectRulesKept(result_);
  }

  SystemConfig config_;
  RunResult result_;
};

std::string nameOf(const testing::TestParamInfo<Parameters>& info) {
  static constexpr const char* kTrackers[] = {"Rtl", "Model", "Lockstep"};
  std::string preset = std::get<0>(info.param);
  std::string mode = spelling(std::get<1>(info.param));
  for (std::string* text : {&preset, &mode}) {
    for (char& c : *text) {
      if (c == '-' || c == ':') c = '_';
    }
  }
  return preset + "_" + mode + "_" + kTrackers[static_cast<int>(std::get<2>(info.param))];
}

using Baseline = RingRun;

TEST_P(Baseline, SumsAreExactAndTrafficIsTheRingsClosedForm) {
  const ClosedForm form(config_);
  EXPECT_EQ(result_.verification.elements, form.gpus * form.elements);
  EXPECT_EQ(result_.verification.mismatches, 0U);
  EXPECT_EQ(result_.link_bytes, form.linkBytes());
  EXPECT_EQ(result_.of(Phase::Gemm).dram_write, form.output) << "each element is written back once";
  // Step 0 reads one chunk, N-2 steps read the received and the local copy, and so does the last.
  EXPECT_EQ(result_.of(Phase::ReduceScatter).dram_read, form.chunks(1 + 2 * (form.gpus - 1)));
  EXPECT_EQ(result_.of(Phase::ReduceScatter).dram_write, form.chunks(form.gpus - 1 + 1));
  EXPECT_EQ(result_.of(Phase::AllGather).dram_read, form.chunks(form.gpus - 1));
  EXPECT_EQ(result_.of(Phase::AllGather).dram_write, form.chunks(form.gpus - 1));
  EXPECT_EQ(result_.tracker_stats.updates, 0U);
}

using Tracked = RingRun;

TEST_P(Tracked, SumsAreExactTrafficIsTheClosedFormAndEachBlockTriggersOnce) {
  const ClosedForm form(config_);
  const bool ideal = std::get<1>(GetParam()) == Mode::IdealRsNmc;
  EXPECT_EQ(result_.verification.elements, form.gpus * form.elements);
  EXPECT_EQ(result_.verification.mismatches, 0U);
  EXPECT_EQ(result_.link_bytes, form.linkBytes());

  // Local stores of all chunks but the first; no zeros cross the bus.
  EXPECT_EQ(result_.of(Phase::Gemm).dram_write, form.chunks(form.gpus - 1));
  // The DMA reads the chunks that pass through; the bound's software sends the first one as well.
  EXPECT_EQ(result_.of(Phase::ReduceScatter).dram_read,
            form.chunks(ideal ? form.gpus - 1 : form.gpus - 2));
  EXPECT_EQ(result_.of(Phase::ReduceScatter).dram_write, form.chunks(form.gpus - 1))
      << "the neighbour's first chunk and its forwarded sums";
  EXPECT_EQ(result_.of(Phase::AllGather).dram_read, form.chunks(form.gpus - 1));
  EXPECT_EQ(result_.of(Phase::AllGather).dram_write, form.chunks(form.gpus - 1));

  const std::uint64_t tiles =
      std::uint64_t{(config_.workload.rows + config_.gpu.gemm.tile_rows - 1) /
                    config_.gpu.gemm.tile_rows} *
      ((config_.workload.columns + config_.gpu.gemm.tile_columns - 1) /
       config_.gpu.gemm.tile_columns);
  EXPECT_EQ(result_.tracker_stats.triggers, tiles / form.gpus * (form.gpus - 1) * form.gpus)
      << "one for each tile of the chunks that pass through and of the one that stays, on each GPU";
}

const auto kPresets = testing::Values("tiny-tp4", "tiny-edge-tp4");

INSTANTIATE_TEST_SUITE_P(Tiny, Baseline,
                         testing::Combine(kPresets,
                                          testing::Values(Mode::Sequential, Mode::IdealOverlap,
                                                          Mode::cuSplit(1), Mode::cuSplit(4),
                                                          Mode::cuSplit(15)),
                                          testing::Values(TrackerKind::Model)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(
    Tiny, Tracked,
    testing::Combine(kPresets, testing::Values(Mode::T3, Mode::T3Mca, Mode::IdealRsNmc),
                     testing::Values(TrackerKind::Rtl, TrackerKind::Model, TrackerKind::Lockstep)),
    nameOf);

}  // namespace
}  // namespace t3::ring_run_test
