// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim on random small machines, all modes: shapes with cut tiles, tight and wide
// memories, short and long launches, slow and fast links, every topology, GPUs that are equal and
// GPUs that are not. A run below its closed form, or below an ideal of its mode, ends with exit 1,
// so a call that succeeds has kept all bounds; the closed forms are compared once more here.
#include <gtest/gtest.h>

#include "tests/support/seed.h"
#include "tests/system/random_settings.h"

namespace t3::random_bounds_test {
namespace {

using test::Words;

class RandomMachine : test::RandomSettings {
 public:
  using RandomSettings::RandomSettings;

  Words next(bool equalGpus) {
    merges = false;
    const int gpus = any({2, 3, 4, 5, 8});
    set("gpus", gpus);
    const int tileRows = any({16, 32, 64});
    const int tileColumns = any({16, 32, 64});
    set("gpu.gemm.tile_rows", tileRows);
    set("gpu.gemm.tile_columns", tileColumns);
    set("gpu.gemm.wavefronts", any({1, 4, 8}));
    const std::string topology = any("ring", "bidirectional-ring", "fully-connected", "switch",
                                     gpus == 4 || gpus == 8 ? "two-level" : "ring");
    set("fabric.topology", topology);
    if (topology == "two-level") {
      set("fabric.gpus_per_node", gpus == 8 ? any({2, 4}) : 2);
      set("fabric.rail_bandwidth_gb_s", any({1, 25, 300}));
      set("fabric.rail_latency_ns", any({0, 2000, 20000}));
    }
    if (topology == "fully-connected" || topology == "switch") {
      const std::string collective = any("ring", "direct");
      set("fabric.collective", collective);
      if (topology == "switch" && collective == "direct") {
        merges = any({0, 1}) != 0;
        set("switch.merge", merges ? "model" : "off");
        set("switch.merge_entries", any({1, 16, 512}));
        set("switch.merge_clock_mhz", any({100, 1000}));
        set("switch.merge_age_us", any("0.1", "5"));
        set("switch.merge_credits", any({1, 8, 256}));
      }
    }
    const int rings = topology == "bidirectional-ring" ? 2 : 1;
    set("workload.rows", tileRows * gpus * rings * any({1, 1, 2, 3}) - any({0, 0, 0, 1}));
    set("workload.columns",
        tileColumns * any({1, 2, 4}) - (tileColumns > 16 ? any({0, 0, 16}) : 0));
    set("workload.depth", any({1, 16, 64, 300}));
    const int computeUnits = any({2, 4, 16, 80});
    set("gpu.compute_units", computeUnits);
    set("gpu.gemm.macs_per_cu_per_cycle", any({8, 64, 512, 4096}));
    set("gpu.gemm.workgroups_per_cu", any({1, 1, 2}));
    set("gpu.kernel_launch_us", any("0", "0.1", "2", "2"));
    set("gpu.collective.slice_bytes", any({512, 4096, 32768}));
    set("gpu.collective.request_bytes", 512);
    set("link.bandwidth_gb_s", any({1, 10, 75, 300, 2000}));
    set("link.latency_ns", any({0, 1, 100, 500}));
    set("hbm.channels", any({1, 3, 8, 12, 32}));
    set("tracker.lanes", any({1, 4, 8}));
    set("hbm.initial_value", any("in-memory", "in-memory", "zero-over-bus"));
    // A chunk is whole rows of tiles, as a norm needs it.
    const int consumer = any({0, 0, 16, 64, 256});
    consumes = consumer != 0;
    set("workload.consumer.columns", consumer);
    set("workload.between", any("none", "norm"));
    for (int gpu = 0; !equalGpus && gpu < gpus; ++gpu) {
      const std::string name = "gpu" + std::to_string(gpu);
      if (any({0, 1})) set(name + ".clock_mhz", any({700, 2800}));
      if (any({0, 1})) set(name + ".compute_units", computeUnits * any({1, 2}));
      if (any({0, 1})) set(name + ".launch_delay_us", any({0, 5}));
      if (any({0, 1})) set(name + ".link.bandwidth_gb_s", any({20, 200}));
      if (any({0, 1})) set(name + ".link.latency_ns", any({0, 1000}));
    }
    return take();
  }

  // Of the machine made last.
  bool consumes = false;  ///< it has a second GEMM
  bool merges = false;    ///< it has a switch that adds
};

void expectBoundsHold(bool equalGpus, std::uint64_t seed) {
  RandomMachine machine(seed);
  constexpr int kMachines = 12;
  for (int i = 0; i < kMachines; ++i) {
    const Words settings = machine.next(equalGpus);
    SCOPED_TRACE(settings.text());
    const std::string modes =
        std::string(machine.consumes ? "ag-split:1," : "") +
        "sequential,cu-split:1,t3,t3-mca,t3-ag,ideal-overlap,ideal-rs-nmc,ideal-ag" +
        (machine.merges ? ",nvls" : "");
    const auto runs = test::runs(
        Words{"compare --preset tiny-tp4 --tracker model --data elided --modes", modes} + settings);
    ASSERT_EQ(runs.size(), 8U + machine.consumes + machine.merges);
    for (const auto& [mode, run] : runs) {
      EXPECT_GE(run.at("time_ps").to_number<double>() + 2,
                1e3 * run.at("bound_ns").at("total").to_number<double>())
          << mode;
    }
  }
}

TEST(Bounds, HoldOnRandomMachinesOfEqualGpus) { expectBoundsHold(true, test::seed(1)); }

TEST(Bounds, HoldOnRandomMachinesOfUnequalGpus) { expectBoundsHold(false, test::seed(1)); }

TEST(Bounds, IdealOverlapCountsTheLaunchThatItsLongerPartHolds) {
  // A GEMM that is longer than the reduce-scatter and its launch together, but not by a launch.
  const auto runs = test::runs(
      "compare --preset tiny-tp4 --tracker model --modes sequential,ideal-overlap "
      "--set gpus=2 --set workload.rows=128 --set workload.columns=64 --set "
      "workload.depth=64 --set gpu.gemm.tile_rows=32 --set gpu.gemm.tile_columns=32 "
      "--set gpu.gemm.macs_per_cu_per_cycle=8");
  ASSERT_EQ(runs.size(), 2U);
  const auto& bound = runs.at("ideal-overlap").at("bound_ns");
  const auto ns = [&bound](const char* part) { return bound.at(part).to_number<double>(); };
  EXPECT_DOUBLE_EQ(ns("total"), ns("gemm") + 2000 + ns("all_gather"));
}

}  // namespace
}  // namespace t3::random_bounds_test
