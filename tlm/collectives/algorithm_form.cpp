// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_form.h"

#include <map>
#include <string>
#include <tuple>

#include "tlm/collectives/promise.h"

namespace t3 {
namespace {

/// Beyond that a file is wrong, not large.
constexpr std::uint32_t kMostChunks = 1U << 20;
constexpr std::uint64_t kMostInAll = 1U << 22;

std::uint32_t sizeOf(const AlgorithmGpu& gpu, AlgorithmBuffer buffer) {
  switch (buffer) {
    case AlgorithmBuffer::Input:
      return gpu.inputChunks;
    case AlgorithmBuffer::Output:
      return gpu.outputChunks;
    case AlgorithmBuffer::Scratch:
      break;
  }
  return gpu.scratchChunks;
}

}  // namespace

AlgorithmForm::AlgorithmForm(const Algorithm& algorithm)
    : algorithm_(&algorithm), needsSwitch_(algorithm.needsSwitch()) {
  checkSizes();
  const AlgorithmBuffers buffers(algorithm);
  for (std::uint32_t g = 0; g < algorithm.gpuCount(); ++g) {
    first_.push_back(static_cast<std::uint32_t>(gpuOf_.size()));
    gpuOf_.insert(gpuOf_.end(), algorithm.gpus[g].threadBlocks.size(), g);
  }
  for (std::uint32_t g = 0; g < algorithm.gpuCount(); ++g) {
    for (std::uint32_t t = 0; t < algorithm.gpus[g].threadBlocks.size(); ++t) {
      checkSteps(buffers, g, t);
    }
  }
  connect();
  checkMessages();
}

void AlgorithmForm::checkSizes() const {
  const Algorithm& algorithm = *algorithm_;
  const std::uint32_t gpus = algorithm.gpuCount();
  if (gpus < 2 || gpus > kMostGpus) {
    throw AlgorithmError(algorithm.line, "ngpus: expected 2 to " + std::to_string(kMostGpus) +
                                             ", got " + std::to_string(gpus));
  }
  if (algorithm.chunks == 0 || algorithm.chunks > kMostChunks) {
    throw AlgorithmError(algorithm.line, "nchunksperloop: expected 1 to " +
                                             std::to_string(kMostChunks) + ", got " +
                                             std::to_string(algorithm.chunks));
  }
  if (algorithm.promise->divides && algorithm.chunks % gpus != 0) {
    throw AlgorithmError(algorithm.line, "nchunksperloop: expected a multiple of the " +
                                             std::to_string(gpus) + " GPUs for coll=\"" +
                                             algorithm.promise->name + "\", got " +
                                             std::to_string(algorithm.chunks));
  }
  const AlgorithmBuffers buffers(algorithm);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    const AlgorithmGpu& gpu = algorithm.gpus[g];
    const auto check = [&](const char* key, std::uint32_t chunks, std::uint32_t size) {
      if (chunks == 0 || chunks == size) return;
      throw AlgorithmError(gpu.line, {.gpu = g},
                           std::string(key) + ": expected " + std::to_string(size) +
                               " (or 0 if unused) " + "for nchunksperloop=\"" +
                               std::to_string(algorithm.chunks) + "\", got " +
                               std::to_string(chunks));
    };
    check("i_chunks", gpu.inputChunks, buffers.inputSize());
    check("o_chunks", gpu.outputChunks, buffers.outputSize());
    if (gpu.scratchChunks > kMostChunks) {
      throw AlgorithmError(gpu.line, {.gpu = g},
                           "s_chunks: expected at most " + std::to_string(kMostChunks) + ", got " +
                               std::to_string(gpu.scratchChunks));
    }
  }
  if (const std::uint64_t all = std::uint64_t{buffers.slots()} * gpus; all > kMostInAll) {
    throw AlgorithmError(algorithm.line, "expected at most " + std::to_string(kMostInAll) +
                                             " chunks in the buffers of all GPUs, got " +
                                             std::to_string(all));
  }
}

