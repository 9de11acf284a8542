// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/gpu/dma_channels.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/hbm/stack_shares.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/index.h"

namespace t3 {

/// A run of tiles that is tracked alike, and what their completion does.
struct TrackedRegion {
  TileRange tiles;
  std::uint32_t updatesPerElement = 2;
  bool trigger = false;                        ///< say each block that is done, for a DMA command
  CommandId firstCommand{};                    ///< slot of the first block
  OutputBuffer buffer = OutputBuffer::Output;  ///< where the tiles lie
  std::uint64_t bytes = 0;                     ///< of that buffer; 0: those of the output
  /// Tiles of whole blocks of which nothing is written: the region is done without them.
  std::vector<TileRange> unwritten = {};
  /// The row slot that row 0 of the grid counts for, if the tracker is to release rows of these
  /// tiles. Blocks do not cross rows then.
  std::optional<std::uint32_t> firstRow = std::nullopt;
};

/// All that a tracker is told of an output: its blocks of 2^`blockLog2` tiles are what slots count.
struct TrackerProgram {
  Tiling tiling{{1, 1, 1}, {1, 1, 1}, 1};
  MemoryLayout layout = {};
  std::uint32_t blockLog2 = 0;
  std::vector<TrackedRegion> regions = {};
  /// Where each row of elements begins. Empty: rows follow one another in their region's buffer.
  std::vector<std::uint64_t> rowAddresses = {};
};

/// What a tracker is to do for the output of one kernel.
struct TrackerUse {
  /// Which updates of the chunks that are summed here it counts.
  enum class Sums : std::uint8_t {
    None,
    ByOthers,  ///< the local copies are in memory before
    All
  };
  Sums sums = Sums::All;
  bool readsClear = false;  ///< the DMA engine leaves zeros behind where it reads partial sums
  /// Final chunks are sent on: the own one when it is summed, those of others when they arrive.
  bool gathers = false;
  /// The tracker releases each row of tiles when all of it is final here: own sums and arrivals.
  /// Its number is the row slot.
  bool releases = false;
  /// A norm stands between own sums and what is sent on: the tracker releases the rows of the own
  /// sums, in row slots behind those of all rows, and sends what the norm stores. Own chunks are
  /// whole rows then, one after the other.
  bool norms = false;
  /// A switch makes one store for each GPU of one for all: where a chunk goes to all others, it is
  /// sent once.
  bool multicasts = false;
  /// Commands have the rank of their slab, so many rows of every chunk: sums and rows of the first
  /// slabs go before those of later ones. 0: in the order in which they are complete.
  std::uint32_t rankedRows = 0;
};

/// What software programs into a GPU's tracker and DMA engine for that. It follows from the route:
/// which chunks are summed here and sent on from `Route::duty`, who sends which final chunk to whom
/// from the steps of the all-gather's kernels.
///
/// Regions. Chunks that are treated alike form a few runs of workgroup ids, a region each; the
/// lowest-numbered region that matches wins. Those of the all-gather lie where the output is, the
/// partial sums in the accumulation buffer, so no two match the same write:
///
///     chunk             buffer        updates   when a block is complete
///     passes through    accumulation  Route     trigger: send the sum on, as updates
///     own               output        Route     trigger: send writes if it `gathers`, else nothing
///     arrives, is last  output        1
///     arrives           output        1         trigger: send it on as writes
///
/// With a norm what arrives, and what the norm stores of the own chunk, is in a buffer of its own,
/// and the own sums release their rows instead of going on:
///
///     own               output        2 (ring)  releases rows of the norm; trigger: send nothing
///     own, normed       normed        1         trigger: send it on as writes
///     arrives           normed        1         as above
///
/// The last row is one region over all workgroups, behind those of the own chunk and of the last
/// ones. So one ring needs 5 regions, two rings and rings in nodes need 8. Software waits for whole
/// regions: the tracker counts their blocks and interrupts it. The DMA engine hears of each sum,
/// also where there is nothing to send, because the lag of the ring is counted there (RingLag).
///
/// Slots. With `gathers` the blocks of the whole output come first, block b in slot b, whatever the
/// region; those of the partial sums follow, chunk after chunk.
struct TrackerPlan {
  /// A DMA command and the slot that counts for it.
  struct Command {
    CommandId slot;
    DmaTransfer transfer;
  };
  /// A block that is final when it is complete.
  struct Block {
    CommandId slot;
    TileRange tiles;
  };

  std::vector<TrackedRegion> regions;
  std::vector<Command> commands;  ///< in order of their slots
  std::uint32_t triggered = 0;    ///< commands that the tracker starts, not software
  std::vector<Block> reduced;     ///< of the own chunk, summed
  std::vector<Block> normed;      ///< of the own chunk, stored by the norm
  std::vector<Block> arrived;     ///< stored by other GPUs
  /// Numbers of the regions that are done with them. With a norm what arrives to be sent on and
  /// what the norm stores are one region.
  std::vector<std::uint32_t> reducedRegions, arrivedRegions;
  std::uint32_t slots = 0;
  std::uint32_t firstOwnRow = 0;  ///< with a norm: of tiles; it has the first slot behind all rows
};

/// `blockLog2`: a command covers 2^blockLog2 tiles, and a chunk begins with one. The tiling
/// outlives the plan. Without a layout, commands have no addresses.
TrackerPlan planTracker(const Route& route, const Tiling& tiling, GpuId gpu,
                        std::uint32_t blockLog2, const TrackerUse& use,
                        const MemoryLayout& layout = {});

/// Slots that `use` needs on any GPU, with blocks of 2^blockLog2 tiles.
std::uint32_t slotsNeeded(const Route& route, const Tiling& tiling, std::uint32_t blockLog2,
                          const TrackerUse& use);

/// What the tracker lacks for `use` on some GPU, beside slots: "expected …".
std::optional<std::string> checkPlan(const TrackerConfig& tracker, const Route& route,
                                     const Tiling& tiling, const TrackerUse& use);

/// Bytes of the tiles of a block.
std::uint64_t blockBytes(const Tiling& tiling, TileRange block);

/// The same in a buffer, by the stack in which they lie.
StackShares::Bytes blockShares(const StackShares& shares, const TrackerProgram& program,
                               OutputBuffer buffer, TileRange block);

/// Whether a slot of the tracker counts `updates` contributions to the largest block of
/// 2^`blockLog2` tiles. If not, one line that begins with a setting.
std::optional<std::string> checkBlockBytes(const Tiling& tiling, std::uint32_t blockLog2,
                                           std::uint32_t updates);

}  // namespace t3
