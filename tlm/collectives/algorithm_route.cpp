// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_route.h"

#include <algorithm>
#include <tuple>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/promise.h"
#include "tlm/collectives/step_program.h"

namespace t3 {
namespace {

/// As many as the links have, where each has channels of its own.
std::uint32_t kernelsOf(const AlgorithmMeaning& meaning, const Route& links) {
  const RouteSize& size = links.size();
  if (size.kernels == 1 || size.kernels != size.ports) return 1;
  const Algorithm& algorithm = meaning.form().algorithm();
  const AlgorithmPorts ports;
  const StepLayout layout;
  const auto channels = separateChannels({algorithm, meaning.buffers(), layout, ports});
  if (channels.size() != size.kernels) return 1;
  for (std::uint32_t b = 0; b < meaning.form().threadBlocks(); ++b) {
    const AlgorithmThreadBlock& block = meaning.form().threadBlock(b);
    const GpuId gpu{meaning.form().gpuOf(b)};
    if (block.channel >= size.ports ||
        (block.sendsTo && links.peer(gpu, block.channel).value != *block.sendsTo)) {
      return 1;
    }
  }
  return size.kernels;
}

}  // namespace

std::optional<std::string> missingLink(const AlgorithmForm& form, const Route& links) {
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    if (form.receiverOf(b) == AlgorithmForm::kNobody) continue;
    const std::uint32_t from = form.gpuOf(b), to = form.gpuOf(form.receiverOf(b));
    if (!portsTo(links, GpuId{from}, GpuId{to}).empty()) continue;
    return "fabric.topology: expected a link from GPU " + std::to_string(from) + " to GPU " +
           std::to_string(to) +
           ", as the collective needs (fully-connected and switch have all links)";
  }
  return std::nullopt;
}

std::optional<std::string> AlgorithmRoute::check(const AlgorithmMeaning& meaning,
                                                 std::uint32_t gpus, const Route& links) {
  const AlgorithmForm& form = meaning.form();
  const Algorithm& algorithm = form.algorithm();
  if (algorithm.promise != &kAllReducePromise && algorithm.promise != &kReduceScatterPromise) {
    return "workload.collective: expected a reduce_scatter or an allreduce, which begin with what "
           "a GEMM puts out, got coll=\"" +
           std::string(algorithm.promise->name) + "\"";
  }
  if (gpus != algorithm.gpuCount()) {
    return "gpus: expected " + std::to_string(algorithm.gpuCount()) +
           ", those of workload.collective, got " + std::to_string(gpus);
  }
  if (algorithm.needsSwitch()) {
    return "workload.collective: expected steps of one or two GPUs, got steps of all (ls, sa), "
           "which mode nvls has without a file";
  }
  return missingLink(form, links);
}

AlgorithmRoute::AlgorithmRoute(const AlgorithmMeaning& meaning, std::unique_ptr<const Route> links,
                               const Route& gather, bool ownBlocks)
    : Route({links->gpus(), links->size().ports, meaning.form().algorithm().chunks / links->gpus(),
             kernelsOf(meaning, *links)},
            {.choosesWhatToSend = true,
             .ownBlocks = ownBlocks,
             .slowestPort = links->traits().slowestPort}),
      links_(std::move(links)),
      meaning_(&meaning),
      trees_(meaning),
      orders_(inputOrders(meaning)) {
  const Algorithm& algorithm = meaning.form().algorithm();
  std::vector<std::uint32_t> owned(gpus());
  for (std::uint32_t c = 0; c < trees_.chunks(); ++c) ++owned[trees_.owner(c)];
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    if (owned[g] * gpus() == algorithm.chunks) continue;
    throw AlgorithmError(
        0, "expected that, as behind a GEMM, each of the " + std::to_string(gpus()) +
               " GPUs is the first to have the whole sum of an equal share of the " +
               std::to_string(algorithm.chunks) + " chunks, but GPU " + std::to_string(g) +
               " is the first for " + std::to_string(owned[g]) + " of them");
  }
  if (!algorithm.inPlace) {
    Algorithm inPlace = algorithm;
    inPlace.inPlace = true;
    try {
      inPlace_ = std::make_unique<const InPlace>(std::move(inPlace));
    } catch (const AlgorithmError& error) {
      throw AlgorithmError(error.line(),
                           std::string("with the output in the place of the input, as behind a "
                                       "GEMM: ") +
                               error.what());
    }
    meaning_ = &inPlace_->meaning;
  }
  if (algorithm.promise == &kReduceScatterPromise) gatherAs(gather);
  traits_.direct = passesNothingOn();
  traits_.receivedChunks = countReceived();
}

