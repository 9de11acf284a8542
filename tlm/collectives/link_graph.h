// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/collectives/route.h"

namespace t3 {

/// GPUs and switches, and the wires between them. Nodes 0 to gpus - 1 are GPUs, the others
/// switches. A GPU reaches another one over switches alone: what goes through a GPU is a
/// collective's own business. All that goes over a wire shares it.
class LinkGraph {
 public:
  /// One direction.
  struct Wire {
    std::uint32_t from = 0, to = 0;  ///< nodes
    double bandwidth_gb_s = 0, latency_ns = 0;
  };

  /// The switches from `first` on are between whole nodes of GPUs: no way between two GPUs of a
  /// node leads over them.
  struct Network {
    std::uint32_t first = ~0U, gpusPerNode = 1;
  };

  LinkGraph(std::uint32_t gpus, std::uint32_t switches, std::vector<Wire> wires,
            const Network& network);

  std::uint32_t gpus() const { return gpus_; }
  std::uint32_t switches() const { return static_cast<std::uint32_t>(leaving_.size()) - gpus_; }
  const std::vector<Wire>& wires() const { return wires_; }
  /// Numbers of the wires that begin or end at a node, in their order.
  const std::vector<std::uint32_t>& leaving(std::uint32_t node) const { return leaving_[node]; }
  const std::vector<std::uint32_t>& arriving(std::uint32_t node) const { return arriving_[node]; }
  /// At which place of these a wire is.
  std::uint32_t placeAtBegin(std::uint32_t wire) const;
  std::uint32_t placeAtEnd(std::uint32_t wire) const;

  /// The first wire from a node to a GPU on the way of the fewest wires; of several the one with
  /// the lowest number.
  std::optional<std::uint32_t> next(std::uint32_t node, std::uint32_t gpu) const {
    return next_[node][gpu];
  }
  /// All wires of that way; none if there is no way.
  std::vector<std::uint32_t> way(std::uint32_t from, std::uint32_t gpu) const;

  /// Of each port at most one way leaves a GPU, and at most one arrives; there are as few as that
  /// allows. Ports without a way pair GPUs, too (`leads`), so that each is a permutation of the
  /// GPUs.
  std::uint32_t ports() const { return static_cast<std::uint32_t>(ports_.size()); }
  std::uint32_t peer(std::uint32_t gpu, std::uint32_t port) const { return ports_[port].to[gpu]; }
  std::uint32_t source(std::uint32_t gpu, std::uint32_t port) const {
    return ports_[port].from[gpu];
  }
  bool leads(std::uint32_t gpu, std::uint32_t port) const { return ports_[port].leads[gpu]; }
  bool reachesAll() const;  ///< each GPU every other one

 private:
  struct Port {
    std::vector<std::uint32_t> to, from;  ///< by GPU
    std::vector<bool> leads;              ///< by the GPU that sends
  };

  void findWays();
  void givePorts();

  const std::uint32_t gpus_;
  const std::vector<Wire> wires_;
  const Network network_;
  std::vector<std::vector<std::uint32_t>> leaving_, arriving_;   ///< by node
  std::vector<std::vector<std::optional<std::uint32_t>>> next_;  ///< [node][gpu]
  std::vector<Port> ports_;
};

/// A route on the ports of a graph of links. What the collectives do is another route's, whose
/// neighbours need a way in the graph; who has an algorithm of his own needs the ports only.
class GraphRoute : public Route {
 public:
  GraphRoute(std::shared_ptr<const LinkGraph> graph, std::unique_ptr<const Route> inner)
      : Route({graph->gpus(), graph->ports(), inner->size().chunksPerGpu, 1}, inner->traits()),
        graph_(std::move(graph)),
        inner_(std::move(inner)) {
    traits_.choosesWhatToSend = true;
    traits_.slowestPort.reset();
  }

  GpuId owner(ChunkId chunk) const override { return inner_->owner(chunk); }
  GpuId peer(GpuId from, std::uint32_t port) const override {
    return GpuId{graph_->peer(from.value, port)};
  }
  GpuId source(GpuId to, std::uint32_t port) const override {
    return GpuId{graph_->source(to.value, port)};
  }
  bool leads(GpuId from, std::uint32_t port) const override {
    return graph_->leads(from.value, port);
  }
  std::uint32_t port(GpuId from, ChunkId chunk) const override {
    const auto all = portsTo(*this, from, inner_->peer(from, inner_->port(from, chunk)));
    return all.empty() ? 0 : all.front();
  }
  std::vector<ChunkId> order(GpuId gpu) const override { return inner_->order(gpu); }
  std::vector<std::uint32_t> groups(GpuId gpu) const override { return inner_->groups(gpu); }
  bool gpusAreAlike() const override { return false; }
  Duty duty(GpuId gpu, ChunkId chunk) const override { return inner_->duty(gpu, chunk); }
  std::uint32_t updatesPerElement(GpuId gpu, ChunkId chunk) const override {
    return inner_->updatesPerElement(gpu, chunk);
  }
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override {
    return inner_->steps(promise, gpu);
  }
  std::vector<ChunkId> numbering(const Promise& promise) const override {
    return inner_->numbering(promise);
  }

 private:
  const std::shared_ptr<const LinkGraph> graph_;
  const std::unique_ptr<const Route> inner_;
};

}  // namespace t3
