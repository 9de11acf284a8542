// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/judge.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tlm/collectives/promise.h"
#include "tlm/gpu/elements.h"
#include "tlm/node/bounds.h"
#include "tlm/node/reference.h"
#include "tlm/transport/numbers.h"

namespace t3 {
namespace {

/// Whole numbers up to this one are exact.
constexpr std::uint32_t mostExact(DataType type) {
  switch (type) {
    case DataType::Fp16:
      return 2048;
    case DataType::Bf16:
      return 256;
    case DataType::Fp32:
    case DataType::Int32:
      break;
  }
  return 1U << 20;
}

template <typename Format>
typename Format::Stored encoded(std::int64_t value) {
  return Format::encode(static_cast<typename Format::Value>(value));
}

template <typename Function>
void withFormat(DataType type, Function function) {
  switch (type) {
    case DataType::Fp16:
      return function(Fp16Format{});
    case DataType::Bf16:
      return function(Bf16Format{});
    case DataType::Fp32:
      return function(Fp32Format{});
    case DataType::Int32:
      return function(Int32Format{});
  }
}

}  // namespace

CollectiveData::CollectiveData(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout,
                               DataType type, std::uint64_t seed, MemoryOf memory)
    : meaning_(meaning),
      layout_(layout),
      type_(type),
      seed_(seed),
      most_(std::max(1U, mostExact(type) / meaning.longestSum())),
      memory_(std::move(memory)) {}

std::int32_t CollectiveData::value(std::uint32_t gpu, std::uint32_t chunk,
                                   std::uint64_t element) const {
  const std::uint64_t bits = mixed(mixed(mixed(seed_ + gpu) + chunk) + element);
  return static_cast<std::int32_t>(bits % (2 * std::uint64_t{most_} + 1)) -
         static_cast<std::int32_t>(most_);
}

void CollectiveData::write(std::uint32_t gpu, std::uint64_t poisoned) {
  withFormat(type_, [&](auto format) { write<decltype(format)>(gpu, poisoned); });
}

template <typename Format>
void CollectiveData::write(std::uint32_t gpu, std::uint64_t poisoned) {
  poison(memory_(gpu), 0, poisoned);
  using Stored = typename Format::Stored;
  std::vector<Stored> chunk(layout_.chunkBytes() / sizeof(Stored));
  for (std::uint32_t c = 0; c < meaning_.buffers().inputSize(); ++c) {
    for (std::size_t e = 0; e < chunk.size(); ++e) chunk[e] = encoded<Format>(value(gpu, c, e));
    const std::uint32_t slot = meaning_.buffers().slot(gpu, AlgorithmBuffer::Input, c);
    memory_(gpu)(tlm::TLM_WRITE_COMMAND, layout_.address(slot), chunk.data(),
                 static_cast<std::uint32_t>(layout_.chunkBytes()));
  }
}

void CollectiveData::compare(std::uint32_t gpu, Verification& verification) {
  withFormat(type_, [&](auto format) { compare<decltype(format)>(gpu, verification); });
}

template <typename Format>
void CollectiveData::compare(std::uint32_t gpu, Verification& verification) {
  using Stored = typename Format::Stored;
  std::vector<Stored> chunk(layout_.chunkBytes() / sizeof(Stored));
  for (std::uint32_t c = 0; c < meaning_.buffers().outputSize(); ++c) {
    const Contributions* expected = meaning_.result(gpu, c);
    if (expected == nullptr) continue;
    const std::uint32_t slot = meaning_.buffers().slot(gpu, AlgorithmBuffer::Output, c);
    memory_(gpu)(tlm::TLM_READ_COMMAND, layout_.address(slot), chunk.data(),
                 static_cast<std::uint32_t>(layout_.chunkBytes()));
    for (std::size_t e = 0; e < chunk.size(); ++e) {
      std::int64_t sum = 0;
      for (const Contributions::Term& term : expected->terms()) {
        for (const auto& [first, end] : term.gpus.ranges()) {
          for (std::uint32_t g = first; g < end; ++g) sum += value(g, term.chunk, e);
        }
      }
      verification.mismatches += chunk[e] == encoded<Format>(sum) ? 0 : 1;
    }
    verification.elements += chunk.size();
  }
}

AlgorithmJudge::AlgorithmJudge(const AlgorithmMeaning& meaning, const CollectivePlan& plan,
                               Machine& machine)
    : meaning_(meaning),
      plan_(plan),
      machine_(machine),
      config_(machine.config()),
      data_(meaning, plan_.layout(), config_.collective.data_type, config_.seed,
            [this](std::uint32_t gpu) { return memoryOf(machine_.node(gpu)); }) {
  machine_.check({.begins = [this](std::uint32_t gpu) { fillMemory(gpu); },
                  .sentOn = {},
                  .over = [this](std::uint32_t gpu) { compare(gpu); }});
}

void AlgorithmJudge::prepare() {
  for (const std::uint32_t g : machine_.own()) fillMemory(g);
}

// ---- data -------------------------------------------------------------------------------------

/// With the inputs. Sums that are made in places of their own begin with zeros.
void AlgorithmJudge::fillMemory(std::uint32_t gpu) {
  if (config_.data != DataMode::Checked) return;
  data_.write(gpu, plan_.memoryEnd(gpu));
  for (const auto& [address, bytes] : plan_.accumulators(gpu)) {
    std::vector<unsigned char> zeros(bytes);
    machine_.node(gpu).debugAccess(tlm::TLM_WRITE_COMMAND, address, zeros.data(),
                                   static_cast<std::uint32_t>(bytes));
  }
}

/// Places of sums end with zeros, ready for the next time, where a read leaves zeros behind.
void AlgorithmJudge::compare(std::uint32_t gpu) {
  verification_.data = config_.data;
  if (config_.data != DataMode::Checked) return;
  data_.compare(gpu, verification_);
  if (config_.hbm.initial_value != InitialValue::InMemory) return;
  for (const auto& [address, bytes] : plan_.accumulators(gpu)) {
    if (holdsZeros(memoryOf(machine_.node(gpu)), address, bytes)) continue;
    const std::string text =
        "gpu" + std::to_string(gpu) + ": an accumulator is not zero at the end";
    SC_REPORT_ERROR("t3/node", text.c_str());
  }
}

Verification AlgorithmJudge::compare() {
  for (const std::uint32_t g : machine_.own()) compare(g);
  return verification_;
}

void AlgorithmJudge::check() {
  if (!machine_.executor().idle()) {
    throw std::runtime_error("something is left in a queue at the end" +
                             deadlockReport(machine_, false));
  }
  checkConservation(
      machine_, {.parts = {{.bytes = plan_.traffic(), .codec = config_.gpu.codec(plan_.tracked())}},
                 .rounds = config_.workload.repeat});
  if (!plan_.tracked()) return;
  for (const std::uint32_t g : machine_.own()) {
    if (machine_.node(g).tracker->statistics().untracked == 0) continue;
    throw std::runtime_error("gpu" + std::to_string(g) + ": updates came that no region counts");
  }
  checkTrackers(machine_.fabric());
}

// ---- figures ----------------------------------------------------------------------------------

GpuFigures AlgorithmJudge::figures(std::uint32_t gpu) const {
  GpuFigures figures = figuresOf(machine_.node(gpu), gpu);
  for (const Executor::Round& round : machine_.executor().history(gpu)) {
    if (round.nodes.front().end == 0) break;
    figures.history.push_back({{}, {}, round.waited, round.nodes});
    figures.history.back().phases[kCollectivePhase] = round.nodes.front();
  }
  return figures;
}

void AlgorithmJudge::report(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  const char* name = meaning_.form().algorithm().promise->name;
  // Those of a run that failed which all GPUs have ended.
  std::size_t rounds = config_.workload.repeat;
  for (const GpuFigures& gpu : gpus) rounds = std::min(rounds, gpu.history.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const TimeSpan span = spanOf(gpus, round, kCollectivePhase);
    result.phases.push_back({name, span.start, span.end, round});
    if (config_.workload.repeat > 1) {
      SublayerSpan& sublayer = result.sublayers.emplace_back();
      sublayer.start_ps = span.start;
      sublayer.end_ps = span.end;
      sublayer.phase_ns[kCollectivePhase] = nanoseconds(span.end - result.time_ps);
    }
    result.time_ps = span.end;
  }
  addSteady(gpus, result);
  PhaseFigures& collective = result.of(kCollectivePhase);
  collective.name = name;
  collective.exposed_ns = nanoseconds(result.time_ps);
  collective.bound_ns = result.bound_ns = boundNs();
}

/// What the busiest link needs for its bytes in all rounds, and the launches between them.
double AlgorithmJudge::boundNs() const {
  constexpr std::uint32_t kLeastOfManyLoads = 256;  // a request of a step that adds many
  const CollectiveConfig& kernels = config_.gpu.collective;
  const Protocol protocol =  // DMA engines send no flags
      plan_.tracked() ? Protocol::Simple : meaning_.form().algorithm().protocol;
  const std::uint32_t largest =
      plan_.tracked()
          ? config_.gpu.dma.read_bytes
          : std::max({kernels.request_bytes, kLeastOfManyLoads, kernels.of(protocol).window_bytes});
  double bound = 0;
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t g = 0; g < config_.gpus; ++g) {
    const auto own = linkBytes(config_, plan_.links(), GpuId{g}, plan_.traffic());
    if (config_.fabric.graph == nullptr || g == 0) {
      bytes = own;
    } else {  // all use the same wires
      std::ranges::transform(bytes, own, bytes.begin(), std::plus<>{});
    }
    bound = std::max(bound, wireNs(config_, g,
                                   onWire(config_, GpuId{g}, bytes, plan_.traffic(),
                                          {protocol, config_.gpu.codec(plan_.tracked()), largest}),
                                   config_.workload.repeat));
  }
  return bound + (config_.workload.repeat - 1) * config_.gpu.kernel_launch_us * 1e3;
}

}  // namespace t3
