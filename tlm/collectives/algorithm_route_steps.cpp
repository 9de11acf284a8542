// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/algorithm_route.h"

namespace t3 {

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
    const std::uint32_t own = route_.size().chunksPerGpu,
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

}  // namespace t3
