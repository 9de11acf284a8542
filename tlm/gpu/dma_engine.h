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

#include "tlm/gpu/dma_channels.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/tiling.h"
#include "tlm/gpu/zero_fill.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// By which ways what a DMA engine reads may go on.
struct DmaPorts {
  std::uint32_t links = 1;
  bool local = false;  ///< there are transfers to the local memory alone
};

/// Carries finished tiles to the next GPU, and sees to the zeros that updates add to.
///
///     trigger ─► commands ─► channels ─► reads ─► memory
///                     run ─────┘  └───► updates, copies ─► egress, memory
///     fillZero, clear ─► zero fill ─► stores or clears ─► memory
///
/// A command is a transfer that is programmed ahead. It is taken only when it is armed, so it runs
/// exactly once each time it is programmed:
///
///     program ─► armed ── trigger or start ─► running ─► finished
///                  ▲                                        │
///                  └──────────────── program ───────────────┘
///
/// Sockets. `trigger`: the tracker's command stream, writes of a `TriggerMessage`. TLM_COMPLETED:
/// taken. TLM_ACCEPTED: the queue is full; BEGIN_RESP follows when there was room. `memory`: reads,
/// local writes, zeroing. `egress`: writes to other GPUs.
///
/// Timing. A command's first read starts `command_latency_ns` after the command is taken, or when a
/// channel is free. With `whole_chunks` it is held until all of its chunk have been triggered. All
/// else is the time of memory and links.
///
/// Errors (SC_REPORT_ERROR "t3/dma"): a trigger for a command that is not armed, or whose sum
/// received an update when it was complete. If the report does not end the simulation, the trigger
/// is ignored.
class DmaEngine : public sc_core::sc_module, public Publisher, private MemoryClient {
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

  DmaEngine(const sc_core::sc_module_name& name, const DmaConfig& config,
            const RequestMaker& requests, DmaPorts ports = {});

  /// Arms a command that is not running. One that moves nothing is over when it is triggered: so
  /// the engine hears of a block that stays here.
  void program(CommandId command, DmaTransfer transfer);
  /// Software starts an armed command. Its reads are not marked as `triggered`. Never refused.
  void start(CommandId command);
  /// Software, or what `onTrigger` was given, runs a transfer. Never refused.
  void run(DmaTransfer transfer) { channels_.run(std::move(transfer), now()); }
  /// Gets all triggers instead of the programmed commands. None is refused.
  void onTrigger(std::function<void(const TriggerMessage&)> handler) {
    triggered_ = std::move(handler);
  }

  /// Writes zeros to all ranges, which should be in the order in which their updates will come; one
  /// fill at a time. Updates wait from now on. The first zero is written at `start` (absolute) if
  /// that lies ahead; `done` runs when the last one is in memory.
  void fillZero(Ranges ranges, Done done, Picoseconds start = 0, NodeId node = 0) {
    fill_.begin(std::move(ranges), std::move(done), start, node);
  }
  /// The same, but the memory makes the zeros: by whole rows where ranges are aligned to
  /// `rowsBytes` (0: it has no such clears).
  void clear(Ranges ranges, std::uint32_t rowsBytes, Done done, Picoseconds start = 0,
             NodeId node = 0) {
    fill_.beginClear(std::move(ranges), rowsBytes, std::move(done), start, node);
  }
  /// How far that has come; what updates have to wait for.
  ZeroFrontier& zeros() { return fill_.frontier(); }
  const ZeroFrontier& zeros() const { return fill_.frontier(); }

  /// Called when a trigger has been taken for a programmed command.
  void onTriggered(std::function<void(CommandId)> handler) { taken_ = std::move(handler); }
  /// Called when the link has taken the last write of a command.
  void onFinished(std::function<void(const DmaTransfer&)> handler) {
    finished_ = std::move(handler);
  }

  bool idle() const;
  /// First workgroups of the commands that are armed and wait for their trigger.
  std::vector<WorkgroupId> untriggered() const;
  const DmaStatistics& statistics() const { return context_.statistics; }
  const ZeroFillStatistics& zeroStatistics() const { return fill_.statistics(); }
  /// One line for a watchdog.
  std::string describe() const;
  void publish(ValueList& list) const override;

 private:
  enum class State : std::uint8_t { Unprogrammed, Armed, Running, Finished };
  struct Command {
    DmaTransfer transfer;
    State state = State::Unprogrammed;
  };
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
  bool known(CommandId id) const { return id.value < commands_.size(); }
  bool armed(CommandId id) const { return known(id) && commands_[id.value].state == State::Armed; }
  bool acceptsTrigger(const TriggerMessage& message) const;
  bool takes(const TriggerMessage& message);
  bool movesNothing(CommandId id);
  void take(CommandId command);
  DmaTransfer begin(CommandId command, bool triggered);
  void takePendingTrigger();

  DmaContext context_;
  std::vector<Command> commands_;
  DmaChannels channels_;
  ZeroFill fill_;
  PendingTrigger pending_;  ///< BEGIN_RESP is owed when it has come and the queue has a place
  Alarm arriving_{Turn::Arrival, [this] { takePendingTrigger(); }};
  /// With `whole_chunks`, by phase and chunk: what has been triggered while more is to come.
  std::map<std::pair<Phase, std::uint32_t>, std::vector<DmaTransfer>> held_;
  std::function<void(const TriggerMessage&)> triggered_;
  std::function<void(CommandId)> taken_;
  std::function<void(const DmaTransfer&)> finished_;
};

}  // namespace t3
