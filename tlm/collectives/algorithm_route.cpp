// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_route.h"

#include <algorithm>
#include <tuple>

#include "tlm/collectives/algorithm_error.h"
#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/promise.h"
#include "tlm/collectives/step_program.h"

namespace t3 {
namespace {

/// As many as the links have, where each has channels of its own.
std::uint32_t kernelsOf(const AlgorithmMeaning& meaning, const Route& links) {
  if (links.kernels() == 1 || links.kernels() != links.ports()) return 1;
  const Algorithm& algorithm = meaning.form().algorithm();
  const AlgorithmPorts ports;
  const StepLayout layout;
  const auto channels = separateChannels({algorithm, meaning.buffers(), layout, ports});
  if (channels.size() != links.kernels()) return 1;
  for (std::uint32_t b = 0; b < meaning.form().threadBlocks(); ++b) {
    const AlgorithmThreadBlock& block = meaning.form().threadBlock(b);
    const GpuId gpu{meaning.form().gpuOf(b)};
    if (block.channel >= links.ports() ||
        (block.sendsTo && links.peer(gpu, block.channel).value != *block.sendsTo)) {
      return 1;
    }
  }
  return links.kernels();
}

}  // namespace

std::optional<std::string> missingLink(const AlgorithmForm& form, const Route& links) {
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    if (form.receiverOf(b) == AlgorithmForm::kNobody) continue;
    const std::uint32_t from = form.gpuOf(b), to = form.gpuOf(form.receiverOf(b));
    if (!links.portsTo(GpuId{from}, GpuId{to}).empty()) continue;
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
    : Route(links->gpus(), links->ports(), meaning.form().algorithm().chunks / links->gpus(),
            kernelsOf(meaning, *links)),
      links_(std::move(links)),
      meaning_(&meaning),
      ownBlocks_(ownBlocks),
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
  receivedChunks_ = countReceived();
}

/// Its chunks are those of its route; where it has fewer of each GPU, several take the same way.
void AlgorithmRoute::gatherAs(const Route& route) {
  const Algorithm algorithm = route.algorithm(kAllGatherPromise);
  const AlgorithmForm form(algorithm);
  gather_.emplace(AlgorithmMeaning(form));
}

std::uint32_t AlgorithmRoute::kernelOf(ChunkId chunk) const {
  if (kernels() == 1) return 0;
  const GpuId sender{trees_.owner(chunk.value) == 0 ? 1U : 0U};
  return Route::kernelOf(port(sender, chunk));
}

std::uint32_t AlgorithmRoute::port(GpuId from, ChunkId chunk) const {
  const auto& hop = at(from, chunk).sumTo;
  return hop ? portTo(from, GpuId{hop->peer}, hop->channel) : 0;
}

std::vector<ChunkId> AlgorithmRoute::order(GpuId gpu) const {
  std::vector<ChunkId> chunks;
  for (const std::uint32_t c : orders_[gpu.value].chunks) chunks.emplace_back(c);
  return chunks;
}

bool AlgorithmRoute::direct() const {
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

std::uint32_t AlgorithmRoute::mostUpdatesPerElement() const {
  std::uint32_t most = 0;
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    for (std::uint32_t c = 0; c < chunks(); ++c) {
      most = std::max(most, updatesPerElement(GpuId{g}, ChunkId{c}));
    }
  }
  return most;
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
  for (const StepProgram& program : makeStepPrograms(
           {algorithm, buffers, layout, none, Phase::ReduceScatter, ownBlocks_}, *meaning_)) {
    for (const StepProgram::Arrival& arrival : program.arrivals) {
      if (arrival.destination.dense) most = std::max(most, arrival.destination.address + 1);
    }
  }
  return static_cast<std::uint32_t>(most);
}

// --- steps along the trees ----------------------------------------------------------------------

/// A thread block for each connection. Where all that comes by one goes on by one, and by that
/// nothing else that has come, both are one thread block.
class AlgorithmRoute::Steps {
 public:
  Steps(const AlgorithmRoute& route, const Promise& promise, GpuId gpu)
      : route_(route), gpu_(gpu.value), maker_(promise, route.chunks()) {
    const std::vector<ChunkId> chunks = route.numbering(promise);
    last_.resize(chunks.size());
    for (std::uint32_t k = 0; k < chunks.size(); ++k) {
      const AlgorithmTrees::Place& sums = route.at(gpu, chunks[k]);
      if (maker_.reduces()) visit(false, k, sums.sumsFrom, listOf(sums.sumTo));
      const auto& whole = route.gather_ ? gathered(k) : sums;
      if (maker_.gathers()) visit(true, k, listOf(whole.wholeFrom), whole.wholeTo);
    }
  }

  AlgorithmGpu take() {
    std::vector<Move> moves = inOrder();
    if (!inOrderOfSending(moves)) {
      onlyOutOf_.clear();
      moves = inOrder();
    }
    for (const Move& move : moves) add(move);
    return maker_.take();
  }

 private:
  /// A connection's other end.
  struct Wire {
    std::uint32_t peer = 0, channel = 0;
    // clang-tidy takes the 0 that the compiler compares with for a pointer; so below.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Wire&) const = default;
  };
  /// The order of moves: one connection has it at both ends, and GPUs that do the same with other
  /// chunks have the same. So a chunk counts from the sender's own on, and a peer from this GPU.
  struct Key {
    bool gathers = false;
    std::uint32_t time = 0, chunk = 0, peer = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Key&) const = default;
  };
  struct Move {
    Key key;
    std::uint32_t chunk = 0;
    std::optional<Wire> from, to;
    Key sent;  ///< as `key`, of what it sends
  };
  struct Way {
    bool gathers;
    std::uint32_t chunk;
    std::vector<Hop> from, to;
  };

