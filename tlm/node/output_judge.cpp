// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/judge.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/gpu/tiling.h"
#include "tlm/node/bounds.h"
#include "tlm/node/coded_reference.h"
#include "tlm/node/reference.h"

namespace t3 {
namespace {

/// 1 and -1 in both formats of 16 bits.
std::uint16_t one(DataType type, bool negative) {
  const std::uint16_t bits = type == DataType::Fp16 ? 0x3c00 : 0x3f80;
  return negative ? bits | 0x8000U : bits;
}

/// In which trackers count.
std::vector<OutputBuffer> buffersOf(const OutputPlan& output) {
  std::vector<OutputBuffer> list = {OutputBuffer::Output, OutputBuffer::Accumulation};
  if (output.layout.normed != 0) list.push_back(OutputBuffer::Normed);
  return list;
}

}  // namespace

CheckedData::Round& CheckedData::round(std::uint32_t number) {
  const auto found = rounds_.find(number);
  if (found != rounds_.end()) return found->second;
  std::uint32_t oldest = number;
  for (const std::uint32_t g : machine_.own()) oldest = std::min(oldest, roundOf(g));
  rounds_.erase(rounds_.begin(), rounds_.lower_bound(oldest));
  Round& made = rounds_[number];
  for (std::uint32_t o = 0; o < machine_.outputs().size(); ++o) {
    made.push_back(operandsOf(o, number));
  }
  return made;
}

CheckedData::Values CheckedData::operandsOf(std::uint32_t number, std::uint32_t round) const {
  constexpr std::uint64_t kApart = 1'000'003;  // rounds of different outputs
  const SystemConfig& config = machine_.config();
  const OutputPlan& output = machine_.outputs()[number];
  const DataType type = config.workload.data_type;
  const std::uint32_t rows = output.tiling.rows(), columns = output.tiling.columns();
  Values values;
  if (!output.a) {
    const std::uint64_t seed = config.seed + round + number * kApart;
    for (std::uint32_t g = 0; g < machine_.config().simulatedGpus(); ++g) {
      const bool fixedOrder = machine_.route().traits().sumsInFixedOrder;
      const bool coded = codecOf(number, false).on();
      values.operands.push_back(
          coded && !fixedOrder
              ? wideOperands(seed, GpuId{g}, rows, columns, output.depths[g], type, config.gpus)
              : randomOperands(seed, GpuId{g}, rows, columns, output.depths[g], type,
                               fixedOrder ? 0 : config.gpus));
    }
  } else if (output.chunked()) {
    for (std::uint32_t g = 0; g < machine_.config().simulatedGpus(); ++g) {
      values.operands.push_back({{}, chainedWeights(number, g, config.seed + round)});
    }
  } else {
    const Operands weights = randomOperands(config.seed + round, GpuId{machine_.config().gpus}, 0,
                                            columns, output.mostDepth(), type);
    values.operands.assign(machine_.config().simulatedGpus(), weights);
  }
  if (output.layout.normed != 0) {
    values.residual = randomOperands(config.seed + round, GpuId{machine_.config().gpus + 1}, rows,
                                     0, columns, type)
                          .a;
  }
  return values;
}

CheckedData::Matrix CheckedData::chainedWeights(std::uint32_t number, std::uint32_t gpu,
                                                std::uint64_t seed) const {
  const OutputPlan& output = machine_.outputs()[number];
  const std::uint32_t depth = output.depths[gpu];
  Matrix weights(std::size_t{output.tiling.columns()} * depth);
  std::mt19937_64 random(seed + number);  // the same on all GPUs
  for (std::uint32_t column = 0; column < output.tiling.columns(); ++column) {
    const std::uint64_t drawn = random();
    if ((drawn >> 32) % machine_.config().gpus != gpu) continue;
    weights[std::size_t{column} * depth + (drawn & 0xffff'fffeU) / 2 % depth] =
        one(machine_.config().workload.data_type, (drawn & 1) != 0);
  }
  return weights;
}

void CheckedData::writeOperands(std::uint32_t gpu) {
  if (elided()) return;
  const DebugAccess memory = memoryOf(machine_.node(gpu));
  const Round& data = round(roundOf(gpu));
  for (std::uint32_t o = 0; o < data.size(); ++o) {
    const OutputPlan& output = machine_.outputs()[o];
    const Operands& operands = data[o].operands[gpu];
    if (output.given) {
      storeMatrix(memory, output.layout.output,
                  productReference(operands.a, operands.b, output.depths[gpu],
                                   machine_.config().workload.data_type));
    } else {
      storeOperands(memory, output.layout, operands, output.depths[gpu]);
    }
    if (!data[o].residual.empty()) storeMatrix(memory, output.layout.residual, data[o].residual);
  }
}

CheckedData::Holds CheckedData::holds(std::uint32_t output) const {
  const Graph& graph = machine_.graph();
  if (machine_.outputs()[output].given && !machine_.outputs()[output].chunked()) return Holds::All;
  Holds most = Holds::Nothing;
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    if (const auto* gemm = graph.nodes[n].as<GemmWork>();
        gemm != nullptr && gemm->output == output && !machine_.outputs()[output].chunked()) {
      return gemm->reads && !readsWhenThere(n) ? Holds::Nothing : Holds::All;
    }
    const auto* work = graph.nodes[n].as<CollectiveWork>();
    if (work == nullptr || work->output != output) continue;
    if (!work->collective->reduceScatters()) return Holds::All;
    most = Holds::OwnChunks;
  }
  return most;
}

bool CheckedData::readsWhenThere(NodeId gemm) const {
  const Graph& graph = machine_.graph();
  return !graph.isRoot(gemm) || graph.source(Gate::Rows, gemm) || graph.nodes[gemm].part > 0;
}

void CheckedData::compare(std::uint32_t gpu) {
  verification_.data = machine_.config().data;
  if (elided()) return;
  Round& data = round(roundOf(gpu));
  for (std::uint32_t o = 0; o < data.size(); ++o) {
    const Holds what = holds(o);
    if (what == Holds::Nothing) continue;
    const OutputPlan& output = machine_.outputs()[o];
    const std::vector<Matrix>& result = resultOf(data, o);
    std::vector<TileRange> tiles;
    for (std::uint32_t c = 0; c < output.tiling.chunks(); ++c) {
      const bool own = what == Holds::All || machine_.route().owner(ChunkId{c}) == GpuId{gpu};
      if (own) tiles.push_back(output.tiling.chunk(ChunkId{c}));
    }
    compareOutput(memoryOf(machine_.node(gpu)), output.layout.gathered(), output.tiling,
                  result[result.size() == 1 ? 0 : gpu], tiles, verification_);
  }
}

const std::vector<CheckedData::Matrix>& CheckedData::resultOf(Round& data, std::uint32_t number) {
  Values& values = data[number];
  if (!values.result.empty()) return values.result;
  const OutputPlan& output = machine_.outputs()[number];
  const DataType type = machine_.config().workload.data_type;
  const std::vector<Matrix>* read = output.a ? &resultOf(data, *output.a) : nullptr;
  const auto a = [&](std::uint32_t gpu) -> const Matrix& {
    return read == nullptr ? values.operands[gpu].a : (*read)[read->size() == 1 ? 0 : gpu];
  };
  if (output.chunked() && gathersOnly(number)) {
    values.result = {ownChunks(values.operands, output)};
    codeGathered(values, number);
    return values.result;
  }
  if (output.chunked()) {
    std::vector<Operands> operands = values.operands;
    for (std::uint32_t g = 0; read != nullptr && g < operands.size(); ++g) operands[g].a = a(g);
    values.result = {codecOf(number, false).on() || codecOf(number, true).on()
                         ? codedSumOf(operands, number)
                         : sumOf(operands, number)};
    if (!values.residual.empty()) {
      values.result.front() =
          normReference(values.result.front(), values.residual, output.tiling.columns(), type);
    }
    codeGathered(values, number);
    return values.result;
  }
  const std::size_t different = read != nullptr && read->size() == 1 ? 1 : values.operands.size();
  for (std::uint32_t g = 0; g < different; ++g) {
    values.result.push_back(productReference(a(g), values.operands[g].b, output.depths[g], type));
  }
  return values.result;
}

/// Of a given output, whose parts are not summed.
bool CheckedData::gathersOnly(std::uint32_t output) const {
  return machine_.outputs()[output].given &&
         std::ranges::none_of(machine_.graph().nodes, [&](const GraphNode& node) {
           const auto* work = node.as<CollectiveWork>();
           return work != nullptr && work->output == output && !work->collective->gathers();
         });
}

/// Of each chunk what its owner has.
CheckedData::Matrix CheckedData::ownChunks(const std::vector<Operands>& operands,
                                           const OutputPlan& output) const {
  Matrix all(std::size_t{output.tiling.rows()} * output.tiling.columns());
  for (std::uint32_t g = 0; g < machine_.config().simulatedGpus(); ++g) {
    const Matrix part = productReference(operands[g].a, operands[g].b, output.depths[g],
                                         machine_.config().workload.data_type);
    for (std::uint32_t c = 0; c < output.tiling.chunks(); ++c) {
      if (machine_.route().owner(ChunkId{c}) != GpuId{g}) continue;
      for (const Segment& segment : segmentsOf(output.tiling, output.tiling.chunk(ChunkId{c}))) {
        const auto first = static_cast<std::ptrdiff_t>(segment.offset / sizeof part.front());
        std::copy_n(part.begin() + first, segment.bytes / sizeof part.front(), all.begin() + first);
      }
    }
  }
  return all;
}

CheckedData::Matrix CheckedData::sumOf(const std::vector<Operands>& operands,
                                       std::uint32_t number) {
  const OutputPlan& output = machine_.outputs()[number];
  const WorkloadConfig& work = machine_.config().workload;
  Matrix sums = ringReference(operands, output.tiling, work.data_type);
  if (!machine_.node(machine_.own().front()).hbm.statistics().dropped) return sums;
  const auto admitted = [&](GpuId gpu, WorkgroupId tile) {
    const GpuId owner = machine_.route().owner(output.tiling.chunkOf(tile));
    return machine_.node(owner.value).hbm.admitted(tile, gpu);
  };
  const Matrix all =
      std::exchange(sums, ringReference(operands, output.tiling, work.data_type, admitted));
  const double scale = static_cast<double>(machine_.config().gpus) / work.contributions;
  verification_.left_out_error = relativeError(sums, scale, all, work.data_type);
  return sums;
}

Codec CheckedData::codecOf(std::uint32_t output, bool gathers) const {
  for (const GraphNode& node : machine_.graph().nodes) {
    const auto* work = node.as<CollectiveWork>();
    if (work == nullptr || work->output != output || work->plan != nullptr) continue;
    if (gathers ? work->collective->gathers() : work->collective->reduceScatters()) {
      return machine_.config().gpu.codec(work->tracked);
    }
  }
  return {};
}

/// Of sums that are coded on their way, or then gathered so.
CheckedData::Matrix CheckedData::codedSumOf(const std::vector<Operands>& operands,
                                            std::uint32_t number) {
  const OutputPlan& output = machine_.outputs()[number];
  const DataType type = machine_.config().workload.data_type;
  Parts parts;
  for (std::uint32_t g = 0; g < operands.size(); ++g) {
    parts.push_back(productReference(operands[g].a, operands[g].b, output.depths[g], type));
  }
  CodedSums sums =
      codedReference(parts, output.tiling, machine_.route(), codecOf(number, false), type);
  verification_.sums_error = sums.error;
  if (const Codec gathers = codecOf(number, true); gathers.on() && output.layout.normed == 0) {
    verification_.gathered_error = gatheredError(sums, gathers, type);
  }
  for (const auto& error : {verification_.sums_error, verification_.gathered_error}) {
    if (!error || error->above_bound == 0) continue;
    throw std::runtime_error(
        std::to_string(error->above_bound) +
        " coded values are further from the exact sums than the codec's bound");
  }
  return std::move(sums.sums);
}

/// Of what all GPUs would have by itself: what each has.
void CheckedData::codeGathered(Values& values, std::uint32_t number) const {
  const Codec codec = codecOf(number, true);
  if (!codec.on()) return;
  const Matrix all = std::move(values.result.front());
  values.result.clear();
  for (std::uint32_t g = 0; g < machine_.config().simulatedGpus(); ++g) {
    values.result.push_back(gatheredReference(all, machine_.outputs()[number].tiling,
                                              machine_.route(), GpuId{g}, codec,
                                              machine_.config().workload.data_type));
  }
}

OutputJudge::OutputJudge(Mode mode, Machine& machine)
    : mode_(mode), kind_(mode_.simulated()), machine_(machine), data_(machine) {
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      for (const OutputBuffer buffer : buffersOf(*output)) watch(g, *output, buffer);
    }
  }
  machine_.check({.begins = [this](std::uint32_t g) { data_.writeOperands(g); },
                  .sentOn =
                      [this](std::uint32_t g, const TrackedOutput& tracked) {
                        if (machine_.executor().atLastRound(g)) return;
                        checkThenWatch(g, tracked.output(), OutputBuffer::Accumulation);
                      },
                  .over = [this](std::uint32_t g) { over(g); }});
}

