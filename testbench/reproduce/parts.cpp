// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/parts.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "testbench/config/described_json.h"
#include "testbench/config/setting.h"
#include "testbench/presets/presets.h"
#include "tlm/gpu/tiling.h"
#include "tlm/hbm/hbm_standard.h"

namespace t3 {
namespace {

namespace json = boost::json;

using Words = std::vector<std::string>;
using Modes = std::vector<Mode>;

constexpr const char* kBase = "t-nlg-fc2-tp8";          ///< of which settings are varied
constexpr const char* kAllGpus = "all GPUs simulated";  ///< study of the explicit repeats
constexpr const char* kBlocks = "tiles of a slot";
constexpr const char* kBlocksOfOp = "tiles of a slot, OP on 16";
constexpr const char* kCapacityByRow = "L2 (MiB), row by row";
constexpr const char* kUsualCapacity = "16";
constexpr const char* kConsumerAlone = "the second GEMM overlaps, not the first";
constexpr const char* kSymmetric = "simulated_gpus=symmetric";
constexpr const char* kExplicit = "simulated_gpus=explicit";

const Modes kAll = {Mode::Sequential, Mode::cuSplit(8),   Mode::cuSplit(16), Mode::T3,
                    Mode::T3Mca,      Mode::IdealOverlap, Mode::IdealRsNmc};
const Modes kCompared = {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealOverlap};

/// Collects the points of one part.
class PartBuilder {
 public:
  PartBuilder(const char* name, const EvaluationOptions& options)
      : part_{name, {}}, options_(options) {}

  void add(const std::string& preset, const Modes& modes, const Words& settings = {},
           std::string study = "", std::string label = "", const char* gpus = kSymmetric) {
    Point point{part_.name, preset, std::move(study),           std::move(label),
                {},         modes,  findPreset(preset)->config, false};
    if (options_.quick) shrink(point.scenario);
    // The point's own settings come later and win: its study varies them.
    Words all = {gpus};
    all.insert(all.end(), options_.machine.begin(), options_.machine.end());
    all.insert(all.end(), options_.settings.begin(), options_.settings.end());
    const std::size_t common = all.size();
    all.insert(all.end(), settings.begin(), settings.end());
    point.settings = std::move(all);
    json::value usual;
    const Setting root = bindSettings(point.scenario);
    for (std::size_t i = 0; i < point.settings.size(); ++i) {
      if (i == common) usual = toJson(point.scenario);
      applyAssignment(root, point.settings[i], "--set");
    }
    point.usual = point.settings.size() == common || usual == toJson(point.scenario);
    part_.points.push_back(std::move(point));
  }

  EvaluationPart finish() { return std::move(part_); }

 private:
  /// Few GPUs, and a chunk is one row of 16 tiles.
  static void shrink(SystemConfig& scenario) {
    constexpr std::uint32_t kMostGpus = 8, kTile = 128, kDepth = 8;
    scenario.gpus = std::min(scenario.gpus, kMostGpus);
    scenario.workload.rows = kTile * scenario.gpus;
    scenario.workload.columns = 16 * kTile;
    scenario.workload.depth = (scenario.workload.depth + kDepth - 1) / kDepth;
    if (scenario.workload.consumer.any()) {
      scenario.gpu.gemm.tile_rows = kTile;
      scenario.workload.consumer.columns = 4 * kTile;
    }
  }

