// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/request_maker.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/numbers.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Where a transfer writes what it has read: to the same place in a buffer of the same shape.
struct DmaWrite {
  std::uint64_t destination = 0;  ///< address of the buffer, global if another GPU's
  MemoryOperation operation = MemoryOperation::Store;
  /// The receiving tracker counts it, and has tiled as many outputs before those of the transfer.
  std::optional<std::uint32_t> row = {};
  std::uint32_t port = 0;  ///< to another GPU
  /// It stands for all other GPUs: one store, of which the switch makes one for each.
  bool multicast = false;
};

/// Tiles that are read once, and written to other GPUs, the local memory or both. Without a write,
/// nothing is read.
struct DmaTransfer {
  const Tiling* tiling = nullptr;  ///< of the tiles; outlives the transfer
  TileRange tiles = {};
  std::uint32_t outputs = 1;           ///< that follow one another, see `ByteWalk`
  std::uint64_t source = 0;            ///< address of the buffer
  bool clears = false;                 ///< the reads leave zeros behind
  bool triggered = false;              ///< by the tracker, which has seen all bytes arrive
  Phase phase = Phase::ReduceScatter;  ///< of its traffic; what gathers waits for what reduces
  NodeId node = 0;                     ///< whose its traffic is
  /// Of those that wait for a channel, the lowest goes first; of equals, the first.
  std::uint32_t rank = 0;
  std::optional<DmaWrite> local = {};
  std::vector<DmaWrite> remote = {};
  std::size_t slowest = 0;  ///< of the remote writes: whose link takes longest
  // Name it when it is taken, begins and ends (`Event`).
  std::uint32_t number = 0, threadBlock = 0, slice = 0;
  WorkgroupId workgroup = {};
  std::function<void()> finished = {};

  bool moves() const { return local || !remote.empty(); }
};

struct DmaStatistics {
  std::uint64_t commandsProgrammed = 0;
  std::uint64_t commandsTaken = 0;  ///< by trigger or by software
  std::uint64_t commandsFinished = 0;
  std::uint64_t readRequests = 0;
  std::uint64_t readBytes = 0;
  std::uint64_t sentBytes = 0;  ///< accepted by the link, in front of a codec
  std::uint64_t peakOutstandingBytes = 0;
  std::uint64_t peakQueuedCommands = 0;
};

/// What the parts of one DMA engine share.
struct DmaContext {
  DmaConfig config;
  RequestMaker requests;
  MemoryPort& memory;
  EgressPorts& egress;
  EgressPorts& gatherEgress;  ///< no ports: what gathers has no channels of its own
  bool localShare;            ///< there are channels for transfers to the local memory alone
  const Publisher& engine;
  DmaStatistics statistics = {};

  static void reportError(const std::string& text) { SC_REPORT_ERROR("t3/dma", text.c_str()); }
};

/// The channels of a DMA engine. Each works on one transfer: it reads the tiles and writes what it
/// read, as updates or as plain writes.
///
///     transfer ─► latency ─► channel ─► reads ─► memory ─► data buffer ─┬► writes ─► egress (link)
///                         round robin  └─────── outstanding_bytes ──────┴► writes ─► memory
///
/// A transfer that has got a channel begins to read `command_overhead_ns` later. A run of bytes
/// (`ByteWalk`) is read in requests of up to `read_bytes`; what a read returned leaves as one write
/// to each target when its data is due. A request occupies the data buffer from the issue of its
/// read until the links have accepted its writes and memory has performed a local one, so a slow
/// link throttles the reads.
///
/// Each egress port has a share of the channels and of the data buffer, so that a slow link does
/// not hold back the others; so has the local memory. A transfer with several targets belongs to
/// the port of the slowest, because its data is held until the last link has accepted it. Of those
/// that wait the one of lowest rank goes first; of equals, the first.
///
/// What reduces goes before what gathers. With `gather_channels` the all-gather has shares and
/// ports of its own, so that none of its data stands before an update. Without, its transfers wait
/// until none of the reduce-scatter waits for a channel.
class DmaChannels {
 public:
  /// `begun` is called when transfers have got channels.
  DmaChannels(DmaContext& context, std::function<void()> begun);