/// The memory counts the updates of a sublayer.
void OutputJudge::watch(std::uint32_t g, const OutputPlan& output, OutputBuffer buffer) {
  using Start = UpdateLedger::Start;
  const bool uncleared = clears() && buffer == OutputBuffer::Output;
  const Route& route = machine_.route();
  HbmStack& memory = machine_.node(g).hbm;
  const std::uint32_t most = mostUpdatesPerElement(route);
  memory.watchUpdates(output.layout.base(buffer), output.tiling.outputBytes(), most,
                      uncleared ? Start::Uncleared : Start::Free);
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    if (!sumsIn(route, GpuId{g}, ChunkId{c}, buffer)) continue;
    const std::uint32_t updates = route.updatesPerElement(GpuId{g}, ChunkId{c});
    if (updates == most) continue;
    for (const auto& [address, bytes] : output.areas(ChunkId{c}, buffer)) {
      memory.expectUpdates(address, bytes, updates);
    }
  }
}

/// What the next sublayer overwrites is checked as soon as it is complete. The last sublayer's is
/// checked at the end of the run.
void OutputJudge::over(std::uint32_t g) {
  data_.compare(g);
  for (const OutputPlan* output : trackedOutputs()) {
    checkThenWatch(g, *output, OutputBuffer::Output);
  }
}
void OutputJudge::checkThenWatch(std::uint32_t g, const OutputPlan& output, OutputBuffer buffer) {
  try {
    checkSums(machine_, g, output, buffer, ruleOf(output));
  } catch (const std::exception& failure) {
    SC_REPORT_ERROR("t3/node", failure.what());
  }
  watch(g, output, buffer);
}

