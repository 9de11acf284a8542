// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/presets.h"

#include <algorithm>
#include <array>

#include "machine_data.h"
#include "testbench/config/config_error.h"
#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

/// A transformer as the T3 evaluation uses it. Hidden sizes and layers are the published ones;
/// tokens (batch x sequence length) are an assumption (docs/configuration.md).
struct Model {
  const char* key;
  const char* name;
  std::uint32_t hidden, layers, tokens;
  std::vector<std::uint32_t> degrees;  ///< tensor-parallel GPUs
  bool evaluated;                      ///< in the paper; this project adds the others
};

/// A GEMM whose output needs an all-reduce under tensor parallelism. The output is always
/// tokens x hidden; of K = factor x hidden each GPU has 1/N.
struct Sublayer {
  const char* key;
  const char* name;
  std::uint32_t depthFactor;
  const char* role;
};

const std::array<Model, 7>& models() {
  static const std::array<Model, 7> table = {{
      {"mega-gpt-2", "Mega-GPT-2", 3072, 74, 16384, {8, 16}, true},
      {"t-nlg", "T-NLG", 4256, 78, 8192, {8, 16}, true},
      {"gpt-3", "GPT-3", 12288, 96, 2048, {32}, true},
      {"palm", "PALM", 18432, 118, 2048, {32}, true},
      {"mt-nlg", "MT-NLG", 20480, 105, 2048, {32}, true},
      // 12 H^2 parameters per layer: 1.0e12 as published for the largest Megatron-LM configuration,
      // and 1.0e13 with the next power of two as hidden size (assumption).
      {"future-1t", "1 T", 25600, 128, 2048, {64}, false},
      {"future-10t", "10 T", 65536, 194, 2048, {64}, false},
  }};
  return table;
}

constexpr std::array<Sublayer, 4> kSublayers = {{
    {"op", "OP", 1, "attention output projection, forward"},
    {"fc2", "FC-2", 4, "second feed-forward layer, forward"},
    {"fc1", "FC-1", 4, "first feed-forward layer, input gradient"},
    {"ip", "IP", 3, "query, key and value projection, input gradient"},
}};

Preset presetOf(const Model& model, const char* key, const char* sublayer, const char* role,
                std::uint32_t gpus) {
  Preset preset;
  preset.name = std::string(model.key) + "-" + key + "-tp" + std::to_string(gpus);
  preset.summary = std::string(model.name) + " " + role;
  preset.key = key;
  preset.role = role;
  preset.hidden = model.hidden;
  preset.layers = model.layers;
  preset.config.gpus = gpus;
  preset.config.workload.model = model.name;
  preset.config.workload.sublayer = sublayer;
  return preset;
}

Preset evaluated(const Model& model, const Sublayer& sublayer, std::uint32_t gpus) {
  Preset preset = presetOf(model, sublayer.key, sublayer.name, sublayer.role, gpus);
  preset.evaluated = model.evaluated;
  // The output's longer dimension is the outer one of its layout, for all models alike. So a chunk
  // is whole rows of tiles, and the operand that its tiles share is read once per chunk; with 2048
  // tokens outermost, MT-NLG FC-2 would read 8 times as much (docs/measurements/l2.md).
  preset.config.workload.rows = std::max(model.tokens, model.hidden);
  preset.config.workload.columns = std::min(model.tokens, model.hidden);
  preset.config.workload.depth = sublayer.depthFactor * model.hidden / gpus;
  preset.config.coverTiles();
  return preset;
}

/// A sublayer, the norm behind it and the GEMM that reads the gathered rows. Of that GEMM's
/// columns, factor x hidden, each GPU has 1/N; its K is the hidden size.
struct Pair {
  const char* key;
  const char* name;
  std::uint32_t depthFactor, columnsFactor;
  const char* role;
};

constexpr std::array<Pair, 2> kPairs = {{
    {"op-fc1", "OP, FC-1", 1, 4,
     "attention output projection, norm and first feed-forward layer, forward"},
    {"fc2-qkv", "FC-2, QKV", 4, 3,
     "second feed-forward layer, norm and query, key and value projection, forward"},
}};

/// Rows of the largest tile with which every GPU owns whole rows of tiles, of 128 or 64 rows; 0 if
/// there is none.
std::uint32_t tileRowsFor(std::uint32_t tokens, std::uint32_t gpus) {
  for (const std::uint32_t rows : {128U, 64U}) {
    if (tokens / rows % gpus == 0) return rows;
  }
  return 0;
}

