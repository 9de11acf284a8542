// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tlm/node/bounds.h"
#include "tlm/node/executor.h"
#include "tlm/node/graph.h"
#include "tlm/node/tracker_driver.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {

class Machine;

/// What trackers and DMA engines of all GPUs do in a tracking of the graph, and how far they have
/// come in the present round (tracker_plan.h). The executor hears when the tracked collectives of
/// the graph begin and end.
class TrackedOutput {
 public:
  TrackedOutput(Machine& machine, const Tracking& tracking);

  // ---- set-up ----
  /// Programs tracker and DMA engine in no simulated time, and expects a first round.
  void program(std::uint32_t gpu);
  /// The same in simulated time, behind another tracking; `done` runs when the last register is
  /// written.
  void programNext(std::uint32_t gpu, TrackerDriver::Done done);
  /// Arms all of it once more, for the next round.
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
  /// And all has been triggered, which software may be told of before, and sent on.
  bool noMore(std::uint32_t gpu) const {
    return saidAll(gpu) && of(gpu).triggersLeft == 0 && of(gpu).tilesToSend == 0 &&
           ended(gpu, sums_) && ended(gpu, gathers_);
  }
  const TrackerPlan& plan(std::uint32_t gpu) const { return of(gpu).plan; }
  const OutputPlan& output() const { return output_; }
  bool gathers() const { return use_.gathers; }

 private:
  struct Gpu {
    TrackerPlan plan;
    std::map<CommandId, TileRange> sums;  ///< blocks of the own chunk, by the slots of their sums
    std::set<CommandId> starts;           ///< commands that send blocks of the own chunk to others
    std::uint32_t nextCommand = 0;        ///< of the DMA engine that no slot counts for
    bool programmed = false;
    // Of the present round. Regions of the own chunk, and of what DMA engines gather, that the
    // tracker has not said to be done. It does so after the last block.
    std::set<std::uint32_t> ownRegionsLeft, arrivalRegionsLeft;
    std::int64_t tilesToSend = 0;    ///< of commands that have not been sent on
    std::uint32_t triggersLeft = 0;  ///< of all commands, those too that send nothing
  };

  Gpu& of(std::uint32_t gpu) { return gpus_[gpu % gpus_.size()]; }
  const Gpu& of(std::uint32_t gpu) const { return gpus_[gpu % gpus_.size()]; }
  void makePlan(std::uint32_t gpu);
  TrackerProgram programOf(std::uint32_t gpu) const;
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
  const TrackerUse use_;
  const OutputPlan& output_;
  const std::optional<NodeId> sums_, gathers_;   ///< nodes that are tracked …
  const std::optional<NodeId> norm_, consumer_;  ///< … that may wait for rows of them …
  const NodeId producer_;                        ///< … and whose stores are summed, if one's are
  const BoundParts bounds_;
  std::vector<Gpu> gpus_;
};

}  // namespace t3
