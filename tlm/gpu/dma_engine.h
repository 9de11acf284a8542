// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <utility>
#include <vector>

#include "tlm/gpu/announcer.h"
#include "tlm/gpu/dma_channels.h"
#include "tlm/gpu/dma_command_table.h"
#include "tlm/gpu/dma_config.h"
#include "tlm/gpu/dma_context.h"
#include "tlm/gpu/dma_transfer.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/zero_fill.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/trigger_message.h"

namespace t3 {

/// By which ways what a DMA engine reads may go on.
struct DmaPorts {
  std::uint32_t links = 1;
  bool local = false;  ///< there are transfers to the local memory alone
};

/// Carries finished tiles to the next GPU, and sees to the zeros that updates add to.
///
///     trigger ─► command table ─► channels ─► reads ─► memory
///                       run ─────────┘  └───► updates, copies ─► egress, memory
///     fillZero, clear ─► zero fill ─► stores or clears ─► memory
///
/// Sockets. `trigger`: the tracker's command stream; each write carries a `TriggerMessage`.
/// TLM_COMPLETED: taken. TLM_ACCEPTED: the queue is full; the engine keeps the message, takes it
/// when there is room, and then answers BEGIN_RESP (it is not to be sent again). `memory`: reads of
/// tiles, local writes, zeroing writes and clears. `egress`: updates to the other GPU's memory.
///
/// A message is a trigger of a programmed command, or goes to who has asked for all (`onTrigger`)
/// and runs transfers of its own.
///
/// Timing. A command's first read starts `command_latency_ns` after the command is taken, or later
/// when a channel is free. With `whole_chunks` a triggered command is held until all of its chunk
/// have been triggered. Everything else is the time of the memory and the link.
///
/// Errors (SC_REPORT_ERROR "t3/dma"): a trigger for a command that was never programmed or does not
/// wait for one (so every command runs exactly once) or whose sum received an update when it was
/// complete. If the report does not end the simulation, the engine ignores the trigger.
class DmaEngine : public sc_core::sc_module, public Announcer, private MemoryClient {
 public:
  using Done = ZeroFill::Done;
  using Ranges = ZeroFill::Ranges;

  tlm_utils::simple_target_socket_optional<DmaEngine> trigger{"trigger"};  ///< of a tracker

 private:
  /// Hears of remote writes.
  struct Links : MemoryClient {
    DmaEngine& engine;

    explicit Links(DmaEngine& of) : engine(of) {}
    void accepted(Payload& write) override { engine.channels_.writeAccepted(write); }
    void completed(Payload& /*write*/, Picoseconds /*when*/) override {}
  };
  Links links_{*this};

 public:
  MemoryPort memory;
  EgressPorts egress;
  EgressPorts gatherEgress;  ///< for the all-gather; no ports unless it has channels of its own

  DmaEngine(const sc_core::sc_module_name& name, const DmaConfig& config, DataType dataType,
            DataMode mode, GpuId gpu, PayloadPool& pool, DmaPorts ports = {});

  /// Arms a command. It may be armed again once it has finished.
  void program(CommandId command, const DmaDescriptor& descriptor, DmaShape shape) {
    commands_.program(command, descriptor, shape);
  }
  /// Software starts an armed command. Its reads are not marked as `triggered`. Never refused.
  void start(CommandId command);
  /// Software, or what `onTrigger` was given, runs a transfer. Never refused.
  void run(DmaTransfer transfer) { channels_.run(std::move(transfer), now()); }
  /// Gets all triggers instead of the programmed commands. None is refused.
  void onTrigger(std::function<void(const TriggerMessage&)> handler) {
    triggered_ = std::move(handler);
  }

  /// Writes zeros to all ranges, in their order; `done` runs when the last zero is in memory. One
  /// fill at a time. The ranges should be in the order in which their updates will come. Updates
  /// wait from this call on. The first zero is written at `start` (absolute) if that lies ahead.
  /// The traffic is that of `node`.
  void fillZero(Ranges ranges, Done done, Picoseconds start = 0, NodeNumber node = 0) {
    fill_.begin(std::move(ranges), std::move(done), start, node);
  }
  /// The same, but the memory makes the zeros. Ranges of whole multiples of `rowsBytes`, aligned to
  /// it, are cleared by whole rows (0: the memory has no such clears).
  void clear(Ranges ranges, std::uint32_t rowsBytes, Done done, Picoseconds start = 0,
             NodeNumber node = 0) {
    fill_.beginClear(std::move(ranges), rowsBytes, std::move(done), start, node);
  }
  /// How far that has come; what updates have to wait for.
  ZeroFrontier& zeros() { return fill_.frontier(); }
  const ZeroFrontier& zeros() const { return fill_.frontier(); }

  /// Called when a trigger has been taken for a programmed command.
  void onTriggered(std::function<void(CommandId)> handler) { taken_ = std::move(handler); }
  /// Called when the link has taken the last write of a command.
  void onFinished(std::function<void(const DmaDescriptor&)> handler) {
    commands_.onFinished(std::move(handler));
  }

  bool idle() const;
  /// First workgroups of the commands that are armed and wait for their trigger.
  std::vector<WorkgroupId> untriggered() const { return commands_.untriggered(); }
  const DmaStatistics& statistics() const { return context_.statistics; }
  const ZeroFillStatistics& zeroStatistics() const { return fill_.statistics(); }
  /// One line for a watchdog.
  std::string describe() const;
  void publish(ValueList& list) const override;

 private:
  struct PendingTrigger {
    Payload* payload = nullptr;
    TriggerMessage message;
    Picoseconds arrival = 0;
  };

  tlm::tlm_sync_enum nbTransportForward(Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay);
  void accepted(Payload& /*payload*/) override {}
  void completed(Payload& payload, Picoseconds when) override;

  bool queueFull() const { return channels_.queuedTriggers() >= context_.config.queue_commands; }
  bool takes(const TriggerMessage& message);
  void take(const TriggerMessage& message);
  void takePendingTrigger();

  DmaContext context_;
  DmaCommandTable commands_;
  DmaChannels channels_;
  ZeroFill fill_;
  PendingTrigger pending_;  ///< BEGIN_RESP is owed when it has come and the queue has a place
  Alarm arriving_{Turn::Arrival, [this] { takePendingTrigger(); }};
  /// With `whole_chunks`: what has been triggered of chunks of which more is to come, by what it is
  /// for and the chunk.
  std::map<std::pair<Phase, std::uint32_t>, std::vector<DmaTransfer>> held_;
  std::function<void(const TriggerMessage&)> triggered_;
  std::function<void(CommandId)> taken_;
};

}  // namespace t3
