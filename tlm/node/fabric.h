// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tlm/interconnect/cut_links.h"
#include "tlm/node/fabric_node.h"
#include "tlm/node/peers.h"
#include "tlm/node/remote_gpu.h"
#include "tlm/node/symmetric_loop.h"
#include "tlm/node/system_config.h"
#include "tlm/switch/switch.h"

namespace t3 {

/// What connects the GPUs of a configuration, and which process simulates which of them.
///
/// With `peers` each process works on its own run of neighbouring GPUs. Of the others it has the
/// links that end here, and with `Peers::buildsAll` nodes in which nothing happens. A switch works
/// in process 0, and is there, with all links to it, in every one.
///
/// With `simulated_gpus` = symmetric there is GPU 0 only, and links end in loops.
class Fabric {
 public:
  /// The GPU at the end of a link.
  using PeerOf = std::function<std::uint32_t(std::uint32_t gpu, std::uint32_t link)>;
  using MakeLoop = std::function<std::unique_ptr<SymmetricLoop>(const char* name)>;

  /// `linksPerGpu`: one for each port, or one to the switch.
  Fabric(const SystemConfig& config, std::uint32_t linksPerGpu, PeerOf peerOf, const Peers* peers);

  // ---- making ----
  /// Whether this process has a node for the GPU.
  bool builds(std::uint32_t gpu) const;
  /// To be called for one GPU after the other; `node` is null where this process has none.
  void add(FabricNode* node);
  /// To be called when all are there. `makeLoop`: of a symmetric run. `tracing`: of the RTL of a
  /// switch's merge units.
  void connect(const MakeLoop& makeLoop = {}, const RtlTracingOf& tracing = {});

  // ---- what there is ----
  /// GPUs 0 … simulated()-1 are simulated, by this process or another.
  std::uint32_t simulated() const { return config_.simulatedGpus(); }
  /// Those of them that work in this process.
  const std::vector<std::uint32_t>& own() const { return own_; }
  bool isOwn(std::uint32_t gpu) const {
    return peers_ == nullptr || process(gpu) == peers_->self();
  }
  /// That simulates a GPU; 0 if there is only one.
  std::uint32_t process(std::uint32_t gpu) const {
    return peers_ == nullptr ? 0 : peers_->processOf(config_.gpus, gpu);
  }
  std::uint32_t linksPerGpu() const { return linksPerGpu_; }
  /// That a GPU sends on. Null if it neither begins nor ends in this process.
  Link* link(std::uint32_t gpu, std::uint32_t number) const {
    return (nodes_[gpu] != nullptr ? nodes_[gpu]->links : remotes_[gpu]->links)[number].get();
  }
  /// Whether this process works at the end of a link.
  bool endsHere(std::uint32_t gpu, std::uint32_t link) const;
  const Switch* fabricSwitch() const { return switch_.get(); }  ///< null where there is none
  /// What leaves this process, and comes to it.
  CutLinks& cut() { return cut_; }
  /// As in RunSubject.
  Picoseconds lookahead() const { return simulated() == 1 ? 0 : config_.lookahead(linksPerGpu_); }

  /// All nodes, links and what is between them.
  bool idle() const;
  /// Requests that links and switch hold.
  std::size_t requestsInUse() const;

 private:
  void cutLinks();
  std::uint32_t peer(std::uint32_t gpu, std::uint32_t link) const {
    return peerOf_(gpu, link) % simulated();
  }

  const SystemConfig& config_;
  const std::uint32_t linksPerGpu_;
  const PeerOf peerOf_;
  const Peers* const peers_;
  const std::vector<std::uint32_t> own_;
  CutLinks cut_;
  std::vector<FabricNode*> nodes_;                   ///< by GPU; null for one of another process
  std::vector<std::unique_ptr<RemoteGpu>> remotes_;  ///< by GPU; null where there is a node
  std::unique_ptr<Switch> switch_;
  std::vector<std::unique_ptr<SymmetricLoop>> loops_;  ///< symmetric only, by link
};

}  // namespace t3