/// Its chunks are those of its route; where it has fewer of each GPU, several take the same way.
void AlgorithmRoute::gatherAs(const Route& route) {
  const Algorithm algorithm = algorithmOf(route, kAllGatherPromise);
  const AlgorithmForm form(algorithm);
  gather_.emplace(AlgorithmMeaning(form));
}

std::uint32_t AlgorithmRoute::kernelOf(ChunkId chunk) const {
  if (size().kernels == 1) return 0;
  const GpuId sender{trees_.owner(chunk.value) == 0 ? 1U : 0U};
  return size().kernelOf(port(sender, chunk));
}

std::uint32_t AlgorithmRoute::port(GpuId from, ChunkId chunk) const {
  const auto& hop = at(from, chunk).sumTo;
  return hop ? portTo(*this, from, GpuId{hop->peer}, hop->channel) : 0;
}

std::vector<ChunkId> AlgorithmRoute::order(GpuId gpu) const {
  std::vector<ChunkId> chunks;
  for (const std::uint32_t c : orders_[gpu.value].chunks) chunks.emplace_back(c);
  return chunks;
}

bool AlgorithmRoute::passesNothingOn() const {
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    for (std::uint32_t c = 0; c < chunks(); ++c) {
      if (duty(GpuId{g}, ChunkId{c}) == Duty::Passes) return false;
    }
  }
  return true;
}

Route::Duty AlgorithmRoute::duty(GpuId gpu, ChunkId chunk) const {
  const AlgorithmTrees::Place& place = at(gpu, chunk);
  if (!place.sumTo) return Duty::Keeps;
  return place.sumsFrom.empty() && !place.sumTo->waits ? Duty::Sends : Duty::Passes;
}

std::uint32_t AlgorithmRoute::updatesPerElement(GpuId gpu, ChunkId chunk) const {
  return 1 + static_cast<std::uint32_t>(at(gpu, chunk).sumsFrom.size());
}

const AlgorithmMeaning* AlgorithmRoute::whole(const Promise& promise) const {
  return meaning_->form().algorithm().promise == &promise ? meaning_ : nullptr;
}

std::vector<ChunkId> AlgorithmRoute::numbering(const Promise& promise) const {
  if (whole(promise) == nullptr) return Route::numbering(promise);
  std::vector<ChunkId> chunks;
  for (std::uint32_t c = 0; c < this->chunks(); ++c) chunks.emplace_back(c);
  return chunks;
}

// --- places for what is received ----------------------------------------------------------------

std::uint32_t AlgorithmRoute::countReceived() const {
  std::size_t most = 0;
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    std::size_t sums = 0;
    for (std::uint32_t c = 0; c < chunks(); ++c) sums += trees_.at(g, c).sumsFrom.size();
    most = std::max(most, sums);
  }
  const Algorithm& algorithm = meaning_->form().algorithm();
  const AlgorithmBuffers& buffers = meaning_->buffers();
  StepLayout layout;  // with places that count
  layout.shapes = std::make_shared<const std::vector<ChunkSegments>>(1, ChunkSegments(1));
  layout.shapeOf.resize(buffers.slots());
  layout.places.resize(buffers.scratchStart(), {0, false});
  layout.stagingStride = 1;
  for (; layout.places.size() < buffers.slots(); ++layout.staging) {
    layout.places.push_back({layout.staging, true});
  }
  most = std::max(most, static_cast<std::size_t>(layout.staging));
  const AlgorithmPorts none{ports(), [](auto, auto, auto) { return 0U; }};
  for (const StepProgram& program :
       makeStepPrograms({algorithm, buffers, layout, none, Phase::ReduceScatter, traits_.ownBlocks},
                        *meaning_)) {
    for (const StepProgram::Arrival& arrival : program.arrivals) {
      if (arrival.destination.dense) most = std::max(most, arrival.destination.address + 1);
    }
  }
  return static_cast<std::uint32_t>(most);
}

// --- symmetry -----------------------------------------------------------------------------------

