// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tlm/interconnect/cut_links.h"
#include "tlm/node/gpu_node.h"
#include "tlm/node/loop.h"
#include "tlm/node/peers.h"
#include "tlm/node/wiring.h"
#include "tlm/switch/switch.h"

namespace t3 {

/// What connects the GPUs of a configuration, and which process simulates which of them.
///
/// With `peers` each process works on its own run of neighbouring GPUs. Of the others it has the
/// links that end here, and with `Peers::buildsAll` nodes in which nothing happens. A switch works
/// in process 0, and is there, with all links to it, in every one.
/// In a symmetric run links end in loops.
class Fabric {
 public:
  using MakeLoop = std::function<std::unique_ptr<Loop>(const char* name)>;

  /// `links` are the ports of the Wiring.
  Fabric(const SystemConfig& config, const Route& links, const Peers* peers);
  ~Fabric();

  // ---- making ----
  /// Whether this process has a node for the GPU.
  bool builds(std::uint32_t gpu) const;
  /// To be called for one GPU after the other; `node` is null where this process has none.
  void add(GpuNode* node);
  /// To be called when all are there. `makeLoop`: of a symmetric run. `tracing`: of the RTL of a
  /// switch's merge units.
  void connect(const MakeLoop& makeLoop, const RtlTracingOf& tracing);

  // ---- what there is ----
  const Wiring& wiring() const { return wiring_; }
  /// The GPUs that work in this process.
  const std::vector<std::uint32_t>& own() const { return own_; }
  /// That simulates a GPU; 0 if there is only one.
  std::uint32_t process(std::uint32_t gpu) const {
    return peers_ == nullptr ? 0 : peers_->processOf(config_.gpus, gpu);
  }
  /// Of a GPU that this process builds; all of a symmetric run are GPU 0.
  GpuNode& node(std::uint32_t gpu) const { return *nodes_[wiring_.index(gpu)]; }
  /// That a GPU sends on. Null if it neither begins nor ends in this process.
  Link* link(std::uint32_t gpu, std::uint32_t number) const;
  const std::vector<std::unique_ptr<Switch>>& switches() const { return switches_; }
  /// What leaves this process, and comes to it.
  CutLinks& cut() { return cut_; }

  // ---- software ----
  using Step = std::function<void()>;
  /// Runs `step` at the absolute time `when`. It stands for what the host or command processor of
  /// this GPU does, and may touch this GPU only.
  void at(std::uint32_t gpu, Picoseconds when, Step step);
  /// Runs `step` when nothing is in the queues of a GPU's memory: what arrives is counted when it
  /// enters one, and software that gives its buffer to others waits at a fence. Software looks now
  /// and every 10 ns; only looks that may find nothing are simulated.
  void fence(std::uint32_t gpu, const Step& step);
  /// The GPU tells all whose links lead to it that it is ready for round `round` of its work, by a
  /// flag that takes as long as the link between them. `seen` runs there at once, or before `when`,
  /// from which time on software there may know it.
  using Seen = std::function<void(std::uint32_t gpu, std::uint32_t from, std::uint32_t round,
                                  Picoseconds when)>;
  void onReady(Seen seen) { seen_ = std::move(seen); }
  void tellReady(std::uint32_t gpu, std::uint32_t round);

  // ---- what it does ----
  /// Changes whenever software, memories or links of GPUs of this process make progress.
  std::uint64_t heartbeat() const;
  /// Nothing is under way in nodes, links and what is between them.
  bool idle() const;
  /// Requests that links and switch hold.
  std::size_t requestsInUse() const;

 private:
  class RemoteGpu;

  void lookAtFence(std::uint32_t gpu, Picoseconds first, const Step& step);
  void makeSwitches(const RtlTracingOf& tracing);
  void lead(Link& link, const Wiring::End& end, const MakeLoop& makeLoop);
  void cutLinks();
  const LinkGraph* graph() const { return config_.fabric.graph.get(); }

  const SystemConfig& config_;
  const Wiring wiring_;
  const Peers* const peers_;
  const std::vector<std::uint32_t> own_;
  CutLinks cut_;
  std::vector<GpuNode*> nodes_;                      ///< by GPU; null for one of another process
  std::vector<std::unique_ptr<RemoteGpu>> remotes_;  ///< by GPU; null where there is a node
  std::vector<std::unique_ptr<Switch>> switches_;
  std::vector<std::unique_ptr<Loop>> loops_;  ///< symmetric only, by link
  Seen seen_;
};

}  // namespace t3