  EvaluationPart part_;
  const EvaluationOptions& options_;
};

std::vector<const Preset*> presetsThat(bool (*are)(const Preset&)) {
  std::vector<const Preset*> list;
  for (const Preset& preset : presets()) {
    if (are(preset)) list.push_back(&preset);
  }
  return list;
}
/// The sublayers of the paper's evaluation, in the order of its table.
std::vector<const Preset*> evaluatedPresets() {
  return presetsThat([](const Preset& preset) { return preset.evaluated; });
}
/// Pairs of GEMMs of real models.
std::vector<const Preset*> evaluatedPairs() {
  return presetsThat([](const Preset& preset) { return preset.pair && preset.hidden != 0; });
}

/// The setting for blocks of 2^log2 tiles. Slots that are left over cost no time, so large blocks
/// show what a tracker with fewer slots would cost.
std::string blockSetting(std::uint32_t log2) {
  return "tracker.block_log2=" + std::to_string(log2);
}
std::string blockLabel(std::uint32_t log2) { return std::to_string(1U << log2); }

EvaluationPart sublayers(const EvaluationOptions& options) {
  PartBuilder part("sublayers", options);
  for (const Preset* preset : evaluatedPresets()) part.add(preset->name, kAll);
  for (const char* preset : {"t-nlg-op-tp8", "t-nlg-op-tp16", "gpt-3-op-tp32"}) {
    part.add(preset, {Mode::Sequential, Mode::T3Mca}, {}, kAllGpus, preset, kExplicit);
  }
  return part.finish();
}

EvaluationPart dataMovement(const EvaluationOptions& options) {
  PartBuilder part("data-movement", options);
  for (const Preset* preset : evaluatedPresets()) {
    part.add(preset->name, {Mode::Sequential, Mode::T3Mca});
  }
  return part.finish();
}

EvaluationPart onTheDefaultMachine(EvaluationOptions options) {
  options.machine.clear();
  PartBuilder part(kDefaultMachinePart, options);
  for (const Preset* preset : evaluatedPresets()) part.add(preset->name, kCompared);
  return part.finish();
}

/// What does the memory do when, and where do bursts hurt?
EvaluationPart traffic(const EvaluationOptions& options) {
  PartBuilder part("traffic", options);
  part.add(kBase, {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealRsNmc},
           {"hbm.statistics_window_ns=5000"});
  return part.finish();
}

/// What decides how much t3 loses without MCA: the walk of the paper beside the default one.
EvaluationPart contention(const EvaluationOptions& options) {
  PartBuilder part("contention", options);
  const auto vary = [&](const char* study, const char* label, Words settings, bool byRow = true) {
    if (byRow) settings.emplace_back("gpu.gemm.workgroup_order=row-major");
    settings.emplace_back("hbm.statistics_window_ns=5000");
    part.add(kBase, {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealRsNmc}, settings, study,
             label);
  };
  for (const bool byRow : {true, false}) {
    const char* study = byRow ? kCapacityByRow : "L2 (MiB), bands of 8 rows";
    for (const char* size : {"4", "8", kUsualCapacity, "32"}) {
      vary(study, size, {"gpu.l2.capacity_bytes=" + std::string(size) + "MiB"}, byRow);
    }
  }
  for (const char* bursts : {"8", "32", "256"}) {
    vary("batch of the controller (bursts), row by row", bursts,
         {std::string("hbm.batch_bursts=") + bursts, "hbm.batch_least_bursts=8"});
  }
  for (const char* size : {"16", "128", "512"}) {
    vary("DMA bytes under way (KiB), row by row", size,
         {"gpu.dma.outstanding_bytes=" + std::string(size) + "KiB"});
  }
  return part.finish();
}

EvaluationPart endToEnd(const EvaluationOptions& options) {
  PartBuilder part("end-to-end", options);
  for (const Preset* preset : evaluatedPresets()) {
    part.add(preset->name, {Mode::Sequential, Mode::T3, Mode::T3Mca});
  }
  return part.finish();
}

/// All settings of HBM3 as one value: one setting of the point.
std::string hbm3() { return "hbm=" + json::serialize(toJson(kHbm3.config)); }

EvaluationPart future(const EvaluationOptions& options) {
  PartBuilder part("future", options);
  for (const char* size : {"1t", "10t"}) {
    for (const char* sublayer : {"op", "fc2", "fc1", "ip"}) {
      part.add("future-" + std::string(size) + "-" + sublayer + "-tp64", kCompared, {},
               size == std::string("1t") ? "1 T parameters, TP 64" : "10 T parameters, TP 64",
               sublayer);
    }
  }
  for (const char* preset : {"t-nlg-op-tp8", "t-nlg-fc2-tp8", "t-nlg-op-tp16", "t-nlg-fc2-tp16"}) {
    const std::string name = preset;
    part.add(name, kCompared, {}, name, "as is");
    part.add(name, kCompared, {"gpu.compute_units=160"}, name, "2 x compute");
    part.add(name, kCompared, {"link.bandwidth_gb_s=37.5"}, name, "link x 1/2");
    part.add(name, kCompared, {"link.bandwidth_gb_s=150"}, name, "link x 2");
    part.add(name, kCompared, {"link.bandwidth_gb_s=300"}, name, "link x 4");
    part.add(name, kCompared, {hbm3()}, name, "HBM3");
  }
  return part.finish();
}

EvaluationPart sensitivity(const EvaluationOptions& options) {
  PartBuilder part("sensitivity", options);
  const auto vary = [&](const char* study, const std::string& label, const Words& settings,
                        const char* preset = kBase) {
    part.add(preset, kCompared, settings, study, label);
  };
  // A chunk of the one has 272 tiles and one of the other 136: they are whole blocks.
  const auto varyBlocks = [&](const char* study, const char* preset, std::uint32_t most) {
    for (std::uint32_t log2 = 0; log2 <= most; ++log2) {
      vary(study, blockLabel(log2), {blockSetting(log2)}, preset);
    }
  };
  varyBlocks(kBlocks, kBase, 4);
  varyBlocks(kBlocksOfOp, "t-nlg-op-tp16", 3);
  for (const char* updates : {"4", "16", "64", "256", "1024"}) {
    vary("updates queued at a lane", updates,
         {std::string("tracker.lane_queue_updates=") + updates});
  }
  for (const char* bursts : {"5", "10", "30", "0"}) {
    Words settings;
    for (const char* level : {"high", "medium", "low", "idle", "default"}) {
      settings.push_back(std::string("hbm.mca.threshold_") + level + "_bursts=" + bursts);
    }
    vary("MCA threshold (bursts)", bursts == std::string("0") ? "none" : bursts, settings);
  }
  for (const char* limit : {"100", "500", "2000", "10000"}) {
    vary("MCA starvation limit (ns)", limit, {std::string("hbm.starvation_limit_ns=") + limit});
  }
  for (const char* factor : {"1", "2", "4"}) {
    vary("update cost (x tCCDL)", factor, {std::string("hbm.update_ccd_l_factor=") + factor});
  }
  vary("near-memory ALUs", "with", {});
  vary("near-memory ALUs", "without", {"hbm.near_memory=false"});
  vary("initial value", "in memory", {});
  vary("initial value", "zeros over the bus", {"hbm.initial_value=zero-over-bus"});
  for (const char* channels : {"32", "16", "8"}) {
    vary("memory channels", channels, {std::string("hbm.channels=") + channels});
  }
  // Smaller tiles would need more slots than the unit has, so a command covers several.
  // Larger tiles need more bytes in flight, so that two of their load stages fit.
  vary("tile", "64 x 128", {"gpu.gemm.tile_rows=64", "tracker.block_log2=1"});
  vary("tile", "128 x 128", {});
  vary("tile", "256 x 128",
       {"gpu.gemm.tile_rows=256", "gpu.gemm.outstanding_load_bytes_per_cu=98304"});
  vary("link, each way (GB/s)", "75", {});
  vary("link, each way (GB/s)", "150", {"link.bandwidth_gb_s=150"});
  for (const char* share : {"0.6", "0.85", "0.95", "1"}) {
    vary("issue efficiency", share, {std::string("gpu.gemm.issue_efficiency=") + share});
  }
  vary("GEMM's look-ahead", "none", {"gpu.gemm.load_stages=1"});
  vary("GEMM's look-ahead", "half a step", {"gpu.gemm.k_step=32"});
  vary("GEMM's look-ahead", "a step", {});
  vary("GEMM's look-ahead", "two steps",
       {"gpu.gemm.load_stages=3", "gpu.gemm.outstanding_load_bytes_per_cu=98304"});
  vary("workgroup order", "bands of 8", {});
  vary("workgroup order", "tuned", {"gpu.gemm.swizzle_rows=0"});
  vary("workgroup order", "serpentine", {"gpu.gemm.serpentine=true"});
  return part.finish();
}

/// Beyond the paper: the sublayers again, and what hiding the all-gather as well depends on.
EvaluationPart allGather(const EvaluationOptions& options) {
  const Modes modes = {Mode::Sequential, Mode::T3Mca, Mode::T3Ag, Mode::IdealRsNmc, Mode::IdealAg};
  PartBuilder part(kAllGatherPart, options);
  for (const Preset* preset : evaluatedPresets()) part.add(preset->name, modes);
  part.add(kBase, {Mode::Sequential, Mode::T3Mca, Mode::T3Ag}, {}, kAllGpus, kBase, kExplicit);
  const auto vary = [&](const char* study, const std::string& label, std::string setting) {
    part.add(kBase, modes, {std::move(setting)}, study, label);
  };
  // Not in t3-mca, which would produce in slabs, too, with nothing gained.
  for (const char* rows : {"1", "2", "4", "8"}) {
    Modes ag = {Mode::Sequential, Mode::T3Ag, Mode::IdealAg};
    part.add(kBase, ag, {std::string("gpu.gemm.slab_rows=") + rows}, "rows of a slab", rows);
  }
  for (const std::uint32_t log2 : {0U, 1U, 2U, 3U, 4U}) {
    vary(kBlocks, blockLabel(log2), blockSetting(log2));
  }
  for (const char* bandwidth : {"37.5", "75", "150", "300"}) {
    vary("link, each way (GB/s)", bandwidth, std::string("link.bandwidth_gb_s=") + bandwidth);
  }
  for (const char* channels : {"32", "16", "8"}) {
    vary("memory channels", channels, std::string("hbm.channels=") + channels);
  }
  for (const char* channels : {"2", "4", "8", "16"}) {
    vary("DMA channels of the all-gather", channels,
         std::string("gpu.dma.gather_channels=") + channels);
  }
  return part.finish();
}

/// Beyond the paper: the GEMM that reads the gathered rows, behind a norm. It overlaps with the
/// all-gather alone where the first GEMM goes chunk by chunk, so that nothing is gathered beside
/// it.
EvaluationPart pairs(const EvaluationOptions& options) {
  PartBuilder part(kPairsPart, options);
  for (const Preset* preset : evaluatedPairs()) {
    part.add(preset->name, {Mode::Sequential, kSplitGather, Mode::T3Mca, Mode::T3Ag,
                            Mode::IdealRsNmc, Mode::IdealAg});
  }
  for (const Preset* preset : evaluatedPairs()) {
    const std::uint32_t rows = preset->config.workload.rows / preset->config.gpu.gemm.tile_rows;
    part.add(preset->name, {Mode::Sequential, Mode::T3Ag},
             {"gpu.gemm.slab_rows=" + std::to_string(rows)}, kConsumerAlone, preset->name);
  }
  return part.finish();
}

/// Beyond the paper: a switch that adds updates on their way and copies what is gathered.
EvaluationPart switches(const EvaluationOptions& options) {
  const Words plain = {"fabric.topology=switch"};
  const Words adds = {"fabric.topology=switch", "switch.merge=model"};
  // The same payload in a second, in packets of 128 bytes with 32 more: docs/switch.md.
  Words packets = {"link.bandwidth_gb_s=93.75", "link.header_bytes=32", "link.packet_bytes=128"};
  packets.insert(packets.begin(), adds.begin(), adds.end());
  PartBuilder part(kSwitchPart, options);
  for (const Preset* preset : evaluatedPresets()) {
    part.add(preset->name, {Mode::Sequential, Mode::T3Ag}, {}, kOnRing, preset->name);
    part.add(preset->name, {Mode::Sequential, Mode::T3Ag}, plain, kOnSwitch, preset->name);
    part.add(preset->name, {Mode::Nvls, Mode::T3Ag}, adds, kOnMergingSwitch, preset->name);
    part.add(preset->name, {Mode::Nvls, Mode::T3Ag}, packets, kOnPackets, preset->name);
  }
  for (const Preset* preset : evaluatedPairs()) {
    part.add(preset->name, {Mode::Sequential, Mode::T3Ag}, plain, kOnSwitch, preset->name);
    part.add(preset->name, {Mode::Nvls, Mode::T3Ag}, adds, kOnMergingSwitch, preset->name);
  }
  // All GPUs: tables matter where GPUs are apart.
  const auto vary = [&](const char* study, const std::string& label, Words settings) {
    settings.insert(settings.begin(), adds.begin(), adds.end());
    part.add("t-nlg-op-tp8", {Mode::T3Ag}, settings, study, label, kExplicit);
  };
  for (const char* entries : {"1", "16", "64", "256", "512", "2048"}) {
    vary("sums of a port", entries, {std::string("switch.merge_entries=") + entries});
  }
  for (const char* late : {"0", "1", "3", "10", "30"}) {
    vary("one GPU is late by (us)", late, {std::string("gpu0.launch_delay_us=") + late});
    vary("one GPU is late by (us), 2048 sums", late,
         {std::string("gpu0.launch_delay_us=") + late, "switch.merge_entries=2048"});
  }
  for (const char* age : {"1", "5", "20"}) {
    vary("age (us)", age, {std::string("switch.merge_age_us=") + age});
  }
  for (const char* places : {"1", "8", "32", "256"}) {
    vary("places behind the unit, 2048 sums", places,
         {std::string("switch.merge_credits=") + places, "switch.merge_entries=2048"});
  }
  return part.finish();
}

/// Beyond the paper: whole layers, as schedules of today's software overlap them, on two machines.
/// What a tracker adds to each of them, and what a switch that adds.
EvaluationPart models(const EvaluationOptions& options) {
  struct ModelMachine {
    const char* name;
    Words settings;        ///< what it has otherwise than the preset
    Words ring, multimem;  ///< and where kernels reduce in a ring, or a switch adds
  };
  ModelMachine machines[] = {
      {"H100",
       {},
       {"workload.collective=nccl", "gpu.collective.compute_units=24"},
       {"switch.merge=model", "gpu.collective.compute_units=8"}},
      {"the paper's machine", {}, {}, {"fabric.topology=switch", "switch.merge=model"}}};
  for (const MachineSetting& setting : machineNamed("h100-x8", "").settings) {
    machines[0].settings.push_back(setting.assignment);
  }
  const std::string model = options.quick ? "llama-3-8b" : "llama-3-70b";
  const std::vector<std::uint32_t> tokens =
      options.quick ? std::vector{64U} : std::vector{256U, 1024U, 4096U};
  PartBuilder part(kModelsPart, options);
  for (const ModelMachine& machine : machines) {
    for (const std::string schedule : {"none", "dense", "ladder", "halves"}) {
      const std::string study = std::string(machine.name) + ", " + schedule;
      for (const std::uint32_t number : tokens) {
        const std::string label = std::to_string(number);
        const auto vary = [&](const std::string& name, const Modes& modes, const Words& own) {
          Words all = machine.settings;
          all.insert(all.end(), own.begin(), own.end());
          for (const char* setting : {"workload.sublayer=layers", "workload.data_type=bf16"}) {
            all.emplace_back(setting);
          }
          all.push_back("workload.model=" + model);
          if (options.quick) all.emplace_back("trace.layers=1");
          all.push_back("workload.graph=" + model + "/" + schedule + "/" + label);
          part.add(kBase, modes, all, name, label);
        };
        if (schedule == std::string("none")) {
          vary(study, {Mode::Sequential}, {});
          continue;
        }
        vary(study, {Mode::Sequential, Mode::T3, Mode::T3Ag}, machine.ring);
        vary(study + kSwitchAdds, {Mode::Nvls, Mode::T3Ag}, machine.multimem);
        vary(study + kRoomForStores, {Mode::T3Ag}, {"link.input_buffer_bytes=1MiB"});
      }
    }
  }
  return part.finish();
}

}  // namespace

std::vector<EvaluationPart> evaluationParts(const EvaluationOptions& options) {
  std::vector<EvaluationPart> parts = {
      sublayers(options), dataMovement(options), traffic(options),     contention(options),
      endToEnd(options),  future(options),       sensitivity(options), allGather(options),
      pairs(options),     switches(options),     models(options)};
  if (!options.machine.empty()) {
    parts.insert(parts.begin() + 2, onTheDefaultMachine(options));
  }
  return parts;
}

bool isConsumerAlone(const Point& point) { return point.study == kConsumerAlone; }

bool isExplicitRepeat(const Point& point) { return point.study == kAllGpus; }

bool showsTraffic(const Point& point) {
  return point.part == "traffic" ||
         (point.study == kCapacityByRow && point.label == kUsualCapacity);
}

Selection pointsOf(const std::vector<PointResult>& points, const std::string& part) {
  Selection selection;
  for (const PointResult& result : points) {
    if (result.point.part == part && !isExplicitRepeat(result.point)) selection.push_back(&result);
  }
  return selection;
}

}  // namespace t3
