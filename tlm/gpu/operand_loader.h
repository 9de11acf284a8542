// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tlm/gpu/gemm_context.h"
#include "tlm/gpu/l2_cache.h"
#include "tlm/gpu/readiness.h"
#include "tlm/gpu/store_path.h"

namespace t3 {

/// The user of an `OperandLoader`.
class OperandClient {
 public:
  virtual ~OperandClient() = default;
  /// All operands of some step of `slot` now have a known time of arrival. Not called for a step
  /// that `load` itself settles.
  virtual void operandsKnown(std::uint32_t slot) = 0;
};

/// Brings the operands of a GEMM to its compute units, through the L2.
///
///     load ─► bytes ready? ─► room among the CU's ─► L2 ─ hit ───────────────► fill path
///              (readiness)    outstanding bytes?     └─ miss ─► memory ───────► of the CU
///
/// A K step of a workgroup needs a slab of A and one of B, or several where a step is wider than a
/// fetch. Each slab is a load of its own and passes four points:
///
/// - Readiness (with `guardLoads`). A load of a block that is not all ready is put aside: it takes
///   no outstanding bytes and no place in a queue, so it holds up its own workgroup only.
/// - Outstanding bytes. A CU may have `outstanding_load_bytes_per_cu` requested and not received;
///   loads beyond that wait in order. A CU with nothing outstanding may always load.
/// - L2. A miss fetches the absent rows of the block, one read for each; loads of a block that is
///   being fetched share the fetch. The number of reads in flight is limited, but a block may start
///   if none is.
/// - Fill path. The data is at the CU when the L2's time for the bytes, the fetch, the hit latency
///   and the cycles of the fill path are over. They overlap, because a transfer streams through
///   all.
class OperandLoader {
 public:
  OperandLoader(GemmContext& context, L2Cache& l2, L2Bandwidth& l2Bandwidth, StorePath& stores,
                OperandClient& client);

  /// Loads wait until `rule` says that their bytes are ready.
  void guardLoads(Readiness& rule);

  void launch();
  /// The operands of one K step of the tile in `slot`. A slot holds those of `load_stages` steps:
  /// step s takes the place of step s - load_stages.
  void load(std::uint32_t slot, WorkgroupId tile, std::uint32_t step);
  /// When all operands of a step are at the CU; empty while that is not known.
  std::optional<Picoseconds> arrival(std::uint32_t slot, std::uint32_t step) const {
    const Stage& stage = stageOf(slot, step);
    return stage.missing == 0 ? std::optional(stage.ready) : std::nullopt;
  }

  // Calls that the kernel passes on.
  void retry(std::uint32_t computeUnit);
  void fetchesDone(std::uint32_t count);
  void completed(const Payload& read, Picoseconds when);

  std::uint32_t fetchesInFlight() const { return fetchesInFlight_; }

 private:
  using Block = GemmBlocks::Block;

  /// The operands of one K step of a slot.
  struct Stage {
    std::uint32_t missing = 0;  ///< loads whose time of arrival is not known
    Picoseconds ready = 0;      ///< the latest of the known ones
  };
  /// One slab, or part of one, for one slot.
  struct Load {
    std::uint32_t slot = 0;
    std::uint32_t step = 0;
    Block block = 0;
    std::uint32_t offset = 0;  ///< in each row of the block
    std::uint32_t rowBytes = 0;
    std::uint32_t bytes = 0;  ///< in all
  };
  struct Arrival {
    Picoseconds when;
    std::uint32_t bytes;
  };
  struct ComputeUnit {
    std::uint64_t outstandingBytes = 0;
    std::vector<Arrival> arrivals;  ///< outstanding loads whose time of arrival is known
    std::deque<Load> blocked;       ///< loads that wait for outstanding bytes, in order
    bool retryPosted = false;
  };
  /// A block that is being fetched.
  struct Fetch {
    std::uint32_t rows = 0, rowsLeft = 0;  ///< a read for each
    std::vector<Load> waiters;
  };
  /// How a slot waits for bytes to become ready.
  struct ReadyWait {
    std::uint32_t loads = 0;
    Picoseconds since = 0;
  };

  std::size_t stageIndex(std::uint32_t slot, std::uint32_t step) const {
    const std::uint32_t stages = context_.config.gemm.load_stages;
    return std::size_t{slot} * stages + step % stages;
  }
  Stage& stageOf(std::uint32_t slot, std::uint32_t step) { return stages_[stageIndex(slot, step)]; }
  const Stage& stageOf(std::uint32_t slot, std::uint32_t step) const {
    return stages_[stageIndex(slot, step)];
  }

  void loadOperand(std::uint32_t slot, std::uint32_t step, Block panel, std::uint32_t rows);
  bool ready(Block block);
  void putAside(const Load& load);
  void retryNotReady();
  void start(const Load& load);
  bool admit(ComputeUnit& cu, std::uint32_t bytes);
  void postRetry(std::uint32_t computeUnit);
  void access(const Load& load);
  void countLines(const Load& load, std::uint32_t rows, const L2Cache::Lookup& lookup);
  Fetch& fetchOf(Block block) { return fetches_[fetchOf_[block]]; }
  Fetch& beginFetch(Block block, std::uint32_t rows);
  void arrived(const Load& load, Picoseconds when);
  void tellIfKnown(const Load& load);
  void issueFetches();

  GemmContext& context_;
  L2Cache& l2_;
  L2Bandwidth& l2Bandwidth_;
  StorePath& stores_;
  OperandClient& client_;

  std::uint32_t fetchLimit_;
  Picoseconds hitLatency_;
  std::vector<Stage> stages_;  ///< `load_stages` of each slot
  std::vector<ComputeUnit> computeUnits_;
  std::vector<Picoseconds> ready_;      ///< by operand block: when its data was fetched last
  std::vector<std::uint32_t> fetchOf_;  ///< by operand block that is being fetched: its place …
  std::vector<Fetch> fetches_;          ///< … here
  std::vector<std::uint32_t> idleFetches_;  ///< places that no block has; they keep their memory
  std::deque<Block> fetchQueue_;            ///< blocks whose fetch waits until others are complete
  std::uint32_t fetchesInFlight_ = 0;

  const Readiness* rule_ = nullptr;
  std::vector<bool> knownReady_;       ///< by operand block: the rule has called it ready
  std::vector<Load> notReady_;         ///< in the order of the calls of `load`
  std::vector<ReadyWait> readyWaits_;  ///< by slot
};

}  // namespace t3
