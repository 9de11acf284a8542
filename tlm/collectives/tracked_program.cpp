// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/tracked_program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tlm/transport/payload.h"

namespace t3 {
namespace {

/// Two contributions of the longest slice fit into the tracker's counter of 18 bits, in bursts.
constexpr std::uint32_t kLongestSlice = ((1U << 18) - 1) / 2 / 32 * 32;
/// Elements of the tracker's grid; only bytes count.
constexpr std::uint32_t kGridElement = 2;

/// Slices of about `sliceBytes`. Messages that arrive side by side are at the same slice. If a
/// chunk had a multiple of 8 slices, their workgroups would differ by multiples of 8: all in one
/// bank of the tracker, and in few of its sets. One slice more spreads them.
std::uint32_t spreadSlice(std::uint64_t chunkBytes, std::uint32_t sliceBytes) {
  const std::uint64_t slices = (chunkBytes + sliceBytes - 1) / sliceBytes;
  if (slices % 8 != 0) return sliceBytes;
  for (const std::uint64_t unit : {256U, 32U}) {  // short bursts at their ends only if need be
    const std::uint64_t each = (chunkBytes / (slices + 1) / unit + 1) * unit;
    if (each < sliceBytes) return static_cast<std::uint32_t>(each);
  }
  return sliceBytes;
}

class Compiler {
 public:
  Compiler(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout,
           const AlgorithmPorts& ports, bool clears)
      : meaning_(meaning), form_(meaning.form()), layout_(layout), ports_(ports), clears_(clears) {}

  std::vector<TrackedProgram> compile() {
    const std::uint32_t gpus = form_.algorithm().gpuCount();
    programs_.resize(gpus);
    for (TrackedProgram& program : programs_) {
      program.chunkBytes = layout_.chunkBytes();
      program.ports = ports_.ports;
      program.sentBytes.resize(ports_.ports);
      program.memoryEnd = layout_.staging();
    }
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

  void placeArrivals(std::uint32_t b) {
    TrackedProgram& program = programs_[form_.gpuOf(b)];
    const auto& steps = form_.threadBlock(b).steps;
    arrivals_[b].resize(steps.size());
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      const StepKind& kind = *steps[s].kind;
      if (!kind.receives) continue;
      const StepId id{b, s};
      arrivals_[b][s] = static_cast<std::uint32_t>(program.arrivals.size());
      TrackedProgram::Arrival& arrival = program.arrivals.emplace_back();
      arrival.chunks = steps[s].count;
      // Somebody goes on when it is there, if only the next step.
      arrival.triggers =
          kind.sends || steps[s].hasDependents || s + 1 < steps.size() || !inPlace(id);
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
    for (const auto& [updates, triggers] : kTreatments) {
      for (TrackedProgram::Arrival& arrival : program.arrivals) {
        if (arrival.updates != updates || arrival.triggers != triggers) continue;
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
    Transfer transfer;
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
    } else if (&kind == &kCopy && source(id) != target(id)) {
      transfer.source = source(id);
      transfer.local = {target(id)};
    } else if (&kind == &kReduce) {
      transfer.source = source(id);
      transfer.local = {target(id), MemoryOperation::Add, {}};
    } else if (kind.sends) {
      transfer.source = source(id);
    }
    if (kind.sends) transfer.remote = compileSend(id);
    if (transfer.local || transfer.remote) result.after = transfer;
    return result;
  }

  TrackedProgram::Remote compileSend(StepId id) {
    const AlgorithmThreadBlock& block = form_.threadBlock(id.threadBlock);
    const std::uint32_t gpu = form_.gpuOf(id.threadBlock), peer = *block.sendsTo;
    const StepId receiver = meaning_.partner(id);
    const auto& arrival = programs_[peer].arrivals[arrivals_[receiver.threadBlock][receiver.step]];
    TrackedProgram::Remote remote;
    remote.destination = globalAddress(GpuId{peer}, arrival.address);
    if (form_.step(receiver).kind->addsReceived()) remote.operation = MemoryOperation::Add;
    remote.row = arrival.row;
    remote.port = ports_.port(gpu, peer, block.channel);
    programs_[gpu].sentBytes[remote.port] += form_.step(id).count * layout_.chunkBytes();
    return remote;
  }

 public:
  /// Updates, and whether a block triggers.
  static constexpr std::array<std::pair<std::uint32_t, bool>, 4> kTreatments{
      {{2, true}, {2, false}, {1, true}, {1, false}}};

 private:
  const AlgorithmMeaning& meaning_;
  const AlgorithmForm& form_;
  const AlgorithmLayout& layout_;
  const AlgorithmPorts& ports_;
  const bool clears_;
  std::vector<TrackedProgram> programs_;
  std::vector<std::vector<std::uint32_t>> arrivals_;  ///< [thread block][step]
};

}  // namespace

std::vector<TrackedRows> trackedRows(const TrackedProgram& program) {
  std::vector<TrackedRows> all;
  std::uint32_t first = 0;
  for (const auto& [updates, triggers] : Compiler::kTreatments) {
    TrackedRows rows{first, 0, updates, triggers};
    for (const TrackedProgram::Arrival& arrival : program.arrivals) {
      if (arrival.updates == updates && arrival.triggers == triggers) rows.count += arrival.chunks;
    }
    if (rows.count != 0) all.push_back(rows);
    first += rows.count;
  }
  return all;
}

std::vector<TrackedProgram> makeTrackedPrograms(const AlgorithmMeaning& meaning,
                                                const AlgorithmLayout& layout,
                                                const AlgorithmPorts& ports, bool clears) {
  return Compiler(meaning, layout, ports, clears).compile();
}

TrackedGrid::TrackedGrid(std::uint64_t chunkBytes, std::uint32_t sliceBytes)
    : chunkBytes_(chunkBytes),
      sliceBytes_(sliceBytes),
      slices_(static_cast<std::uint32_t>((chunkBytes + sliceBytes - 1) / sliceBytes)) {}

std::optional<TrackedGrid> TrackedGrid::make(std::uint32_t rows, std::uint64_t chunkBytes,
                                             std::uint32_t sliceBytes, std::uint32_t slots) {
  for (std::uint64_t bytes = std::min(sliceBytes, kLongestSlice);;
       bytes = std::min<std::uint64_t>(2 * bytes, kLongestSlice)) {
    const TrackedGrid grid(chunkBytes, spreadSlice(chunkBytes, static_cast<std::uint32_t>(bytes)));
    if (std::uint64_t{rows} * grid.slices() <= slots) return grid;
    if (bytes == kLongestSlice) return std::nullopt;
  }
}

std::uint64_t TrackedGrid::leastSlots(std::uint32_t rows, std::uint64_t chunkBytes) {
  return rows * ((chunkBytes + kLongestSlice - 1) / kLongestSlice);
}

Tiling TrackedGrid::tiling(std::uint32_t rows) const {
  return {rows,
          static_cast<std::uint32_t>(chunkBytes_ / kGridElement),
          kGridElement,
          1,
          sliceBytes_ / kGridElement,
          1,
          1};
}

}  // namespace t3
