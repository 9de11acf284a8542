// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/tracked_program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tlm/transport/payload.h"

namespace t3 {
namespace {

class TrackedCompiler {
 public:
  TrackedCompiler(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout,
                  const AlgorithmPorts& ports, bool clears, const TrackedProducer* producer)
      : meaning_(meaning),
        form_(meaning.form()),
        layout_(layout),
        ports_(ports),
        clears_(clears),
        producer_(producer) {}

  std::vector<TrackedProgram> compile() {
    const std::uint32_t gpus = form_.algorithm().gpuCount();
    programs_.resize(gpus);
    for (TrackedProgram& program : programs_) {
      program.chunkBytes = layout_.chunkBytes();
      program.ports = ports_.ports;
      program.sentBytes.resize(ports_.ports);
      program.memoryEnd = layout_.staging();
    }
    if (producer_ != nullptr) placeInputs();
    arrivals_.resize(form_.threadBlocks());
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) placeArrivals(b);
    for (TrackedProgram& program : programs_) numberRows(program);
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) {
      const std::uint32_t gpu = form_.gpuOf(b);
      auto& steps = programs_[gpu].threadBlocks.emplace_back();
      for (std::uint32_t s = 0; s < form_.threadBlock(b).steps.size(); ++s) {
        steps.push_back(compile({b, s}));
      }
    }
    return std::move(programs_);
  }

 private:
  using Transfer = TrackedProgram::Transfer;

  std::uint64_t source(StepId id) const {
    const AlgorithmStep& step = form_.step(id);
    return layout_.address(
        meaning_.buffers().slot(form_.gpuOf(id.threadBlock), step.sourceBuffer, step.source));
  }
  std::uint64_t target(StepId id) const {
    const AlgorithmStep& step = form_.step(id);
    return layout_.address(
        meaning_.buffers().slot(form_.gpuOf(id.threadBlock), step.targetBuffer, step.target));
  }
  /// What a step receives goes where it belongs.
  bool inPlace(StepId id) const {
    return form_.step(id).kind->addsReceived() ? meaning_.sourceMayBecomeSum(id)
                                               : meaning_.targetIsFree(id);
  }

  /// What a step does goes another way, because the input is made here.
  bool folded(StepId id) const { return producer_ != nullptr && producer_->sums.folded(id); }
  bool byProducer(StepId id) const {
    return producer_ != nullptr && producer_->sums.byProducer(id);
  }
  std::optional<std::uint32_t> addedTo(StepId id) const {
    return producer_ == nullptr ? std::nullopt : producer_->sums.addedTo(id);
  }

  void placeInputs() {
    const std::uint32_t count = meaning_.buffers().inputSize();
    for (std::uint32_t g = 0; g < programs_.size(); ++g) {
      TrackedProgram& program = programs_[g];
      program.rows = count;
      for (std::uint32_t c = 0; c < count; ++c) {
        const InputSums::Chunk& chunk = producer_->sums.chunk(g, c);
        program.inputs.push_back(
            {.address = chunk.passes ? producer_->accumulation + c * layout_.chunkBytes()
                                     : layout_.address(c),
             .updates = chunk.updates(),
             .passes = chunk.passes,
             .watched = chunk.passes || (!chunk.overwritten && !chunk.disturbed)});
      }
    }
  }

