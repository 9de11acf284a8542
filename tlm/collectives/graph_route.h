// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tlm/collectives/link_graph.h"
#include "tlm/collectives/route.h"

namespace t3 {

/// A route on the ports of a graph of links. What the collectives do is another route's, whose
/// neighbours need a way in the graph; who has an algorithm of his own needs the ports only.
class GraphRoute : public Route {
 public:
  GraphRoute(std::shared_ptr<const LinkGraph> graph, std::unique_ptr<const Route> inner)
      : Route(graph->gpus(), graph->ports(), inner->chunksPerGpu(), 1),
        graph_(std::move(graph)),
        inner_(std::move(inner)) {}

  using Route::kernelOf;
  std::uint32_t kernelOf(ChunkId /*chunk*/) const override { return 0; }
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
    const auto all = portsTo(from, inner_->peer(from, inner_->port(from, chunk)));
    return all.empty() ? 0 : all.front();
  }
  std::vector<ChunkId> order(GpuId gpu) const override { return inner_->order(gpu); }
  std::vector<std::uint32_t> groups(GpuId gpu) const override { return inner_->groups(gpu); }
  bool direct() const override { return inner_->direct(); }
  bool fastestAlone() const override { return false; }
  bool gpusAreAlike() const override { return false; }
  Duty duty(GpuId gpu, ChunkId chunk) const override { return inner_->duty(gpu, chunk); }
  std::uint32_t updatesPerElement(GpuId gpu, ChunkId chunk) const override {
    return inner_->updatesPerElement(gpu, chunk);
  }
  std::uint32_t mostUpdatesPerElement() const override { return inner_->mostUpdatesPerElement(); }
  bool sumsInFixedOrder() const override { return inner_->sumsInFixedOrder(); }
  AlgorithmGpu steps(const Promise& promise, GpuId gpu) const override {
    return inner_->steps(promise, gpu);
  }
  std::vector<ChunkId> numbering(const Promise& promise) const override {
    return inner_->numbering(promise);
  }
  std::uint32_t receivedChunks() const override { return inner_->receivedChunks(); }

 private:
  const std::shared_ptr<const LinkGraph> graph_;
  const std::unique_ptr<const Route> inner_;
};

}  // namespace t3
