// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tlm/collectives/algorithm.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/transport/index.h"

namespace t3 {

class AlgorithmMeaning;

/// So many GPUs, ports of each and chunks that each owns.
struct RouteSize {
  std::uint32_t gpus = 2, ports = 1, chunksPerGpu = 1;
  /// Kernels of each collective that run side by side, each with an equal share of the ports.
  std::uint32_t kernels = 1;

  std::uint32_t chunks() const { return gpus * chunksPerGpu; }
  std::uint32_t kernelOf(std::uint32_t port) const { return port * kernels / ports; }
};

/// What holds for all GPUs and chunks of a route.
struct RouteTraits {
  bool direct = false;  ///< every copy of a chunk goes straight to its owner
  /// Whether the route alone fixes the order of the additions, and not the times of arrival.
  bool sumsInFixedOrder = false;
  /// Whether a GPU has a choice of what to send next, so that a run may move a chunk faster than
  /// its collective alone does.
  bool choosesWhatToSend = false;
  /// Each thread block of `Route::whole` has a compute unit of its own (StepSource).
  bool ownBlocks = false;
  /// Where a GPU sends the same by several ports, the one that takes longest; none if they are
  /// alike.
  std::optional<std::uint32_t> slowestPort = std::nullopt;
  std::optional<std::uint32_t> receivedChunks = std::nullopt;  ///< unless it is all that others own
};

/// How a collective makes its way between N GPUs: who sends which chunk to whom, and who adds. All
/// else follows: the order of production, output map, tracker regions, DMA destinations, the steps
/// of kernels, closed forms. To add a route, write one file, and a row (`CollectiveRoute`).
///
/// The output is cut into `chunks` equal runs of tiles; chunk c ends, reduced, at `owner(c)`. What
/// leaves GPU g by port p arrives at GPU peer(g, p) by port p. The fabric decides whether a port
/// has a link of its own.
class Route {
 public:
  /// What T3 does with a GPU's stores into a chunk.
  enum class Duty : std::uint8_t {
    Sends,   ///< stored straight into the next GPU's memory; nothing of the chunk is stored here
    Passes,  ///< summed here with what arrives, then sent on by a triggered DMA command
    Keeps    ///< summed here and final
  };

  virtual ~Route() = default;

  const RouteSize& size() const { return size_; }
  std::uint32_t gpus() const { return size_.gpus; }
  std::uint32_t chunks() const { return size_.chunks(); }
  const RouteTraits& traits() const { return traits_; }
  virtual GpuId owner(ChunkId chunk) const { return GpuId{chunk.value / size_.chunksPerGpu}; }
  /// Whether one GPU can stand for all (`asOfGpu0`).
  virtual bool gpusAreAlike() const { return true; }
  /// The chunk that is to GPU 0 what `chunk` is to `gpu`: all GPUs do the same with other chunks.
  virtual ChunkId asOfGpu0(ChunkId chunk, GpuId gpu) const {
    return ChunkId{(chunk.value + (gpus() - gpu.value) * size_.chunksPerGpu) % chunks()};
  }
  /// The one of the kernels side by side that moves a chunk.
  virtual std::uint32_t kernelOf(ChunkId /*chunk*/) const { return 0; }

  virtual GpuId peer(GpuId from, std::uint32_t port) const = 0;
  /// Whether a link is there. Where not, `peer` and `source` pair GPUs all the same.
  virtual bool leads(GpuId /*from*/, std::uint32_t /*port*/) const { return true; }
  /// The GPU that sends to `to` by that port.
  virtual GpuId source(GpuId to, std::uint32_t port) const = 0;
  /// By which port a GPU sends its copy, or its sum so far, of a chunk that it does not own.
  virtual std::uint32_t port(GpuId from, ChunkId chunk) const = 0;
  /// All chunks, in the order in which a GPU should produce them.
  virtual std::vector<ChunkId> order(GpuId gpu) const = 0;
  /// How many chunks of that order t3 produces side by side, so that all links are busy, then how
  /// many of the next, and so on; in all, all.
  virtual std::vector<std::uint32_t> groups(GpuId /*gpu*/) const {
    return std::vector<std::uint32_t>(chunks(), 1);
  }
  virtual Duty duty(GpuId gpu, ChunkId chunk) const = 0;
  /// In t3, of a chunk that is summed at a GPU: local stores and what others send.
  virtual std::uint32_t updatesPerElement(GpuId gpu, ChunkId chunk) const = 0;
  /// What a GPU does in a reduce-scatter, an all-gather or an all-reduce (`AlgorithmMaker`), in
  /// place, on the chunks of `numbering`.
  virtual AlgorithmGpu steps(const Promise& promise, GpuId gpu) const = 0;
  /// The chunks in the order of their numbers there: share g is of those that GPU g owns.
  virtual std::vector<ChunkId> numbering(const Promise& promise) const;
  /// Where these steps are somebody's own: what they mean together. Else null: whoever receives has
  /// room.
  virtual const AlgorithmMeaning* whole(const Promise& /*promise*/) const { return nullptr; }

