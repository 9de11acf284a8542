// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <utility>
#include <vector>

#include "tlm/gpu/dma_config.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/gpu/zero_frontier.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"
#include "tlm/transport/trigger_message.h"

namespace t3 {

/// A pre-programmed command: send these tiles, as they are in local memory, to the same place in
/// another GPU.
struct DmaDescriptor {
  TileRange tiles;
  GpuId destination;
  MemoryOperation operation = MemoryOperation::Add;
  DataType dataType = DataType::Fp16;
};

struct DmaStatistics {
  std::uint64_t commandsProgrammed = 0;
  std::uint64_t commandsTaken = 0;  ///< by trigger or by software
  std::uint64_t commandsFinished = 0;
  std::uint64_t readRequests = 0;
  std::uint64_t readBytes = 0;
  std::uint64_t sentBytes = 0;  ///< accepted by the link
  std::uint64_t fillBytes = 0;
  std::uint64_t peakOutstandingBytes = 0;
  std::uint64_t peakQueuedCommands = 0;
};

/// Carries finished tiles to the next GPU.
///
///     trigger ─► queue ─► channels ─► reads ─► memory ─► data buffer ─► updates ─► egress (link)
///                          round robin  └──────── outstanding_bytes ────────┘
///
/// Sockets. `trigger`: the tracker's command stream; each write carries a `TriggerMessage`.
/// TLM_COMPLETED: taken. TLM_ACCEPTED: the queue is full; the engine keeps the message, takes it
/// when there is room, and then answers BEGIN_RESP (it is not to be sent again). `memory`: reads of
/// tiles and zeroing writes. `egress`: updates to the other GPU's memory.
///
/// A command's tiles are read wavefront tile by wavefront tile, so that each request belongs to
/// one; the rows of a wavefront tile are one request each, or one run where the tile is as wide as
/// the output. What a read returned leaves as one update when its data is due, never before.
/// Between the issue of a read and the acceptance of its update by the link a request occupies the
/// engine's data buffer, so a slow link throttles the reads.
///
/// Each egress port has its share of channels and data buffer; a command leaves by the port of its
/// tiles.
///
/// Timing. A command's first read is `command_latency_ns` after it is taken, or when a channel is
/// free. A channel is free again when the link has accepted its last update. Everything else is the
/// memory's and the link's time.
///
/// Errors (SC_REPORT_ERROR "t3/dma"): a trigger for a command that was never programmed or is not
/// waiting for one (so every command runs exactly once), a message whose wavefront tile is not in
/// the command's block, a failed memory access. Should the report not end the simulation, the
/// trigger is ignored.
class DmaEngine : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  using Done = std::function<void(Picoseconds)>;
  using Ranges = ZeroFrontier::Areas;

  tlm_utils::simple_target_socket<DmaEngine> trigger{"trigger"};
  MemoryPort memory;
  EgressPorts egress;

  DmaEngine(const sc_core::sc_module_name& name, const DmaConfig& config, const Tiling& tiling,
            const MemoryLayout& layout, DataType dataType, DataMode mode, GpuId gpu,
            PayloadPool& pool, const Route* route = nullptr);

  /// Arms a command. It may be armed again once it has finished.
  void program(CommandId command, const DmaDescriptor& descriptor);
  /// Starts an armed command by software; its reads are not `triggered`. Never refused.
  void start(CommandId command);

  /// Writes zeros (initial value of accumulated output, t3-facts "mechanism" 5) as plain stores of
  /// up to `fill_bytes`, range after range; `done` runs when the last is performed. One fill at a
  /// time. The ranges should be in the order in which their updates will come. Updates wait from
  /// this call on, the first zero is written at `start` (absolute) if that lies ahead.
  void fillZero(Ranges ranges, Done done, Picoseconds start = 0);
  /// How far that has come; what updates have to wait for.
  ZeroFrontier& zeros() { return zeros_; }
  const ZeroFrontier& zeros() const { return zeros_; }