void AlgorithmForm::checkSteps(const AlgorithmBuffers& buffers, std::uint32_t g,
                               std::uint32_t t) const {
  const AlgorithmGpu& gpu = algorithm_->gpus[g];
  const AlgorithmThreadBlock& block = gpu.threadBlocks[t];
  const auto wrongBlock = [&](const std::string& text) {
    throw AlgorithmError(block.line, {.gpu = g, .threadBlock = t}, text);
  };
  const auto checkPeer = [&](const char* key, const std::optional<std::uint32_t>& peer) {
    if (!peer || (*peer < algorithm_->gpuCount() && *peer != g)) return;
    wrongBlock(std::string(key) + ": expected -1 or another one of GPUs 0 to " +
               std::to_string(algorithm_->gpuCount() - 1) + ", got " + std::to_string(*peer));
  };
  checkPeer("send", block.sendsTo);
  checkPeer("recv", block.receivesFrom);
  if ((block.sendsTo || block.receivesFrom) && block.channel >= algorithm_->channels) {
    wrongBlock("chan: expected a channel below nchannels=\"" +
               std::to_string(algorithm_->channels) + "\", got " + std::to_string(block.channel));
  }
  for (std::uint32_t s = 0; s < block.steps.size(); ++s) {
    const AlgorithmStep& step = block.steps[s];
    const StepKind& kind = *step.kind;
    const auto wrong = [&](const std::string& text) {
      throw AlgorithmError(step.line, {.gpu = g, .threadBlock = t, .step = s}, text);
    };
    if (kind.sends && !block.sendsTo) {
      wrong(std::string("a step \"") + kind.name +
            R"(" sends, but its thread block has send="-1")");
    }
    if (kind.receives && !block.receivesFrom) {
      wrong(std::string("a step \"") + kind.name +
            R"(" receives, but its thread block has recv="-1")");
    }
    if (needsSwitch_ && (kind.sends || kind.receives)) {
      wrong(std::string("type: expected no message from GPU to GPU beside steps of all GPUs "
                        "(ls, sa), got ") +
            kind.name);
    }
    if (&kind != &kNop && step.count == 0) wrong("cnt: expected at least 1, got 0");
    const auto checkRangeOf = [&](const AlgorithmGpu& owner, const char* key,
                                  AlgorithmBuffer buffer, std::uint32_t offset) {
      const std::uint32_t size = sizeOf(owner, buffer);
      if (offset <= size && step.count <= size - offset) return;
      wrong(std::string(key) + ": expected chunks of the " + nameOf(buffer) +
            " buffer, which has " + std::to_string(size) + ", got chunks " +
            std::to_string(offset) + " to " +
            std::to_string(std::uint64_t{offset} + step.count - 1));
    };
    const auto checkRange = [&](bool inAll, const char* key, AlgorithmBuffer buffer,
                                std::uint32_t offset) {
      if (!inAll) return checkRangeOf(gpu, key, buffer, offset);
      for (std::uint32_t other = 0; other < algorithm_->gpuCount(); ++other) {
        checkRangeOf(algorithm_->gpus[other], key, buffer, offset);
        if (buffers.slot(other, buffer, offset) == buffers.slot(g, buffer, offset)) continue;
        wrong(std::string(key) + ": expected a chunk that is in the same place in all GPUs");
      }
    };
    const bool reads = kind.readsSource || kind.readsAll;
    const bool writes = kind.writesTarget || kind.writesAll;
    if (reads) checkRange(kind.readsAll, "srcoff", step.sourceBuffer, step.source);
    if (writes) checkRange(kind.writesAll, "dstoff", step.targetBuffer, step.target);
    if (reads && writes) {
      const std::uint32_t source = buffers.slot(g, step.sourceBuffer, step.source);
      const std::uint32_t target = buffers.slot(g, step.targetBuffer, step.target);
      const std::uint32_t distance = source < target ? target - source : source - target;
      if (distance != 0 && distance < step.count) {
        wrong("expected source and target to be the same chunks or to have none in common");
      }
    }
    if (!step.dependency) continue;
    const auto& [other, before] = *step.dependency;
    if (other >= gpu.threadBlocks.size()) {
      wrong("depid: expected one of the " + std::to_string(gpu.threadBlocks.size()) +
            " thread blocks of this GPU, got " + std::to_string(other));
    }
    const auto& steps = gpu.threadBlocks[other].steps;
    if (before >= steps.size()) {
      wrong("deps: expected one of the " + std::to_string(steps.size()) +
            " steps of thread block " + std::to_string(other) + ", got " + std::to_string(before));
    }
    if (!steps[before].hasDependents) {
      wrong("deps: expected a step with hasdep=\"1\", got step " + std::to_string(before) +
            " of thread block " + std::to_string(other) + ", which has not");
    }
  }
}

