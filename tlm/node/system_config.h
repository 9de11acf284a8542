// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/collectives/algorithm_config.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/tiling.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/interconnect/link_config.h"
#include "tlm/node/fabric_config.h"
#include "tlm/node/output_plan.h"
#include "tlm/node/trace_config.h"
#include "tlm/node/workload_config.h"
#include "tlm/switch/switch_config.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

class AlgorithmMeaning;
struct FileGraphs;

/// All GPUs, or one whose own traffic is looped back as the others'.
enum class GpuSimulation : std::uint8_t { Explicit, Symmetric };
BOOST_DESCRIBE_ENUM(GpuSimulation, Explicit, Symmetric)

/// What may differ between the links of GPUs, see LinkConfig.
struct LinkOverride {
  std::optional<double> bandwidth_gb_s, latency_ns;
  std::optional<std::uint32_t> lose_write;

  static constexpr auto settings() {
    using C = LinkOverride;
    return std::tuple{
        settingInstead(&C::bandwidth_gb_s, &LinkConfig::bandwidth_gb_s,
                       "instead of link.bandwidth_gb_s"),
        settingInstead(&C::latency_ns, &LinkConfig::latency_ns, "instead of link.latency_ns"),
        settingInstead(&C::lose_write, &LinkConfig::lose_write, "instead of link.lose_write")};
  }
  bool operator==(const LinkOverride&) const = default;
};

/// What may differ between GPUs: these values replace those of `gpu` and `link` in one GPU and in
/// the links that it sends on. All else shapes the work that the GPUs share.
struct GpuOverride {
  static constexpr const char* kKey = "gpu";

  std::optional<double> clock_mhz;
  std::optional<std::uint32_t> compute_units;
  std::optional<double> launch_delay_us;
  LinkOverride link;

  static constexpr auto settings() {
    using C = GpuOverride;
    return std::tuple{
        settingInstead(&C::clock_mhz, &GpuConfig::clock_mhz, "instead of gpu.clock_mhz"),
        settingInstead(&C::compute_units, &GpuConfig::compute_units,
                       "instead of gpu.compute_units"),
        T3_SETTING(launch_delay_us, "us", 0, 1e6, "its first kernel starts that much after time 0"),
        T3_SETTING_GROUP(link)};
  }
  bool operator==(const GpuOverride&) const = default;
};

/// With a link from each to each other one: links grow with the square, and no machine of this kind
/// is larger.
inline constexpr std::uint32_t kMostMeshGpus = 64;
/// The first so many may have settings of their own.
inline constexpr std::uint32_t kMostOverrides = 64;

/// Everything a simulation depends on; the "scenario" of a report.
struct SystemConfig {
  std::uint32_t gpus = 8;
  GpuSimulation simulated_gpus = GpuSimulation::Explicit;
  std::uint64_t seed = 1;
  std::uint64_t order_seed = 0;
  DataMode data = DataMode::Elided;
  double watchdog_us = -1;
  WorkloadConfig workload;
  GpuConfig gpu;
  HbmConfig hbm;
  FabricConfig fabric;
  LinkConfig link;
  SwitchConfig switched;
  TrackerConfig tracker;
  AlgorithmConfig collective;
  TraceConfig trace;
  NumberedGroups<GpuOverride, kMostOverrides> overrides;
  /// What the file `workload.collective` says. No setting: who reads the file sets it.
  std::shared_ptr<const AlgorithmMeaning> algorithm;
  /// What the file `workload.graph` says, as above.
  std::shared_ptr<const FileGraphs> graph;

  /// The settings of its own that a GPU has.
  const GpuOverride& overrideOf(std::uint32_t index) const;
  /// Absolute time at which the first kernel of a GPU starts, and of the last one to start.
  Picoseconds launchTime(std::uint32_t index) const {
    return picosecondsFromNs(overrideOf(index).launch_delay_us.value_or(0) * 1e3);
  }
  Picoseconds lastLaunch() const;

  /// K of each GPU.
  std::vector<std::uint32_t> depths() const { return workload.depths(gpus); }

