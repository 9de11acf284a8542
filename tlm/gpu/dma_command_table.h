// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tlm/gpu/dma_context.h"
#include "tlm/gpu/dma_transfer.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"
#include "tlm/transport/trigger_message.h"

namespace t3 {

/// Where a command sends to, and by which port.
struct DmaTarget {
  std::uint32_t port = 0;
  GpuId gpu;
};

/// A pre-programmed command: send these tiles, as they are in local memory, to the same place in a
/// buffer of other GPUs. They are read once for all targets.
struct DmaDescriptor {
  TileRange tiles;
  /// None: nothing is sent, and the command is over when it is triggered. The engine hears of a
  /// block that stays here in this way.
  std::vector<DmaTarget> targets = {};
  /// The only target stands for all other GPUs: one store, of which the switch makes one for each.
  bool multicast = false;
  MemoryOperation operation = MemoryOperation::Add;
  OutputBuffer from = OutputBuffer::Output;
  OutputBuffer to = OutputBuffer::Output;
  bool clears = false;                 ///< the reads leave zeros behind
  Phase phase = Phase::ReduceScatter;  ///< of its traffic; what gathers waits for what reduces
  NodeNumber node = 0;                 ///< whose its traffic is
  /// Of the commands that wait for a channel, the lowest goes first; of equals, the first.
  std::uint32_t rank = 0;
  std::size_t slowest = 0;  ///< of the targets: whose link takes longest
};

/// How the tiles of commands are cut, and where they lie. Both outlive the commands.
struct DmaShape {
  const Tiling* tiling = nullptr;
  const MemoryLayout* layout = nullptr;
};

/// The commands of a DMA engine and how far each has come:
///
///     program ─► armed ── take (trigger or software) ─► running ─► finished
///                  ▲                                                  │
///                  └───────────────────── program ────────────────────┘
///
/// A command is taken only when it is armed, so it runs exactly once each time it is programmed.
class DmaCommandTable {
 public:
  using Finished = std::function<void(const DmaDescriptor&)>;

  explicit DmaCommandTable(DmaContext& context) : context_(context) {}

  /// Arms a command that is not running.
  void program(CommandId id, const DmaDescriptor& descriptor, DmaShape shape);
  bool armed(CommandId id) const { return known(id) && commands_[id.value].state == State::Armed; }
  /// Whether a trigger names an armed command, and its sum is whole; reports an error if not.
  bool acceptsTrigger(const TriggerMessage& message) const;
  bool sends(CommandId id) const { return !commands_[id.value].descriptor.targets.empty(); }
  /// An armed command that sends nothing is over.
  void end(CommandId id) { commands_[id.value].state = State::Finished; }
  /// Of an armed command: what a channel is to do.
  DmaTransfer take(CommandId id, bool triggered);
  void onFinished(Finished handler) { finished_ = std::move(handler); }

  /// First tiles of the armed commands that send something.
  std::vector<WorkgroupId> untriggered() const;

 private:
  enum class State : std::uint8_t { Unprogrammed, Armed, Running, Finished };
  struct Command {
    DmaDescriptor descriptor;
    DmaShape shape;
    State state = State::Unprogrammed;
  };

  bool known(CommandId id) const { return id.value < commands_.size(); }

  DmaContext& context_;
  std::vector<Command> commands_;
  Finished finished_;
};

}  // namespace t3
