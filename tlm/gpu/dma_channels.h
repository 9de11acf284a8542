// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "tlm/gpu/byte_walk.h"
#include "tlm/gpu/dma_context.h"
#include "tlm/gpu/dma_transfer.h"
#include "tlm/transport/number_pool.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// The channels of a DMA engine: each works on one transfer, reads its tiles and writes what it
/// read, as updates or as plain writes.
///
///     transfer ─► latency ─► channel ─► reads ─► memory ─► data buffer ─┬► writes ─► egress (link)
///                         round robin  └─────── outstanding_bytes ──────┴► writes ─► memory
///
/// A transfer that has got a channel begins to read `command_overhead_ns` later.
/// A run of bytes (`ByteWalk`) is read in requests of up to `read_bytes`. What a read returned
/// leaves as one write to each target when its data is due, never before. From the issue of a read
/// until the links have accepted its writes, and memory has performed a local one, a request
/// occupies the data buffer, so a slow link throttles the reads.
///
/// Each egress port has its share of the channels and of the data buffer, so that a slow link does
/// not hold back the others. A transfer belongs to the port of its target, one that has several to
/// that of the slowest, because its data is held until the last link has accepted it. Transfers
/// that stay in the local memory have a share like that of a port. Of those that wait the one of
/// lowest rank is begun first; of equals, the first. A channel is free again when the last write is
/// done.
///
/// What reduces goes before what gathers. With `gather_channels` the all-gather has shares of its
/// own, and sends through ports of its own, so that none of its data stands before an update;
/// reads of the reduce-scatter are issued first. Without, transfers of the all-gather wait until
/// none of the reduce-scatter waits for a channel.
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