std::vector<const OutputPlan*> OutputJudge::trackedOutputs() const {
  std::vector<const OutputPlan*> list;
  for (const auto& tracked : machine_.tracked()) {
    const OutputPlan* output = &tracked->output();
    if (std::ranges::find(list, output) == list.end()) list.push_back(output);
  }
  return list;
}

SumsRule OutputJudge::ruleOf(const OutputPlan& output) const {
  const bool gathers = std::ranges::any_of(machine_.tracked(), [&](const auto& tracked) {
    return &tracked->output() == &output && tracked->gathers();
  });
  return {.gathers = gathers, .ideal = kind_.ideal, .clears = clears()};
}

/// The memory clears what is summed there. A bound gets its zeros for free.
bool OutputJudge::clears() const {
  return kind_.tracked && !kind_.ideal &&
         machine_.config().hbm.initial_value == InitialValue::InMemory;
}

void OutputJudge::prepare() {
  for (const std::uint32_t g : machine_.own()) data_.writeOperands(g);
}

void OutputJudge::check() {
  checkConservation(machine_);
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      for (const OutputBuffer buffer : buffersOf(*output)) {
        checkSums(machine_, g, *output, buffer, ruleOf(*output));
      }
    }
  }
  checkBufferIsZero();
}

Verification OutputJudge::compare() {
  for (const std::uint32_t g : machine_.own()) data_.compare(g);
  return data_.verification();
}

