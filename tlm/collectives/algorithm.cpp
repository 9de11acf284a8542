// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm.h"

#include <algorithm>
#include <array>

namespace t3 {

constinit const StepKind kSend = {.name = "s", .sends = true, .readsSource = true};
constinit const StepKind kReceive = {.name = "r", .receives = true, .writesTarget = true};
constinit const StepKind kReceiveCopySend = {
    .name = "rcs", .receives = true, .sends = true, .writesTarget = true};
constinit const StepKind kReceiveReduceSend = {
    .name = "rrs", .receives = true, .sends = true, .readsSource = true};
constinit const StepKind kReceiveReduceCopy = {
    .name = "rrc", .receives = true, .readsSource = true, .writesTarget = true};
constinit const StepKind kReceiveReduceCopySend = {
    .name = "rrcs", .receives = true, .sends = true, .readsSource = true, .writesTarget = true};
constinit const StepKind kCopy = {.name = "cpy", .readsSource = true, .writesTarget = true};
constinit const StepKind kReduce = {
    .name = "re", .readsSource = true, .readsTarget = true, .writesTarget = true};
constinit const StepKind kLoadSum = {.name = "ls", .writesTarget = true, .readsAll = true};
constinit const StepKind kStoreToAll = {.name = "sa", .readsSource = true, .writesAll = true};
constinit const StepKind kNop = {.name = "nop"};

namespace {

constexpr std::array<const StepKind*, 11> kKinds = {
    &kSend,
    &kReceive,
    &kReceiveCopySend,
    &kReceiveReduceSend,
    &kReceiveReduceCopy,
    &kReceiveReduceCopySend,
    &kCopy,
    &kReduce,
    &kLoadSum,
    &kStoreToAll,
    &kNop,
};

}  // namespace

const char* nameOf(AlgorithmBuffer buffer) {
  switch (buffer) {
    case AlgorithmBuffer::Input:
      return "input";
    case AlgorithmBuffer::Output:
      return "output";
    case AlgorithmBuffer::Scratch:
      break;
  }
  return "scratch";
}

const StepKind* stepKindNamed(const std::string& name) {
  for (const StepKind* kind : kKinds) {
    if (name == kind->name) return kind;
  }
  return nullptr;
}

std::string stepKindNames() {
  std::string names;
  for (const StepKind* kind : kKinds) {
    names += (names.empty() ? "" : kind == kKinds.back() ? " or " : ", ") + std::string(kind->name);
  }
  return names;
}

std::uint64_t Algorithm::steps() const {
  std::uint64_t count = 0;
  for (const AlgorithmGpu& gpu : gpus) {
    for (const AlgorithmThreadBlock& block : gpu.threadBlocks) count += block.steps.size();
  }
  return count;
}

bool Algorithm::needsSwitch() const {
  const auto byBlock = [](const AlgorithmThreadBlock& block) {
    return std::ranges::any_of(block.steps,
                               [](const AlgorithmStep& step) { return step.kind->needsSwitch(); });
  };
  return std::ranges::any_of(gpus, [&](const AlgorithmGpu& gpu) {
    return std::ranges::any_of(gpu.threadBlocks, byBlock);
  });
}

std::uint64_t Algorithm::threadBlocks() const {
  std::uint64_t count = 0;
  for (const AlgorithmGpu& gpu : gpus) count += gpu.threadBlocks.size();
  return count;
}

std::string AlgorithmPlace::text() const {
  std::string text = "GPU " + std::to_string(gpu);
  if (threadBlock) text += ", thread block " + std::to_string(*threadBlock);
  if (step) text += ", step " + std::to_string(*step);
  return text;
}

}  // namespace t3
