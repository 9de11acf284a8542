// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "tlm/gpu/compute_array.h"
#include "tlm/gpu/gemm_context.h"
#include "tlm/gpu/gemm_order.h"
#include "tlm/gpu/operand_loader.h"
#include "tlm/gpu/store_path.h"

namespace t3 {

/// Runs the workgroups of a launch on the slots of the compute units.
///
/// Workgroups, one for each output tile, go to free slots in dispatch order; waves and their
/// quantisation emerge. A workgroup walks K in steps, with the operands of `load_stages` steps
/// loaded ahead. When a step's operands are at the CU and the previous step is done, they pass
/// through local memory (`step_sync_cycles`); then the math takes GemmConfig::mathCycles.
/// Workgroups of a CU share its matrix unit: the first that is ready is served first. After the
/// last step the tile goes to the store path; the slot is free when the ports have taken all its
/// stores.
///
///     slot   │ prologue     │sync│ math 0 │sync│ math 1 │ late │sync│ math 2 │ … │ epilogue │
///     loads  └─ 0, 1 ───────┘    └ … ─────┴─ 2 (one step ahead: load_stages 2) ┘
///
/// So a slow memory costs time where silicon loses it: in the prologue, where an operand takes
/// longer than the math loaded ahead, and in the epilogue. GemmStatistics says how much each takes.
///
/// A slot waits for operands, the matrix unit and ports. None of these waits for another slot.
///
/// In a launch row by row, workgroups are there when their row has been released. Rows that wait
/// together are walked in one band, as high as the launch's order has them.
class WorkgroupScheduler : public OperandClient, public StoreClient, public SlotUser {
 public:
  WorkgroupScheduler(GemmContext& context, OperandLoader& loader, StorePath& stores);

  /// A launch in this order, which starts with `begin`.
  void launch(GemmOrder order);
  void begin() { context_.array.offer(); }
  void release(std::uint32_t tileRow);
  /// Rows of tiles whose workgroups may not begin yet.
  std::uint32_t rowsHeld() const { return rowsHeld_; }

  // Calls that the kernel passes on.
  void stepReady(std::uint32_t slot);
  void stepDone(std::uint32_t slot);

  /// All workgroups are finished.
  bool done() const { return tilesInFlight_ == 0 && dispatched_ == tiles_; }
  /// Share of the K steps that are done, 0 … 1.
  double progress() const;
  std::uint32_t tilesDispatched() const { return dispatched_; }
  std::uint32_t tilesInFlight() const { return tilesInFlight_; }
  /// The first wave that is not finished.
  std::uint32_t stage() const;
  /// The chunk of the workgroup dispatched last.
  ChunkId chunk() const;

 private:
  /// Where a workgroup runs.
  struct Slot {
    WorkgroupId workgroup;
    bool mathPending = false;    ///< a step is in math, or queued for it
    std::uint32_t sequence = 0;  ///< position in dispatch order
    std::uint32_t stepsDone = 0;
    Picoseconds since = 0;  ///< begin of what it does or waits for now
  };
  struct ChunkTiles {
    std::uint32_t begun = 0, ended = 0;
  };

  void operandsKnown(std::uint32_t slot) override { tryMath(slot); }
  void stored(std::uint32_t slot) override;
  bool wantsSlot() const override { return dispatched_ < order_.size() || !released_.empty(); }
  void begin(std::uint32_t slot) override;
  void matrixUnitFree(std::uint32_t slot) override;

  void addBand();
  void tryMath(std::uint32_t slot);
  void startMath(std::uint32_t slot, Picoseconds from);
  Picoseconds stepTime(std::uint32_t step) const;
  /// Since the last call for this slot, and restarts it at `until`.
  static Picoseconds spent(Slot& slot, Picoseconds until);

  GemmContext& context_;
  OperandLoader& loader_;
  StorePath& stores_;

  Picoseconds syncTime_;
  std::uint32_t steps_;  ///< of a workgroup
  std::vector<Slot> slots_;
  std::vector<WorkgroupId> order_;  ///< row by row: of the bands so far
  std::uint32_t tiles_ = 0;         ///< of the launch
  std::uint32_t rowsHeld_ = 0;
  std::deque<std::uint32_t> released_;  ///< rows of tiles that are in no band yet
  std::uint32_t bandRows_ = 1;
  bool backwards_ = false;  ///< the next band (GemmConfig::serpentine)
  std::uint32_t dispatched_ = 0;
  std::uint32_t tilesInFlight_ = 0;
  std::uint64_t stepsDone_ = 0;
  std::vector<std::uint32_t> stageLeft_;  ///< unfinished workgroups of each wave
  std::vector<ChunkTiles> chunkTiles_;
};

}  // namespace t3
