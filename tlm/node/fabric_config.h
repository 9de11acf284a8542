// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/collectives/link_graph.h"
#include "tlm/collectives/route.h"
#include "tlm/interconnect/link_config.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// How the GPUs are connected.
enum class Topology : std::uint8_t {
  Ring,               ///< a link from every GPU to the next
  BidirectionalRing,  ///< links to both neighbours: two rings, each with half of every GPU's share
  FullyConnected,     ///< a link from every GPU to every other one
  Switch,             ///< a link from every GPU to one switch, and one back
  /// Nodes of some GPUs: a ring inside each, and a slower ring through the GPUs of equal places in
  /// all nodes (a rail)
  TwoLevel,
  Links  ///< the links of a file
};
BOOST_DESCRIBE_ENUM(Topology, Ring, BidirectionalRing, FullyConnected, Switch, TwoLevel, Links)

struct FabricConfig {
  Topology topology = Topology::Ring;
  Choice<CollectiveRoute> collective = kAutoRoute;
  bool links_share_bandwidth = true;
  std::uint32_t gpus_per_node = 4;
  double rail_bandwidth_gb_s = 25;
  double rail_latency_ns = 2000;
  std::string links = {};
  double links_bytes = 1e6;
  double links_unit_us = 1;
  /// What the file `links` says. No setting: who reads the file sets it.
  std::shared_ptr<const LinkGraph> graph = nullptr;

  /// What the topology lets a route of `gpus` GPUs use.
  Reach reach(std::uint32_t gpus) const;
  bool switched() const { return topology == Topology::Switch; }
  bool hasNodes() const { return topology == Topology::TwoLevel; }
  /// That route on these links, with sums of so many contributions (0: all).
  std::unique_ptr<const Route> makeRoute(const CollectiveRoute& route, std::uint32_t gpus,
                                         std::uint32_t contributions = 0) const;
  /// Link number `index` of one of `gpus` GPUs whose links have the settings `link`; not with a
  /// graph.
  LinkConfig linkOf(LinkConfig link, std::uint32_t gpus, std::uint32_t index) const;
  /// A wire of the graph, which has the other settings of `link`.
  LinkConfig wireOf(LinkConfig link, std::uint32_t wire) const;
  /// Which of its `count` links a GPU sends on by a port.
  std::uint32_t linkOfPort(std::uint32_t gpu, std::uint32_t port, std::size_t count) const;
  /// Whether `gpus` GPUs make whole nodes, if there are nodes: one line if not.
  std::optional<std::string> checkNodes(std::uint32_t gpus) const;

  static constexpr auto settings() {
    using C = FabricConfig;
    return std::tuple{
        T3_SETTING(
            topology, "", 0, 0,
            "ring (the paper's): a link to the next GPU; bidirectional-ring: links both ways "
            "round; fully-connected: a link to every other GPU; switch: links to and from "
            "one switch; two-level: rings inside nodes, and rings between them; links: those of "
            "the file fabric.links (docs/fabric.md)"),
        T3_SETTING(collective, "", 0, 0,
                   "ring: chunks are summed on their way round; direct: each GPU sends its part of "
                   "a chunk to the GPU that sums it; two-level: rings inside nodes, then between "
                   "them; auto: the one that fits the topology (docs/fabric.md)"),
        T3_SETTING(
            links_share_bandwidth, "", 0, 0,
            "fully-connected: whether the links of a GPU have link.bandwidth_gb_s together, each "
            "1/(N-1) of it, as if a ring's pins were distributed (assumption), or each"),
        T3_SETTING(gpus_per_node, "", 2, 512,
                   "two-level: GPUs 0 to this - 1 are the first node, and so on (assumption: 4)"),
        T3_SETTING(rail_bandwidth_gb_s, "GB/s", 0.001, 100000,
                   "two-level: raw bandwidth of one direction of each GPU's link to the next node "
                   "(assumption: 25, a network port of 200 Gb/s for each GPU)"),
        T3_SETTING(rail_latency_ns, "ns", 0, 1e6,
                   "two-level: of that link, as link.latency_ns (assumption: 2000)"),
        T3_SETTING(links, "", 0, 0,
                   "topology=links: a topology file of TACCL, whose links take the place of "
                   "link.bandwidth_gb_s and link.latency_ns (docs/fabric.md); none if empty"),
        T3_SETTING(links_bytes, "bytes", 1, 1e12,
                   "links: the message whose time on a link the file's betas are (1e6: 1 MB)"),
        T3_SETTING(links_unit_us, "us", 1e-6, 1e6,
                   "links: the unit of the file's times; TACCL multiplies those of small messages, "
                   "which here is undone (0.01: they are a hundred times too large)")};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