/// The next kernel needs zeros in the accumulation buffer. Sums of checked data show whether they
/// are there.
void OutputJudge::checkBufferIsZero() {
  if (!clears() || machine_.config().data != DataMode::Checked) return;
  for (const OutputPlan* output : trackedOutputs()) {
    for (const std::uint32_t g : machine_.own()) {
      if (holdsZeros(memoryOf(machine_.node(g)), output->layout.accumulation,
                     output->tiling.outputBytes())) {
        continue;
      }
      throw std::runtime_error("gpu" + std::to_string(g) +
                               ": the accumulation buffer is not zero at the end");
    }
  }
}

GpuFigures OutputJudge::figures(std::uint32_t gpu) const {
  GpuFigures figures = figuresOf(machine_, gpu);
  if (!kind_.tracked) figures.tracker = {}, figures.setup = {};
  return figures;
}

void OutputJudge::report(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  if (kind_.summarise != nullptr) {
    kind_.summarise(machine_.config(), gpus, result);
  } else {
    addExposedTimes(machine_.graph().collectives(), machine_.executor().rounds(), gpus, result);
  }
  addNodes(machine_.graph(), gpus, result);
  for (const Collective* collective : machine_.graph().collectives()) {
    result.of(collective->phase).name = collective->name;
  }
  if (machine_.graph().find(kDelayPhase)) result.of(kDelayPhase).name = "delay";
  const std::uint32_t repeat = machine_.config().workload.repeat;
  if (machine_.executor().rounds() < repeat) countAgain(result, repeat);
}

void OutputJudge::finish(RunResult& result, bool failed) const {
  if (mode_.kind->finish != nullptr && !failed) mode_.kind->finish(result);
  addBounds(machine_.config(), mode_, result);
}

}  // namespace t3
