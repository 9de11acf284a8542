// SPDX-License-Identifier: Apache-2.0
// Method: every setting that a GPU may have of its own is given to one GPU; that GPU's
// configuration has it, its neighbour's has the common one.
#include "tlm/node/system_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tlm/node/mode.h"

namespace t3::system_config_test {
namespace {

TEST(SystemConfig, AGpuHasItsOwnSettingsAndItsNeighbourTheCommonOnes) {
  SystemConfig config;
  GpuOverride& own = config.overrides.groups[2];
  own.clock_mhz = 700;
  own.compute_units = 9;
  own.link.bandwidth_gb_s = 11;
  own.link.latency_ns = 13;
  own.link.lose_write = 17;
  const SystemConfig second = config.ofGpu(2);
  EXPECT_EQ(second.gpu.clock_mhz, 700);
  EXPECT_EQ(second.gpu.compute_units, 9U);
  EXPECT_EQ(second.link.bandwidth_gb_s, 11);
  EXPECT_EQ(second.link.latency_ns, 13);
  EXPECT_EQ(second.link.lose_write, 17U);
  const SystemConfig third = config.ofGpu(3);
  EXPECT_EQ(third.gpu.clock_mhz, config.gpu.clock_mhz);
  EXPECT_EQ(third.gpu.compute_units, config.gpu.compute_units);
  EXPECT_EQ(third.link.bandwidth_gb_s, config.link.bandwidth_gb_s);
  EXPECT_EQ(third.link.latency_ns, config.link.latency_ns);
  EXPECT_EQ(third.link.lose_write, config.link.lose_write);
}

TEST(SystemConfig, GpusAreEqualUnlessOneHasASettingOfItsOwn) {
  SystemConfig config;
  EXPECT_TRUE(config.gpusAreEqual());
  config.overrides.groups[1].launch_delay_us = 1;
  EXPECT_FALSE(config.gpusAreEqual());
}

TEST(SystemConfig, AnySettingOfItsOwnNeedsExplicitGpus) {
  for (const std::uint32_t gpu : {0U, 7U}) {
    SystemConfig config;
    ASSERT_EQ(config.gpus, 8U);
    config.overrides.groups[gpu].clock_mhz = 700;
    EXPECT_EQ(config.check(), std::nullopt);
    config.simulated_gpus = GpuSimulation::Symmetric;
    EXPECT_EQ(config.check(), "simulated_gpus: expected explicit with settings of its own for gpu" +
                                  std::to_string(gpu) +
                                  ", because one GPU stands for all only where all are equal");
  }
}

TEST(SystemConfig, ASublayerMustFitIntoTheMemory) {
  SystemConfig config;
  const auto route = config.makeRoute();
  config.workload.depth = 1 << 17;  // operands of some GiB
  const std::uint64_t end = planOutputs(config, config.outputs(), *route).back().layout.end;
  const auto room = static_cast<std::uint32_t>((end + (std::uint64_t{1} << 30) - 1) >> 30);
  ASSERT_GT(room, 1U);
  config.hbm.capacity_gib = room;
  EXPECT_EQ(config.check(), std::nullopt);
  config.hbm.capacity_gib = room - 1;
  EXPECT_EQ(config.check(), "hbm.capacity_gib: expected room for the " + std::to_string(end) +
                                " bytes of operands, output and buffers of a GPU, got " +
                                std::to_string(room - 1) + " GiB");
}

TEST(SystemConfig, RowsOfAnOutputAreWholeBursts) {
  for (const auto& [type, columns, stored] :
       {std::tuple{DataType::Fp16, 1U, 16U}, std::tuple{DataType::Fp16, 16U, 16U},
        std::tuple{DataType::Bf16, 151'937U, 151'952U}, std::tuple{DataType::Fp32, 1U, 8U}}) {
    SystemConfig config;
    config.hbm.capacity_gib = 64;
    config.workload.data_type = type;
    config.workload.columns = config.workload.consumer.columns = columns;
    EXPECT_EQ(config.check(), std::nullopt);
    const auto route = config.makeRoute();
    const auto outputs = planOutputs(config, config.outputs(), *route);
    ASSERT_EQ(outputs.size(), 2U);
    for (const OutputPlan& output : outputs) EXPECT_EQ(output.tiling.columns(), stored);
    SystemConfig padded = config;
    padded.workload.columns = padded.workload.consumer.columns = stored;
    EXPECT_EQ(planOutputs(padded, padded.outputs(), *route).back().layout.end,
              outputs.back().layout.end);
  }
}

TEST(SystemConfig, CommandsCoverAsManyTilesAsTheSlotsNeed) {
  const auto blockLog2 = [](std::uint64_t tiles) {
    TrackerConfig tracker;
    tracker.slots = 16;
    tracker.coverTiles(tiles);
    return tracker.block_log2;
  };
  EXPECT_EQ(blockLog2(16), 0U);
  EXPECT_EQ(blockLog2(17), 1U);
  EXPECT_EQ(blockLog2(32), 1U);
  EXPECT_EQ(blockLog2(std::uint64_t{16} << 12), 12U);
  EXPECT_EQ(blockLog2((std::uint64_t{16} << 12) + 1), 12U) << "no block is larger";
}

TEST(SystemConfig, LimitsOfTheTrackerAreThoseOfModesThatUseIt) {
  SystemConfig config;
  const auto expectAt = [&config](const std::string& text) {
    EXPECT_EQ(config.check(), std::nullopt);
    EXPECT_EQ(config.checkTracked().value_or("").substr(0, text.size()), text);
  };
  config.workload.rows = 256 * config.gpu.gemm.tile_rows;
  config.workload.columns = 256 * config.gpu.gemm.tile_columns;
  config.workload.depth = 32;
  config.hbm.capacity_gib = 1024;
  config.tracker.block_log2 = 5;
  expectAt("");  // 65,536 tiles
  config.workload.rows += 8 * config.gpu.gemm.tile_rows;
  expectAt("workload.rows: expected at most 65536 tiles, the width of the tracker's workgroup id");
  config = SystemConfig();
  config.gpu.gemm.wavefronts = 8;
  expectAt("");
  config.gpu.gemm.wavefronts = 16;
  expectAt("gpu.gemm.wavefronts: expected at most 8");
  config = SystemConfig();
  config.hbm.channels = 3;
  expectAt("");
  config.tracker.slots = 16;
  config.tracker.block_log2 = 0;
  expectAt("tracker.slots: expected one for each block of 2176 tiles, got 16");
  config.coverTiles();
  EXPECT_EQ(config.tracker.block_log2, 8U);
}

TEST(SystemConfig, AMeshHasUpTo64GpusAndDirectSumsWhatASlotCounts) {
  SystemConfig config;
  config.workload.rows = 16384;
  config.workload.columns = 4096;
  using Setup = std::pair<Topology, const CollectiveRoute*>;
  for (const auto& [topology, route] :
       {Setup{Topology::Ring, &kAutoRoute}, Setup{Topology::BidirectionalRing, &kAutoRoute},
        Setup{Topology::Switch, &kRingRoute}, Setup{Topology::Switch, &kAutoRoute},
        Setup{Topology::FullyConnected, &kAutoRoute}}) {
    config.fabric.topology = topology;
    config.fabric.collective = *route;
    config.gpus = 64;
    EXPECT_EQ(config.check(), std::nullopt);
    config.gpus = 128;
    const bool mesh = topology == Topology::FullyConnected;
    EXPECT_EQ(config.check(),
              mesh ? std::optional<std::string>(
                         "gpus: expected at most 64 with a link from each to each other one, got "
                         "128; another fabric.topology takes more")
                   : std::nullopt);
    if (mesh) continue;
    EXPECT_EQ(config.checkTracked(), std::nullopt);
    config.gpus = 256;
    const bool direct = config.makeRoute()->traits().direct;
    EXPECT_EQ(direct, topology == Topology::Switch && route == &kAutoRoute);
    EXPECT_EQ(config.check(), std::nullopt);
    EXPECT_EQ(config.checkTracked(),
              direct ? std::optional<std::string>(
                           "gpu.gemm.tile_rows: expected tiles of at most 16384 bytes, of which a "
                           "slot of the tracker counts 256 updates, got 32768")
                     : std::nullopt);
  }
}

TEST(SystemConfig, NodesHave1024GpusAndAreWhole) {
  SystemConfig config;
  config.workload.rows = 16384;
  config.workload.columns = 4096;
  config.fabric.topology = Topology::TwoLevel;
  for (const std::uint32_t gpus : {8U, 64U, 1024U}) {
    config.gpus = gpus;
    EXPECT_EQ(config.check(), std::nullopt) << gpus;
  }
  config.gpus = 32;
  config.fabric.gpus_per_node = 16;
  EXPECT_EQ(config.check(), std::nullopt);
  for (const std::uint32_t places : {32U, 5U}) {
    config.fabric.gpus_per_node = places;
    EXPECT_EQ(config.check(),
              "fabric.gpus_per_node: expected at least 2 whole nodes of the 32 "
              "GPUs, got nodes of " +
                  std::to_string(places));
  }
}

TEST(FabricConfig, ARouteFindsItsLinks) {
  FabricConfig fabric;
  const auto problem = [&](Topology topology, const CollectiveRoute& route) {
    fabric.topology = topology;
    fabric.collective = route;
    return fabric.check();
  };
  for (const auto topology :
       {Topology::Ring, Topology::BidirectionalRing, Topology::FullyConnected, Topology::Switch}) {
    EXPECT_EQ(problem(topology, kRingRoute), std::nullopt);
    EXPECT_NE(problem(topology, kTwoLevelRoute), std::nullopt);
  }
  EXPECT_EQ(problem(Topology::TwoLevel, kTwoLevelRoute), std::nullopt);
  EXPECT_EQ(problem(Topology::TwoLevel, kAutoRoute), std::nullopt);
  EXPECT_EQ(problem(Topology::Ring, kDirectRoute),
            "collective: expected auto or ring, because on a ring a GPU reaches its neighbours "
            "only");
  EXPECT_EQ(problem(Topology::TwoLevel, kRingRoute),
            "collective: expected auto or two-level, because between nodes a GPU reaches those of "
            "its place only");
  EXPECT_EQ(problem(Topology::Switch, kTwoLevelRoute),
            "collective: expected auto or ring or direct, because there are no nodes");
}

TEST(SystemConfig, LeavesContributionsOutUpToAllGpus) {
  SystemConfig config;
  config.fabric.topology = Topology::FullyConnected;
  for (std::uint32_t k = 0; k <= config.gpus; ++k) {
    config.workload.contributions = k;
    EXPECT_EQ(config.check(), std::nullopt) << k;
    EXPECT_EQ(config.leavesOut(), k != 0 && k != config.gpus) << k;
    EXPECT_EQ(mostUpdatesPerElement(*config.makeRoute()), k == 0 ? config.gpus : k);
  }
  config.workload.contributions = config.gpus + 1;
  EXPECT_EQ(config.check(), "workload.contributions: expected at most gpus = 8, got 9");
  config.fabric.topology = Topology::Switch;
  config.gpus = 64;
  EXPECT_EQ(config.check(), std::nullopt);
  config.gpus = 65;
  EXPECT_THAT(config.check().value_or(""), testing::HasSubstr("a bit for each of 64 GPUs"));
}

TEST(FabricConfig, OnlyRailsHaveTheirOwnBandwidthAndLatency) {
  FabricConfig fabric;
  fabric.topology = Topology::TwoLevel;
  const LinkConfig link;
  EXPECT_EQ(fabric.linkOf(link, 8, 0).bandwidth_gb_s, link.bandwidth_gb_s);
  EXPECT_EQ(fabric.linkOf(link, 8, 0).latency_ns, link.latency_ns);
  EXPECT_EQ(fabric.linkOf(link, 8, 1).bandwidth_gb_s, 25);
  EXPECT_EQ(fabric.linkOf(link, 8, 1).latency_ns, 2000);
  EXPECT_EQ(fabric.linkOf(link, 8, 1).packet_bytes, link.packet_bytes);
  fabric.topology = Topology::BidirectionalRing;
  EXPECT_EQ(fabric.linkOf(link, 8, 1).bandwidth_gb_s, link.bandwidth_gb_s);
}

TEST(SystemConfig, GpusBeyondThe64thHaveTheCommonSettings) {
  SystemConfig config;
  config.gpus = kMostGpus;
  config.overrides.groups[63].launch_delay_us = 2;
  EXPECT_EQ(config.launchTime(63), 2'000'000U);
  EXPECT_EQ(config.launchTime(64), 0U);
  EXPECT_EQ(config.ofGpu(1023).gpu.clock_mhz, config.gpu.clock_mhz);
}

TEST(SystemConfig, OnlyGpusThatThereAreHaveSettings) {
  SystemConfig config;
  config.overrides.groups[8].clock_mhz = 700;
  EXPECT_EQ(config.check(), "gpu8: expected one of the 8 GPUs, gpu0 to gpu7");
}

TEST(SystemConfig, SharesOfKAreWholeBurstsThatAddUpToAllOfIt) {
  SystemConfig config;
  config.gpus = 4;
  config.workload.depth = 1000;  // 250 bursts of 16 elements
  using Depths = std::vector<std::uint32_t>;
  const auto depths = [&](const char* shares) {
    config.workload.shares = shares;
    return config.depths();
  };
  EXPECT_EQ(depths("equal"), Depths(4, 1000));
  EXPECT_EQ(depths("measured"), Depths(4, 1000)) << "numbers take its place before a run";
  EXPECT_EQ(depths("2,2,2,1"), (Depths{72 * 16, 71 * 16, 71 * 16, 36 * 16}));
  EXPECT_EQ(depths("1,1,1,1"), (Depths{63 * 16, 63 * 16, 62 * 16, 62 * 16}));
  config.workload.depth = 1001;  // what is no whole burst goes to the first of the fastest
  EXPECT_EQ(depths("0.5,1,1,0.5"), (Depths{42 * 16, 83 * 16 + 4, 83 * 16, 42 * 16}));
  config.workload.shares = "2,2,2,1";
  EXPECT_EQ(config.ofGpu(3).workload.depth, 36 * 16U);
  EXPECT_FALSE(config.gpusAreEqual());
}

TEST(SystemConfig, SharesThatGiveAGpuNothingAreRefused) {
  SystemConfig config;
  config.gpus = 2;
  config.workload.depth = 320;  // 40 bursts
  const auto problem = [&](const char* shares) {
    config.workload.shares = shares;
    return config.check().value_or("");
  };
  EXPECT_EQ(problem("39,1"), "");
  EXPECT_THAT(problem("79,1"), testing::HasSubstr("workload.shares: expected 16 elements of K"));
  EXPECT_THAT(problem("1,1,1"), testing::HasSubstr("expected 2 numbers, one for each GPU, got 3"));
  for (const char* wrong : {"1,0", "1,-1", "1,x", "1,", "fair", "1,1e7", "1,nan"}) {
    EXPECT_THAT(problem(wrong), testing::HasSubstr("above 0 and up to 1e6")) << wrong;
  }
  config.simulated_gpus = GpuSimulation::Symmetric;
  EXPECT_THAT(problem("2,1"), testing::HasSubstr("simulated_gpus: expected explicit"));
}

TEST(SystemConfig, OneGpuStandsForAllOnlyWhereEachOwnsAsManyTiles) {
  SystemConfig config;
  config.gpus = 4;
  config.simulated_gpus = GpuSimulation::Symmetric;
  const auto problemOf = [&](std::uint32_t tiles) {
    config.workload.rows = tiles * config.gpu.gemm.tile_rows;
    config.workload.columns = config.gpu.gemm.tile_columns;
    return config.check().value_or("");
  };
  for (const std::uint32_t tiles : {4U, 8U}) EXPECT_EQ(problemOf(tiles), "") << tiles;
  for (const std::uint32_t tiles : {1U, 3U, 5U, 6U, 7U}) {
    EXPECT_THAT(problemOf(tiles), testing::HasSubstr("simulated_gpus: expected explicit")) << tiles;
  }
}

}  // namespace
}  // namespace t3::system_config_test