/// Whether each GPU does with every chunk what GPU 0 does with `asOfGpu0` of it: where sums and
/// whole chunks come from and go to, the order of production, and the steps as they are written.
bool AlgorithmRoute::gpusAreAlike() const {
  const auto turned = [this](std::uint32_t peer, std::uint32_t g) {
    return (peer + gpus() - g) % gpus();
  };
  const auto turnedHops = [&](std::vector<Hop> hops, std::uint32_t g) {
    for (Hop& hop : hops) hop.peer = turned(hop.peer, g);
    std::ranges::sort(hops, {}, [](const Hop& hop) { return std::tuple(hop.peer, hop.channel); });
    return hops;
  };
  const auto turnedHop = [&](std::optional<Hop> hop, std::uint32_t g) {
    if (hop) hop->peer = turned(hop->peer, g);
    return hop;
  };
  const auto alike = [&](const AlgorithmTrees::Place& one, std::uint32_t g,
                         const AlgorithmTrees::Place& first) {
    return turnedHops(one.sumsFrom, g) == turnedHops(first.sumsFrom, 0) &&
           turnedHop(one.sumTo, g) == first.sumTo &&
           turnedHop(one.wholeFrom, g) == first.wholeFrom &&
           turnedHops(one.wholeTo, g) == turnedHops(first.wholeTo, 0);
  };
  for (std::uint32_t g = 1; g < gpus(); ++g) {
    for (std::uint32_t c = 0; c < chunks(); ++c) {
      const ChunkId first = asOfGpu0(ChunkId{c}, GpuId{g});
      if (!alike(trees_.at(g, c), g, trees_.at(0, first.value))) return false;
      if (port(GpuId{g}, ChunkId{c}) != port(GpuId{0}, first)) return false;
      if (asOfGpu0(ChunkId{orders_[g].chunks[c]}, GpuId{g}).value != orders_[0].chunks[c]) {
        return false;
      }
    }
    for (std::uint32_t c = 0; gather_ && c < gather_->chunks(); ++c) {
      const std::uint32_t share = gather_->chunks() / gpus();
      const std::uint32_t first = (c + (gpus() - g) * share) % gather_->chunks();
      if (!alike(gather_->at(g, c), g, gather_->at(0, first))) return false;
    }
    if (orders_[g].groups != orders_[0].groups || !stepsAreAlike(g)) return false;
  }
  return true;
}

bool AlgorithmRoute::stepsAreAlike(std::uint32_t g) const {
  const Algorithm& algorithm = meaning_->form().algorithm();
  const AlgorithmBuffers& buffers = meaning_->buffers();
  const auto& own = algorithm.gpus[g].threadBlocks;
  const auto& first = algorithm.gpus[0].threadBlocks;
  const auto samePeer = [&](std::optional<std::uint32_t> one, std::optional<std::uint32_t> other) {
    if (!one || !other) return one == other;
    return (*one + gpus() - g) % gpus() == *other;
  };
  /// Scratch is alike by number, all else by chunk.
  const auto sameChunk = [&](AlgorithmBuffer buffer, std::uint32_t one, std::uint32_t other) {
    if (buffer == AlgorithmBuffer::Scratch) return one == other;
    return asOfGpu0(ChunkId{buffers.slot(g, buffer, one)}, GpuId{g}).value ==
           buffers.slot(0, buffer, other);
  };
  const auto sameStep = [&](const AlgorithmStep& one, const AlgorithmStep& other) {
    const StepKind& kind = *one.kind;
    if (&kind != other.kind || one.count != other.count ||
        one.dependency.has_value() != other.dependency.has_value() ||
        one.sourceBuffer != other.sourceBuffer || one.targetBuffer != other.targetBuffer) {
      return false;
    }
    if (one.dependency && (one.dependency->threadBlock != other.dependency->threadBlock ||
                           one.dependency->step != other.dependency->step)) {
      return false;
    }
    for (std::uint32_t c = 0; c < one.count; ++c) {
      if (kind.readsSource && !sameChunk(one.sourceBuffer, one.source + c, other.source + c)) {
        return false;
      }
      if ((kind.readsTarget || kind.writesTarget) &&
          !sameChunk(one.targetBuffer, one.target + c, other.target + c)) {
        return false;
      }
    }
    return true;
  };
  return std::ranges::equal(
      own, first, [&](const AlgorithmThreadBlock& one, const AlgorithmThreadBlock& other) {
        return samePeer(one.sendsTo, other.sendsTo) &&
               samePeer(one.receivesFrom, other.receivesFrom) && one.channel == other.channel &&
               std::ranges::equal(one.steps, other.steps, sameStep);
      });
}

}  // namespace t3