/// Tokens are the output's outer dimension: a norm and the second GEMM need whole rows of tokens.
Preset pairOf(const Model& model, const Pair& pair, std::uint32_t gpus) {
  Preset preset = presetOf(model, pair.key, pair.name, pair.role, gpus);
  preset.pair = true;
  SystemConfig& config = preset.config;
  config.gpu.gemm.tile_rows = tileRowsFor(model.tokens, gpus);
  WorkloadConfig& work = config.workload;
  work.rows = model.tokens;
  work.columns = model.hidden;
  work.depth = pair.depthFactor * model.hidden / gpus;
  work.between = Between::Norm;
  work.consumer.columns = storedColumns(pair.columnsFactor * model.hidden / gpus, work.data_type);
  config.coverTiles();
  return preset;
}

/// A feed-forward layer that is cut over whole nodes of 8 GPUs. Sizes as published ("The Llama 3
/// Herd of Models", table 3); that many GPUs to a layer, and tokens, are an assumption.
Preset overNodes(std::uint32_t gpus) {
  const Model model{"llama-3-405b", "Llama 3 405B", 16384, 126, 2048, {}, false};
  constexpr std::uint32_t kFeedForward = 53248;
  Preset preset = evaluated(model, kSublayers[1], gpus);
  preset.config.fabric.topology = Topology::TwoLevel;
  preset.config.fabric.gpus_per_node = 8;
  preset.config.workload.depth = kFeedForward / gpus;
  return preset;
}

/// Four GPUs with 16 compute units and small tiles, so that a run with real data takes seconds and
/// still has several stages per chunk.
Preset tiny(std::string name, std::string summary, std::uint32_t rows, std::uint32_t columns,
            std::uint32_t depth) {
  Preset preset;
  preset.name = std::move(name);
  preset.summary = std::move(summary);
  preset.config.gpus = 4;
  preset.config.data = DataMode::Checked;
  preset.config.workload.model = "tiny";
  preset.config.workload.sublayer = "test";
  preset.config.workload.rows = rows;
  preset.config.workload.columns = columns;
  preset.config.workload.depth = depth;
  preset.config.gpu.compute_units = 16;
  preset.config.gpu.gemm.tile_rows = 64;
  preset.config.gpu.gemm.tile_columns = 64;
  return preset;
}

std::vector<Preset> all() {
  std::vector<Preset> list;
  for (const Model& model : models()) {
    for (const std::uint32_t gpus : model.degrees) {
      for (const Sublayer& sublayer : kSublayers) {
        list.push_back(evaluated(model, sublayer, gpus));
      }
      if (tileRowsFor(model.tokens, gpus) == 0) continue;
      for (const Pair& pair : kPairs) list.push_back(pairOf(model, pair, gpus));
    }
  }
  for (const std::uint32_t gpus : {256U, 512U}) list.push_back(overNodes(gpus));
  // 8 x 8 tiles: a chunk is two whole tile rows.
  list.push_back(tiny("tiny-tp4", "small, whole tiles, checked data", 512, 512, 128));
  // 6 x 6 tiles: a chunk is one and a half tile rows; the last tile column is 16 elements wide, and
  // the last tile row has 37 rows: of its 8 wavefronts one is short and three are empty.
  list.push_back(tiny("tiny-edge-tp4", "small, cut tiles and chunks, checked data", 357, 336, 72));
  Preset pair =
      tiny("tiny-pair-tp4", "small, with a norm and a second GEMM, checked data", 512, 512, 128);
  pair.config.workload.between = Between::Norm;
  pair.config.workload.consumer.columns = 384;
  list.push_back(std::move(pair));
  return list;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> list = all();
  return list;
}

std::vector<std::string> presetNames() { return namesOf(presets()); }

const Preset* findPreset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

namespace {

std::vector<KnownMachine> shippedMachines() {
  std::vector<KnownMachine> all;
  for (const EmbeddedFile& file : kMachineFiles) {
    all.push_back(fromJson<KnownMachine>(parseJsonText(file.text(), "data/machines")));
  }
  return all;
}

}  // namespace

const std::vector<KnownMachine>& machines() {
  static const std::vector<KnownMachine> all = shippedMachines();
  return all;
}

std::vector<std::string> machineNames() { return namesOf(machines()); }

const KnownMachine& machineNamed(const std::string& name, const std::string& option) {
  for (const KnownMachine& machine : machines()) {
    if (machine.name == name) return machine;
  }
  const std::vector<std::string> names = machineNames();
  throw ConfigError(option, "",
                    "unknown machine " + inQuotes(name) + nearestNote(name, names) + "; there is " +
                        alternatives(names));
}

}  // namespace t3