  /// The same with what is set for one GPU in place, its own K too.
  SystemConfig ofGpu(std::uint32_t index) const;
  /// Of link `number` of a GPU: what is set for that GPU, as the fabric makes it.
  LinkConfig linkOf(std::uint32_t index, std::uint32_t number) const;
  /// The least time in which anything, a flag too, gets from a GPU to another place over one of so
  /// many links of each.
  Picoseconds lookahead(std::uint32_t linksPerGpu) const;
  std::uint32_t simulatedGpus() const {
    return simulated_gpus == GpuSimulation::Symmetric ? 1 : gpus;
  }
  /// The switch adds updates of one address, and copies stores into all GPUs.
  bool merges() const { return fabric.switched() && switched.merge != SwitchMerge::Off; }
  /// The kernels of mode `sequential` reduce as NVIDIA's library does.
  bool usesLibrary() const { return workload.collective == WorkloadConfig::kNccl; }
  /// Sums take the first contributions that come, and not all.
  bool leavesOut() const { return workload.contributions % gpus != 0; }
  /// No GPU has settings of its own, nor a K of its own.
  bool gpusAreEqual() const;
  /// The route that the collectives take.
  std::unique_ptr<const Route> makeRoute() const;
  /// The outputs of a sublayer: of the GEMM, and of the consumer if there is one.
  std::vector<OutputShape> outputs() const;
  /// How the first of them is cut up for a route.
  Tiling makeTiling(const Route& route) const;
  /// Where the tracker has fewer slots than the output has blocks of tiles, a DMA command covers
  /// twice as many, and so on.
  void coverTiles();
  /// The smallest output that its collectives can cut up: a tile row of one block to a chunk.
  void setSmallestOutput();
  /// Buffers begin at multiples of this: they share no row of the memory.
  std::uint64_t bufferAlignment() const;

  static constexpr auto settings() {
    using C = SystemConfig;
    return std::tuple{
        T3_SETTING(gpus, "", 2, kMostGpus,
                   "GPUs: the tensor-parallel degree N; above 64 not fully-connected"),
        T3_SETTING(
            simulated_gpus, "", 0, 0,
            "explicit simulates all GPUs; symmetric simulates one and loops its own traffic back "
            "as the others', for elided data and chunks that are all alike (docs/fabric.md)"),
        T3_SETTING(seed, "", 0, 9007199254740991.0,
                   "of the operand values; only checked data depends on it"),
        T3_SETTING(order_seed, "", 0, 9007199254740991.0,
                   "of the order in which GPUs act at equal times, drawn anew at each time; 0: by "
                   "number. No result depends on it, which a test shows by setting it"),
        T3_SETTING(data, "", 0, 0,
                   "elided moves sizes only; checked moves real values and compares every GPU's "
                   "result with a reference sum; both take the same simulated time"),
        T3_SETTING(
            watchdog_us, "us", -1, 1e9,
            "simulated time without any progress after which a run ends with a report and exit 1; "
            "-1: 1000 more than all latencies of the scenario together"),
        T3_SETTING_GROUP(workload),
        T3_SETTING_GROUP(gpu),
        T3_SETTING_GROUP(hbm),
        T3_SETTING_GROUP(fabric),
        T3_SETTING_GROUP(link),
        settingGroup(&C::switched, "switch"),
        T3_SETTING_GROUP(tracker),
        T3_SETTING_GROUP(collective),
        T3_SETTING_GROUP(trace),
        T3_SETTING_GROUP(overrides)};
  }
  /// Rules that span modules, e.g. that a node has whole GPUs and a memory all buffers.
  std::optional<std::string> check() const;
  /// Rules of codecs.
  std::optional<std::string> checkCodecs() const;
  /// Why not every write of a collective has whole blocks of a codec only.
  std::optional<std::string> checkBlocks() const;
  /// Rules of `workload.contributions`, on that route.
  std::optional<std::string> checkContributions(const Route& route) const;
  /// Rules of the tracker: of modes in which it counts the output. `check` has found nothing.
  std::optional<std::string> checkTracked() const;
  /// Whether the links have what the built-in collectives of a sublayer need.
  std::optional<std::string> checkBuiltIn() const;
};

}  // namespace t3