void AlgorithmForm::connect() {
  receiver_.assign(gpuOf_.size(), kNobody);
  sender_.assign(gpuOf_.size(), kNobody);
  using Connection = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, channel
  std::map<Connection, std::uint32_t> senders, receivers;
  const auto add = [&](auto& ends, const Connection& connection, std::uint32_t block,
                       const char* verb) {
    const auto [end, added] = ends.emplace(connection, block);
    if (added) return;
    const std::uint32_t gpu = gpuOf_[block];
    const auto& [from, to, channel] = connection;
    throw AlgorithmError(threadBlock(block).line, {.gpu = gpu, .threadBlock = block - first_[gpu]},
                         std::string(verb) + " GPU " + std::to_string(gpu == from ? to : from) +
                             " on channel " + std::to_string(channel) + ", as thread block " +
                             std::to_string(end->second - first_[gpu]) +
                             " does; expected one thread block at each end of a connection");
  };
  for (std::uint32_t b = 0; b < gpuOf_.size(); ++b) {
    const AlgorithmThreadBlock& block = threadBlock(b);
    if (block.sendsTo) add(senders, {gpuOf_[b], *block.sendsTo, block.channel}, b, "sends to");
    if (block.receivesFrom) {
      add(receivers, {*block.receivesFrom, gpuOf_[b], block.channel}, b, "receives from");
    }
  }
  for (const auto& [connection, sender] : senders) {
    const auto receiver = receivers.find(connection);
    if (receiver == receivers.end()) continue;
    receiver_[sender] = receiver->second;
    sender_[receiver->second] = sender;
  }
}

/// The n-th message of a connection is sent by the n-th step that sends, and taken by the n-th step
/// that receives.
void AlgorithmForm::checkMessages() const {
  const auto next = [](const AlgorithmThreadBlock& block, std::uint32_t& step,
                       bool StepKind::*direction) {
    while (step < block.steps.size() && !(block.steps[step].kind->*direction)) ++step;
    return step < block.steps.size();
  };
  const auto nobody = [&](StepId id, const char* what) {
    throw AlgorithmError(step(id).line, place(id), what);
  };
  for (std::uint32_t b = 0; b < threadBlocks(); ++b) {
    std::uint32_t sent = 0, received = 0;
    if (senderTo(b) == kNobody && next(threadBlock(b), received, &StepKind::receives)) {
      nobody({b, received}, "receives what no thread block of the other GPU sends on this channel");
    }
    received = 0;
    if (receiverOf(b) == kNobody) {
      if (next(threadBlock(b), sent, &StepKind::sends)) {
        nobody({b, sent}, "sends what no thread block of the other GPU receives on this channel");
      }
      continue;
    }
    const std::uint32_t r = receiverOf(b);
    for (;; ++sent, ++received) {
      const bool sends = next(threadBlock(b), sent, &StepKind::sends);
      const bool receives = next(threadBlock(r), received, &StepKind::receives);
      if (!sends && !receives) break;
      if (!receives) {
        nobody({b, sent}, "sends a message more than the other GPU receives on this channel");
      }
      if (!sends) {
        nobody({r, received}, "receives a message more than the other GPU sends on this channel");
      }
      const StepId from{b, sent}, to{r, received};
      if (step(from).count == step(to).count) continue;
      throw AlgorithmError(step(to).line, place(to),
                           "cnt: expected " + std::to_string(step(from).count) + ", as " +
                               place(from).text() + " sends, got " +
                               std::to_string(step(to).count));
    }
  }
}

}  // namespace t3
