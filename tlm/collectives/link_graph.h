// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace t3 {

/// GPUs and switches, and the wires between them. Nodes 0 to gpus - 1 are GPUs, the others
/// switches. A GPU reaches another one if a way leads there over switches alone: what goes through
/// a GPU is a collective's own business. All that goes over a wire shares it.
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

  /// Ports: of each port at most one way leaves a GPU, and at most one arrives. There are as many
  /// as the GPU with most ways needs. The ports without a way pair GPUs, too (`leads`), so that
  /// each port is a permutation of the GPUs.
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

}  // namespace t3