 protected:
  explicit Route(const RouteSize& size, const RouteTraits& traits = {})
      : traits_(traits), size_(size) {}

  std::uint32_t ports() const { return size_.ports; }

  /// Not const: some routes know theirs only at the end of their constructor.
  RouteTraits traits_;

 private:
  const RouteSize size_;
};

/// Where t3 sums a chunk at a GPU.
inline OutputBuffer sumBuffer(const Route& route, GpuId gpu, ChunkId chunk) {
  return route.duty(gpu, chunk) == Route::Duty::Passes ? OutputBuffer::Accumulation
                                                       : OutputBuffer::Output;
}
inline bool sumsIn(const Route& route, GpuId gpu, ChunkId chunk, OutputBuffer where) {
  return route.duty(gpu, chunk) != Route::Duty::Sends && sumBuffer(route, gpu, chunk) == where;
}
/// Of any chunk at any GPU.
std::uint32_t mostUpdatesPerElement(const Route& route);
/// So many chunks a GPU keeps beside the output at most, while kernels work on them.
inline std::uint32_t receivedChunks(const Route& route) {
  const std::uint32_t ofOthers = route.chunks() - route.size().chunksPerGpu;
  return route.traits().receivedChunks.value_or(ofOthers);
}
/// What all GPUs do.
Algorithm algorithmOf(const Route& route, const Promise& promise);
/// The ports of a GPU that lead to another one.
std::vector<std::uint32_t> portsTo(const Route& route, GpuId from, GpuId to);
/// The one for a channel of an algorithm: that of its number, if it leads there.
std::uint32_t portTo(const Route& route, GpuId from, GpuId to, std::uint32_t channel);

/// What a route has to know about the links between the GPUs.
struct Reach {
  std::uint32_t gpus = 2;
  bool everyGpu = false;    ///< a GPU reaches every other one, not only its ring neighbours
  std::uint32_t rings = 1;  ///< that run at the same time, each on links of its own
  /// GPUs of a node. Their first links form a ring; the second ones of those of equal places in all
  /// nodes form rings as well. 0: there are no nodes.
  std::uint32_t gpusPerNode = 0;
  /// Of a sum that each GPU sends its part of straight to: so many parts are added. 0: all.
  std::uint32_t contributions = 0;
};

/// The links that a route needs.
enum class RouteNeeds : std::uint8_t {
  Any,       ///< it suits itself to what there is
  Ring,      ///< from every GPU to the next
  EveryGpu,  ///< to every other GPU
  Nodes      ///< rings inside nodes, and rings through all nodes
};

/// A row of the table of routes. A program adds a route of its own without a change here:
///
///   constexpr CollectiveRoute kMine{.name = "mine", …};
///   config.fabric.collective = kMine;
struct CollectiveRoute {
  const char* name;
  RouteNeeds needs;
  std::unique_ptr<const Route> (*make)(const Reach& reach);

  static std::span<const CollectiveRoute* const> table();
};

/// Direct where every GPU reaches every other one, two-level where there are nodes, else ring.
extern const CollectiveRoute kAutoRoute;
extern const CollectiveRoute kRingRoute;
extern const CollectiveRoute kDirectRoute;
extern const CollectiveRoute kTwoLevelRoute;

}  // namespace t3