  bool idle() const;
  /// First workgroups of the commands that are armed and wait for their trigger.
  std::vector<WorkgroupId> untriggered() const;
  const DmaStatistics& statistics() const { return statistics_; }
  /// One line for a watchdog.
  std::string describe() const;
  void publish(ValueList& list) const override;

 private:
  enum class State : std::uint8_t { Unprogrammed, Armed, Running, Finished };
  struct Command {
    DmaDescriptor descriptor;
    State state = State::Unprogrammed;
    bool triggered = false;
  };
  /// Works on one command: walks the contiguous pieces of its tiles.
  struct Channel {
    bool active = false;
    bool exhausted = false;  ///< all reads issued
    CommandId command;
    WorkgroupId workgroup;
    WavefrontId wavefront;
    Rectangle area;              ///< of the current wavefront tile
    std::uint32_t row = 0;       ///< of `area`: the current segment
    std::uint64_t issued = 0;    ///< bytes of the current segment
    std::uint32_t requests = 0;  ///< read, not yet accepted by the link
  };
  /// What a port has of the engine: every n-th channel and its part of the data buffer, so that
  /// a link that is slow does not hold the others back.
  struct Share {
    std::size_t turn = 0;         ///< channel that is asked first, counted among the port's
    std::deque<CommandId> ready;  ///< past their latency, wait for a channel
    std::uint64_t bytes = 0;
    std::uint32_t reads = 0;
  };
  struct PendingTrigger {
    Payload* payload = nullptr;
    TriggerMessage message;
  };

  tlm::tlm_sync_enum nbTransportForward(Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay);
  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  bool names(const Command& command, const TriggerMessage& message) const;
  void take(CommandId id, bool triggered, Picoseconds when);
  void takePendingTrigger();
  void work();
  void startCommands();
  std::size_t readyCommands() const;
  void issueReads(std::uint32_t port);
  void startCommand(Channel& channel, CommandId id);
  void nextWavefrontTile(Channel& channel);
  std::uint32_t nextBytes(const Channel& channel) const;
  void issueRead(std::size_t index, std::uint32_t bytes);
  void sendUpdate(Payload& read);
  void updateAccepted(const Payload& update);
  void issueFills();
  void fillPerformed(std::uint64_t fill);

  DmaConfig config_;
  Tiling tiling_;
  MemoryLayout layout_;
  DataType dataType_;
  DataMode mode_;
  GpuId gpu_;
  PayloadPool& pool_;

  std::vector<Command> commands_;
  std::vector<Channel> channels_;
  std::vector<Share> shares_;  ///< by port; channel c belongs to port c modulo their number
  std::size_t activeChannels_ = 0;
  std::uint32_t queued_ = 0;  ///< triggered commands that have no channel yet
  TimedQueue<CommandId> starting_;
  TimedQueue<Payload*> due_;  ///< reads, at the time of their data
  PendingTrigger pending_;    ///< BEGIN_RESP is owed when the queue has a place
  std::uint64_t outstandingBytes_ = 0;
  std::uint32_t outstandingReads_ = 0;

  /// One zeroing write, from its issue until it and all before it are performed.
  struct Fill {
    std::uint32_t bytes = 0;
    bool performed = false;
  };
  Ranges fill_;
  std::size_t fillRange_ = 0;     ///< range being issued
  std::uint64_t fillIssued_ = 0;  ///< bytes of it
  std::uint64_t fillOutstanding_ = 0;
  std::deque<Fill> fills_;       ///< in order of issue
  std::uint64_t firstFill_ = 0;  ///< number of fills_.front()
  bool filling_ = false;
  Done fillDone_;
  TimedQueue<std::uint64_t> filled_;  ///< number of a zeroing write, at the time it is performed
  ZeroFrontier zeros_;

  DmaStatistics statistics_;
};

}  // namespace t3