  /// Takes a transfer at `when`; `command_latency_ns` later it may have a channel.
  void run(DmaTransfer transfer, Picoseconds when);

  // Calls that the engine passes on.
  void readCompleted(Payload& read, Picoseconds when);
  void writeAccepted(const Payload& remote);
  void writePerformed(Payload& local, Picoseconds when);

  bool idle() const { return active_ == 0 && queued_ == 0; }
  std::size_t channels() const { return channels_.size(); }
  std::size_t active() const { return active_; }
  /// Transfers that have no channel yet.
  std::size_t queued() const { return queued_; }
  std::size_t queuedTriggers() const { return queuedTriggers_; }  ///< of them, `triggered`
  std::uint32_t outstandingReads() const { return outstandingReads_; }
  std::uint64_t outstandingBytes() const { return outstandingBytes_; }
  void publish(ValueList& list) const;

 private:
  using TransferPtr = std::unique_ptr<const DmaTransfer>;

  struct Channel {
    std::size_t share = 0;
    bool active = false;
    bool settingUp = false;      ///< active, and not yet to read
    TransferPtr transfer;        ///< the last one if it is not active
    ByteWalk walk;               ///< to the next read
    std::uint32_t requests = 0;  ///< read, and not all of it written
  };
  /// What a port, or the local memory, has of the engine: channels that follow one another, and a
  /// part of the data buffer.
  struct Share {
    Share() = default;
    Share(Share&&) = default;

    EgressPorts* egress = nullptr;
    std::size_t first = 0, channels = 0;
    std::uint64_t mostBytes = 0, mostReads = 0;
    std::size_t turn = 0;  ///< channel that is asked first, counted among the share's
    std::deque<TransferPtr> waiting, waitingToGather;  ///< without a channel, by rank
    std::uint64_t bytes = 0;                           ///< outstanding
    std::uint32_t reads = 0;                           ///< outstanding
  };
  /// A read that is being written.
  struct Request {
    std::size_t channel = 0;
    std::size_t writesLeft = 0;  ///< not yet done
  };

  void addShares(EgressPorts& egress, std::size_t count, std::uint32_t channels);
  Share& shareOf(const DmaTransfer& transfer);
  void queue(TransferPtr transfer);
  void work();
  void begin(std::size_t index, TransferPtr transfer);
  void issueReads(Share& share);
  void issueRead(std::size_t index, std::uint32_t bytes);
  void writeOut(Payload& read);
  Payload& makeWrite(const Payload& read, const DmaWrite& to, std::uint32_t number);
  void writeDone(std::uint32_t number, std::uint32_t bytes);
  void end(Channel& channel);
  void announce(EventKind kind, const DmaTransfer& transfer) const;
  std::uint32_t nextBytes(const Channel& channel) const;

  DmaContext& context_;
  const std::function<void()> begun_;
  std::vector<Channel> channels_;
  std::vector<Share> shares_;      ///< by port; then those of the all-gather; then the local one
  std::vector<Request> requests_;  ///< by number
  NumberPool numbers_;
  std::size_t active_ = 0, queued_ = 0, queuedTriggers_ = 0;
  std::uint32_t outstandingReads_ = 0;
  std::uint64_t outstandingBytes_ = 0;
  TimedQueue<TransferPtr> starting_;  ///< at the end of their latency
  TimedQueue<std::size_t> setUp_;     ///< channels, at the end of their overhead
  TimedQueue<Payload*> due_;          ///< reads, at the time of their data
  TimedQueue<Payload*> performed_;    ///< local writes, when they are in memory
};

}  // namespace t3
