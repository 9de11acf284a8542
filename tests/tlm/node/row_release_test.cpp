// SPDX-License-Identifier: Apache-2.0
// Method: rings of four GPUs in t3-ag, whose trackers are programmed once more at the first
// instant, now to release the rows of the output: own chunk and arrivals alike. Every GPU must hear
// of every row once, after the last bytes of the row have come to its tracker.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tests/tlm/node/small_ring.h"
#include "tlm/node/job.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_loop.h"
#include "tlm/node/tracker_plan.h"

namespace t3::row_release_test {
namespace {

/// When bytes of a row of the output came last.
class RowWatch : public TrackerObserver {
 public:
  RowWatch(const Tiling& tiling, std::uint64_t output) : tiling_(tiling), output_(output) {}

  std::map<std::uint32_t, Picoseconds> last;
  std::size_t rows = 0;  ///< released

 private:
  void pieceTaken(std::uint32_t /*lane*/, const LanePiece& piece) override {
    if (piece.address < output_ || piece.address >= output_ + tiling_.outputBytes()) return;
    last[piece.workgroup.value / tiling_.tilesAcross()] = now();
  }
  void commandIssued(const TriggerMessage& /*message*/) override {}
  void released(const ReleaseMessage& /*message*/) override { ++rows; }

  const Tiling& tiling_;
  std::uint64_t output_;
};

struct Rows {
  std::vector<std::map<std::uint32_t, Picoseconds>> released;  ///< by GPU
  Picoseconds end = 0;
};

constexpr std::uint32_t kFirst = 248;  // the last slots

Rows run(TrackerKind kind, bool release) {
  Job job(test::smallRing(), Mode::T3Ag, kind);
  Machine& machine = job.machine();
  const OutputPlan& output = machine.outputs().front();
  Rows rows;
  rows.released.resize(machine.config().gpus);
  std::vector<RowWatch> watches(machine.config().gpus,
                                RowWatch(output.tiling, output.layout.base(OutputBuffer::Output)));
  for (std::uint32_t g = 0; g < machine.config().gpus; ++g) {
    GpuNode& node = machine.node(g);
    node.tracker->observe(watches[g]);
    node.onRelease([&rows, g](std::uint32_t slot) {
      EXPECT_TRUE(rows.released[g].emplace(slot, now()).second) << "gpu" << g << " slot " << slot;
    });
    machine.fabric().at(g, 1, [&machine, &output, &node, g, release] {
      TrackerUse use;
      use.gathers = true;
      std::vector<TrackedRegion> regions = planTracker(machine.route(), output.tiling, GpuId{g},
                                                       machine.config().tracker.block_log2, use)
                                               .regions;
      for (TrackedRegion& region : regions) {
        if (release && region.buffer == OutputBuffer::Output) region.firstRow = kFirst;
      }
      node.driver->program(
          {output.tiling, output.layout, machine.config().tracker.block_log2, regions});
    });
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  runToEnd(job.executor(), {});
  rows.end = now();
  for (std::uint32_t g = 0; g < machine.config().gpus; ++g) {
    machine.node(g).tracker->compare();
    const TrackerStatistics statistics = machine.node(g).tracker->statistics();
    EXPECT_EQ(statistics.errors, 0U);
    EXPECT_EQ(statistics.releases, rows.released[g].size());
    EXPECT_EQ(watches[g].rows, rows.released[g].size());
    for (const auto& [slot, when] : rows.released[g]) {
      const std::uint32_t row = slot - kFirst;
      EXPECT_GT(when, watches[g].last.at(row)) << "gpu" << g << " row " << row;
    }
  }
  return rows;
}

class RowReleaseTest : public testing::TestWithParam<TrackerKind> {};

TEST_P(RowReleaseTest, EveryGpuHearsOfEveryRowOnceAndAfterItsLastBytes) {
  const Rows rows = run(GetParam(), true);
  for (const auto& released : rows.released) {
    std::vector<std::uint32_t> slots;
    for (const auto& [slot, when] : released) slots.push_back(slot);
    EXPECT_EQ(slots, (std::vector<std::uint32_t>{248, 249, 250, 251, 252, 253, 254, 255}));
    const auto [first, last] =
        std::ranges::minmax_element(released, {}, [](const auto& entry) { return entry.second; });
    EXPECT_LT(first->second, rows.end * 3 / 4) << "rows are released as they are complete";
    EXPECT_LE(last->second, rows.end);
  }
}

TEST_P(RowReleaseTest, NoRowIsReleasedIfNoRegionReleases) {
  const Rows rows = run(GetParam(), false);
  EXPECT_TRUE(std::ranges::all_of(rows.released, [](const auto& of) { return of.empty(); }));
}

INSTANTIATE_TEST_SUITE_P(, RowReleaseTest,
                         testing::Values(TrackerKind::Model, TrackerKind::Rtl,
                                         TrackerKind::Lockstep),
                         [](const auto& test) {
                           return test.param == TrackerKind::Model ? "Model"
                                  : test.param == TrackerKind::Rtl ? "Rtl"
                                                                   : "Lockstep";
                         });

}  // namespace
}  // namespace t3::row_release_test
