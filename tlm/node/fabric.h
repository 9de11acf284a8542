// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/interconnect/cut_links.h"
#include "tlm/node/fabric_node.h"
#include "tlm/node/loop.h"
#include "tlm/node/peers.h"
#include "tlm/node/remote_gpu.h"
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
  using MakeLoop = std::function<std::unique_ptr<Loop>(const char* name)>;

  /// What leaves GPU g by a port of `links` ends at its `peer`. There is a link for each port, one
  /// to the switch, or what the graph of links has.
  Fabric(const SystemConfig& config, const Route& links, const Peers* peers);

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
  /// Of a GPU: links that it sends on, and links that end there.
  std::uint32_t linkCount(std::uint32_t gpu) const;
  std::uint32_t entryCount(std::uint32_t gpu) const;
  /// On which of its links a GPU sends by a port, and at which of its entries that arrives which
  /// its port's `source` sends.
  std::uint32_t linkOf(std::uint32_t gpu, std::uint32_t port) const {
    return config_.fabric.linkOfPort(gpu, port, linksPerGpu_);
  }
  std::uint32_t entryOf(std::uint32_t gpu, std::uint32_t port) const;
  /// Who sends to an entry of a GPU, and on which of its links.
  struct Sender {
    std::uint32_t gpu = 0, link = 0;

    // clang-tidy takes the 0 that the compiler compares with for a pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Sender&) const = default;
  };
  std::vector<Sender> sendersTo(std::uint32_t gpu, std::uint32_t entry) const;
  /// Where a link of a GPU ends: at an entry of a GPU, or a port of a switch.
  struct End {
    std::uint32_t gpu = 0, place = 0;
    std::optional<std::uint32_t> switched = {};
  };
  End endOf(std::uint32_t gpu, std::uint32_t link) const;
  End endOfSwitch(std::uint32_t number,
                  std::uint32_t link) const;  ///< the same of one of its links
  const Route& links() const { return links_; }
  /// Of a GPU that this process builds; all of a symmetric run are GPU 0.
  FabricNode& node(std::uint32_t gpu) const { return *nodes_[index(gpu)]; }
  /// That a GPU sends on. Null if it neither begins nor ends in this process.
  Link* link(std::uint32_t gpu, std::uint32_t number) const {
    return (nodes_[gpu] != nullptr ? nodes_[gpu]->links : remotes_[gpu]->links)[number].get();
  }
  bool merges() const { return config_.merges(); }  ///< the one switch adds
  const std::vector<std::unique_ptr<Switch>>& switches() const { return switches_; }
  /// What leaves this process, and comes to it.
  CutLinks& cut() { return cut_; }
  /// As in RunSubject.
  Picoseconds lookahead() const { return simulated() == 1 ? 0 : config_.lookahead(linksPerGpu_); }

  // ---- software ----
  using Step = std::function<void()>;
  /// Runs `step` at the absolute time `when`. It stands for what the host or command processor of
  /// this GPU does, and may touch this GPU only.
  void at(std::uint32_t gpu, Picoseconds when, Step step);
  /// Runs `step` when nothing is in the queues of a GPU's memory: what arrives is counted when it
  /// enters one, and software that gives its buffer to others waits at a fence. Software looks now
  /// and every 10 ns; only looks that may find nothing are simulated.
  void fence(std::uint32_t gpu, const Step& step);
  /// Runs `step` at the launch time: now, unless the configuration delays this GPU.
  void launch(std::uint32_t gpu, Step step);
  Picoseconds launchTime(std::uint32_t gpu) const { return config_.launchTime(gpu); }
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
  /// All nodes, links and what is between them.
  bool idle() const;
  /// Requests that links and switch hold.
  std::size_t requestsInUse() const;

 private:
  void lookAtFence(std::uint32_t gpu, Picoseconds first, const Step& step);
  void makeSwitches(const RtlTracingOf& tracing);
  End endOfWire(std::uint32_t wire) const;
  void lead(Link& link, const End& end, const MakeLoop& makeLoop);
  void cutLinks();
  std::uint32_t peer(std::uint32_t gpu, std::uint32_t port) const {
    return index(links_.peer(GpuId{gpu}, port).value);
  }
  std::uint32_t index(std::uint32_t gpu) const { return gpu % simulated(); }
  const LinkGraph* graph() const { return config_.fabric.graph.get(); }
  /// From a GPU that sets a flag in the memory of the one at the other end of a port until that one
  /// sees it; at least a picosecond, as for all that links bring.
  Picoseconds flagLatency(std::uint32_t from, std::uint32_t port) const;

  const SystemConfig& config_;
  const Route& links_;
  const std::uint32_t linksPerGpu_;
  const Peers* const peers_;
  const std::vector<std::uint32_t> own_;
  CutLinks cut_;
  std::vector<FabricNode*> nodes_;                   ///< by GPU; null for one of another process
  std::vector<std::unique_ptr<RemoteGpu>> remotes_;  ///< by GPU; null where there is a node
  std::vector<std::unique_ptr<Switch>> switches_;
  std::vector<std::unique_ptr<Loop>> loops_;  ///< symmetric only, by link
  Seen seen_;
};

}  // namespace t3
