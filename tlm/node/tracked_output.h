// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tlm/node/bound_parts.h"
#include "tlm/node/executor.h"
#include "tlm/node/graph.h"
#include "tlm/node/tracker_driver.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {

class Machine;

/// What trackers and DMA engines of all GPUs do for the output of a sublayer, and how far they have
/// come in the present round (tracker_plan.h). The executor hears when the tracked collectives of
/// the graph begin and end.
class TrackedOutput {
 public:
  explicit TrackedOutput(Machine& machine);

  // ---- set-up ----
  /// Programs tracker and DMA engine in no simulated time, and expects a first round.
  void program(std::uint32_t gpu, const TrackerUse& use);
  /// The same for the next round, in simulated time; `done` runs when the last register is written.
  void programAgain(std::uint32_t gpu, TrackerDriver::Done done);
  /// Another round is to come.
  void expectTiles(std::uint32_t gpu);
  /// Sees to the initial value of what is summed: zeros, which the DMA engine writes from `start`
  /// on where it has to. Updates wait for them.
  void prepareMemory(std::uint32_t gpu, Picoseconds start);

  // ---- a round ----
  /// Software starts a tracked collective of which all is in memory: the DMA engine sends what no
  /// tracker event starts.
  void start(std::uint32_t gpu, NodeId node);
  /// The GEMM begins whose stores are summed.
  void sumsBegin(std::uint32_t gpu);
  /// What has no tiles is waited for by nobody, and the tracker says nothing of it: where there are
  /// fewer tiles than GPUs, the reduce-scatter of a GPU that owns none ends with its GEMM, and to a
  /// GPU that owns all nothing is gathered. To be called when one of them has ended.
  void endWithoutTiles(std::uint32_t gpu);

  /// The tracker has said all that software waits for.
  bool saidAll(std::uint32_t gpu) const;
  /// And all has been sent on.
  bool noMore(std::uint32_t gpu) const { return saidAll(gpu) && of(gpu).tilesToSend == 0; }
  const TrackerPlan& plan(std::uint32_t gpu) const { return of(gpu).plan; }
  /// DMA commands that the tracker of a GPU must have issued by the end of the run, since it was
  /// programmed last.
  std::uint64_t commandsProgrammed(std::uint32_t gpu) const { return of(gpu).commands; }

 private:
  struct Gpu {
    TrackerUse use;
    TrackerPlan plan;
    std::map<CommandId, TileRange> sums;  ///< blocks of the own chunk, by the slots of their sums
    std::set<CommandId> starts;           ///< commands that send blocks of the own chunk to others
    std::uint64_t commands = 0;           ///< see `commandsProgrammed`
    std::uint32_t nextCommand = 0;        ///< of the DMA engine that no slot counts for
    bool programmed = false;
    // Of the present round. Regions of the own chunk, and of what DMA engines gather, that the
    // tracker has not said to be done. It does so after the last block.
    std::set<std::uint32_t> ownRegionsLeft, arrivalRegionsLeft;
    std::int64_t tilesToSend = 0;  ///< of commands that have not been sent on
  };

  Gpu& of(std::uint32_t gpu) { return gpus_[gpu % gpus_.size()]; }
  const Gpu& of(std::uint32_t gpu) const { return gpus_[gpu % gpus_.size()]; }
  void admitFirst(std::uint32_t gpu);
  void armCommands(std::uint32_t gpu);
  void poisonWithNan(std::uint32_t gpu);
  void sendUntracked(std::uint32_t gpu);
  void sendOwnChunks(std::uint32_t gpu);
  void triggered(std::uint32_t gpu, CommandId command);
  void regionDone(std::uint32_t gpu, std::uint32_t region);
  void released(std::uint32_t gpu, std::uint32_t row);
  void tileSent(std::uint32_t gpu, std::uint32_t tiles);
  bool begun(std::uint32_t gpu, std::optional<NodeId> node) const;
  bool ended(std::uint32_t gpu, std::optional<NodeId> node) const;

  Machine& machine_;
  const std::optional<NodeId> sums_, gathers_;   ///< nodes that are tracked …
  const std::optional<NodeId> norm_, consumer_;  ///< … and that may wait for rows of them
  const BoundParts bounds_;
  std::vector<Gpu> gpus_;
};

}  // namespace t3