  static std::vector<Hop> listOf(const std::optional<Hop>& hop) {
    return hop ? std::vector{*hop} : std::vector<Hop>{};
  }
  static Wire wire(const Hop& hop) { return {hop.peer, hop.channel}; }

  /// The other route may have another number of chunks of each GPU.
  const AlgorithmTrees::Place& gathered(std::uint32_t k) const {
    const std::uint32_t own = route_.chunksPerGpu(),
                        theirs = route_.gather_->chunks() / route_.gpus();
    return route_.gather_->at(gpu_, k / own * theirs + k % own % theirs);
  }

  void visit(bool gathers, std::uint32_t chunk, const std::vector<Hop>& from,
             const std::vector<Hop>& to) {
    ways_.push_back({gathers, chunk, from, to});
    const bool goesOn =
        from.size() == 1 && to.size() == 1 && from.front().channel == to.front().channel;
    for (const Hop& hop : from) {
      if (!to.empty())
        join(onlyOutOf_, wire(hop), goesOn ? std::optional(wire(to.front())) : std::nullopt);
    }
    for (const Hop& hop : to) {
      if (!from.empty())
        join(onlyInto_, wire(hop), goesOn ? std::optional(wire(from.front())) : std::nullopt);
    }
  }
  using Joins = std::map<Wire, std::optional<Wire>>;
  static void join(Joins& joins, Wire one, std::optional<Wire> other) {
    const auto [entry, isNew] = joins.try_emplace(one, other);
    if (!isNew && entry->second != other) entry->second.reset();
  }
  std::optional<Wire> goesOnBy(Wire from) const {
    const auto to = onlyOutOf_.find(from);
    if (to == onlyOutOf_.end() || !to->second) return std::nullopt;
    const auto back = onlyInto_.find(*to->second);
    return back != onlyInto_.end() && back->second == from ? to->second : std::nullopt;
  }

  std::vector<Move> inOrder() const {
    std::vector<Move> moves;
    for (const Way& way : ways_) {
      const auto key = [&](const Hop& hop, std::uint32_t sender) {
        return Key{way.gathers, 2 * hop.time,
                   route_.asOfGpu0(ChunkId{way.chunk}, GpuId{sender}).value,
                   (hop.peer + route_.gpus() - gpu_) % route_.gpus()};
      };
      const bool joined =
          !way.from.empty() && !way.to.empty() && goesOnBy(wire(way.from.front())).has_value();
      for (const Hop& hop : way.from) {
        moves.push_back({key(hop, hop.peer), way.chunk, wire(hop), std::nullopt, {}});
        ++moves.back().key.time;  // behind all that leaves then, before all that leaves next
        if (joined) moves.back().to = wire(way.to.front());
        if (joined) moves.back().sent = key(way.to.front(), gpu_);
      }
      for (const Hop& hop : way.to) {
        if (joined) continue;
        const Key sent = key(hop, gpu_);
        moves.push_back({sent, way.chunk, std::nullopt, wire(hop), sent});
      }
    }
    std::ranges::stable_sort(moves, {}, &Move::key);
    return moves;
  }
  /// The other end of a connection takes messages in the order of their times.
  static bool inOrderOfSending(const std::vector<Move>& moves) {
    std::map<Wire, Key> last;
    return std::ranges::all_of(moves, [&](const Move& move) {
      if (!move.to) return true;
      const auto [entry, isNew] = last.try_emplace(*move.to, move.sent);
      return isNew || std::exchange(entry->second, move.sent) < move.sent;
    });
  }

  std::uint32_t blockOf(const Move& move) {
    std::optional<Wire> from = move.from, to = move.to;
    if (from) to = goesOnBy(*from);
    if (!from) {
      const auto back = onlyInto_.find(*to);
      if (back != onlyInto_.end() && back->second && goesOnBy(*back->second) == to) {
        from = back->second;
      }
    }
    const auto [entry, isNew] = blocks_.try_emplace({from, to});
    if (isNew) {
      const auto peer = [](const std::optional<Wire>& one) {
        return one ? std::optional(one->peer) : std::nullopt;
      };
      entry->second = maker_.block(peer(to), peer(from), (from ? *from : *to).channel);
    }
    return entry->second;
  }

  void add(const Move& move) {
    const StepKind* kind = &kSend;
    if (move.from) {
      const bool sends = move.to.has_value();
      kind = move.key.gathers ? (sends ? &kReceiveCopySend : &kReceive)
                              : (sends ? &kReceiveReduceSend : &kReceiveReduceCopy);
    }
    const std::uint32_t block = blockOf(move);
    auto& last = last_[move.chunk];
    const bool waits = last && last->threadBlock != block;
    last = maker_.add(block, *kind, move.chunk, waits ? last : std::nullopt);
  }

  const AlgorithmRoute& route_;
  const std::uint32_t gpu_;
  AlgorithmMaker maker_;
  std::vector<Way> ways_;
  Joins onlyOutOf_, onlyInto_;  ///< the one connection where all goes on, or comes from
  std::map<std::pair<std::optional<Wire>, std::optional<Wire>>, std::uint32_t> blocks_;
  std::vector<std::optional<AlgorithmMaker::Place>> last_;  ///< step on each chunk
};

AlgorithmGpu AlgorithmRoute::steps(const Promise& promise, GpuId gpu) const {
  if (whole(promise) != nullptr) return meaning_->form().algorithm().gpus[gpu.value];
  return Steps(*this, promise, gpu).take();
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