  void placeArrivals(std::uint32_t b) {
    TrackedProgram& program = programs_[form_.gpuOf(b)];
    const auto& steps = form_.threadBlock(b).steps;
    arrivals_[b].resize(steps.size());
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      const StepKind& kind = *steps[s].kind;
      if (!kind.receives) continue;
      const StepId id{b, s};
      if (addedTo(id)) continue;
      arrivals_[b][s] = static_cast<std::uint32_t>(program.arrivals.size());
      TrackedProgram::Arrival& arrival = program.arrivals.emplace_back();
      arrival.chunks = steps[s].count;
      if (inPlace(id)) {
        arrival.address = kind.addsReceived() ? source(id) : target(id);
        continue;
      }
      arrival.address = program.memoryEnd;
      arrival.updates = kind.addsReceived() ? 2 : 1;
      program.memoryEnd += arrival.chunks * layout_.chunkBytes();
    }
  }

  static void numberRows(TrackedProgram& program) {
    for (const std::uint32_t updates : kUpdates) {
      for (TrackedProgram::Arrival& arrival : program.arrivals) {
        if (arrival.updates != updates) continue;
        arrival.row = program.rows;
        program.rows += arrival.chunks;
      }
    }
  }

  TrackedProgram::Step compile(StepId id) {
    const AlgorithmStep& step = form_.step(id);
    const StepKind& kind = *step.kind;
    TrackedProgram::Step result;
    result.chunks = step.count;
    if (step.dependency) result.dependencies.push_back(*step.dependency);
    if (byProducer(id)) {
      countSent(id, portOf(id));
      return result;
    }
    Transfer transfer;
    if (folded(id)) {
      // Updates have made the sum.
      if (!kind.sends) return result;
      waitForInputs(id, result, transfer);
      transfer.remote = compileSend(id);
      result.after = transfer;
      return result;
    }
    if (kind.receives) {
      result.arrival = arrivals_[id.threadBlock][id.step];
      const auto& arrival = programs_[form_.gpuOf(id.threadBlock)].arrivals[*result.arrival];
      transfer.source = arrival.address;
      transfer.triggered = true;
      transfer.clears = clears_ && arrival.updates == 2;
      if (arrival.updates == 2) {
        result.before = Transfer{.source = source(id)};
        result.before->local = {arrival.address, MemoryOperation::Add, arrival.row};
      }
      if (kind.writesTarget && !inPlace(id)) transfer.local = {target(id)};
      if (producer_ != nullptr) result.inputs = producer_->sums.inputsOf(id);
    } else if (&kind == &kCopy && source(id) != target(id)) {
      transfer.source = source(id);
      transfer.local = {target(id)};
    } else if (&kind == &kReduce) {
      transfer.source = source(id);
      transfer.local = {target(id), MemoryOperation::Add, {}};
    } else if (kind.sends) {
      transfer.source = source(id);
    }
    if (!kind.receives && producer_ != nullptr) waitForInputs(id, result, transfer);
    if (kind.sends) transfer.remote = compileSend(id);
    if (transfer.local || transfer.remote) result.after = transfer;
    return result;
  }

  /// The sums that a step reads must be complete. Where it reads nothing else, the source is where
  /// they are.
  void waitForInputs(StepId id, TrackedProgram::Step& step, Transfer& transfer) const {
    step.inputs = producer_->sums.inputsOf(id);
    const StepKind& kind = *form_.step(id).kind;
    if (step.inputs.empty() || !kind.readsSource) return;
    const TrackedProgram& program = programs_[form_.gpuOf(id.threadBlock)];
    const auto first = meaning_.buffers().slot(form_.gpuOf(id.threadBlock),
                                               form_.step(id).sourceBuffer, form_.step(id).source);
    if (first >= program.inputs.size()) return;
    const bool all = std::ranges::count_if(step.inputs, [&](std::uint32_t row) {
                       return row >= first && row < first + step.chunks;
                     }) == step.chunks;
    if (!all) return;  // a part of them holds something else by now
    transfer.triggered = true;
    transfer.source = source(id);
    if (!program.inputs[first].passes) return;
    transfer.source = program.inputs[first].address;
    transfer.clears = clears_;
  }

  std::uint32_t portOf(StepId id) const {
    const AlgorithmThreadBlock& block = form_.threadBlock(id.threadBlock);
    return ports_.port(form_.gpuOf(id.threadBlock), *block.sendsTo, block.channel);
  }
  void countSent(StepId id, std::uint32_t port) {
    programs_[form_.gpuOf(id.threadBlock)].sentBytes[port] +=
        form_.step(id).count * layout_.chunkBytes();
  }

  DmaWrite compileSend(StepId id) {
    const std::uint32_t peer = *form_.threadBlock(id.threadBlock).sendsTo;
    const StepId receiver = meaning_.partner(id);
    DmaWrite remote;
    remote.port = portOf(id);
    countSent(id, remote.port);
    if (const auto input = addedTo(receiver)) {
      const auto addressOf = [&](std::uint32_t chunk) {
        return globalAddress(GpuId{peer}, programs_[peer].inputs[*input + chunk].address);
      };
      remote.destination = addressOf(0);
      for (std::uint32_t c = 0; c < form_.step(id).count; ++c) {
        remote.destinations.push_back(addressOf(c));
      }
      remote.operation = MemoryOperation::Add;
      remote.row = *input;
      return remote;
    }
    const auto& arrival = programs_[peer].arrivals[arrivals_[receiver.threadBlock][receiver.step]];
    remote.destination = globalAddress(GpuId{peer}, arrival.address);
    if (form_.step(receiver).kind->addsReceived()) remote.operation = MemoryOperation::Add;
    remote.row = arrival.row;
    return remote;
  }

 public:
  /// That an element of a message may get: rows of those with as many follow one another.
  static constexpr std::array<std::uint32_t, 2> kUpdates{2, 1};

 private:
  const AlgorithmMeaning& meaning_;
  const AlgorithmForm& form_;
  const AlgorithmLayout& layout_;
  const AlgorithmPorts& ports_;
  const bool clears_;
  const TrackedProducer* const producer_;
  std::vector<TrackedProgram> programs_;
  std::vector<std::vector<std::uint32_t>> arrivals_;  ///< [thread block][step]
};

}  // namespace

std::vector<TrackedRows> trackedRows(const TrackedProgram& program) {
  std::vector<TrackedRows> all;
  auto first = static_cast<std::uint32_t>(program.inputs.size());
  for (std::uint32_t row = 0; row < first; ++row) {
    const TrackedProgram::Input& input = program.inputs[row];
    if (input.updates == 0) continue;  // nothing of it is ever seen here
    TrackedRows* const last = all.empty() ? nullptr : &all.back();
    if (last != nullptr && last->updates == input.updates) {
      last->count = row + 1 - last->first;
    } else {
      all.push_back({row, 1, input.updates});
    }
  }
  for (const std::uint32_t updates : TrackedCompiler::kUpdates) {
    TrackedRows rows{first, 0, updates};
    for (const TrackedProgram::Arrival& arrival : program.arrivals) {
      if (arrival.updates == updates) rows.count += arrival.chunks;
    }
    if (rows.count != 0) all.push_back(rows);
    first += rows.count;
  }
  return all;
}

std::vector<TrackedProgram> makeTrackedPrograms(const AlgorithmMeaning& meaning,
                                                const AlgorithmLayout& layout,
                                                const AlgorithmPorts& ports, bool clears,
                                                const TrackedProducer* producer) {
  return TrackedCompiler(meaning, layout, ports, clears, producer).compile();
}

}  // namespace t3
