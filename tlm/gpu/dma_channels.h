// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tlm/gpu/dma_command_table.h"
#include "tlm/gpu/dma_context.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"
#include "tlm/transport/number_pool.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// The channels of a DMA engine: each works on one command, reads its tiles and sends what it read,
/// as updates or as plain writes.
///
///     command ─► channel ─► reads ─► memory ─► data buffer ─► writes ─► egress (link)
///              round robin  └─────────── outstanding_bytes ─────┘
///
/// A command's tiles are read wavefront tile by wavefront tile, so that each request belongs to
/// one. A row of a wavefront tile is one segment; where the tile is as wide as the output its rows
/// follow one another, and the whole tile is one. A segment is read in requests of up to
/// `read_bytes`. What a read returned leaves as one write to each target when its data is due,
/// never before. From the issue of a read until the links have accepted its writes a request
/// occupies the data buffer, so a slow link throttles the reads.
///
/// Each egress port has its share of the channels and of the data buffer, so that a slow link does
/// not hold back the others. A command belongs to the port of its target, one that has several to
/// that of the slowest, because its data is held until the last link has accepted it. Of those that
/// wait the one of lowest rank is begun first; of equals, the first. A channel is free again when
/// the links have accepted its last write.
///
/// What reduces goes before what gathers. With `gather_channels` the all-gather has shares of its
/// own, and sends through ports of its own, so that none of its data stands before an update;
/// reads of the reduce-scatter are issued first. Without, commands of the all-gather wait until
/// none of the reduce-scatter waits for a channel.
class DmaChannels {
 public:
  DmaChannels(DmaContext& context, DmaCommandTable& commands);

  /// The command waits for a channel from now on.
  void add(CommandId id);

  // Calls that the engine passes on.
  void readCompleted(Payload& read, Picoseconds when);
  void writeAccepted(const Payload& write);

  bool idle() const { return active_ == 0 && waitingCommands() == 0; }
  std::size_t channels() const { return channels_.size(); }
  std::size_t active() const { return active_; }
  /// Commands that wait for a channel.
  std::size_t waitingCommands() const;
  std::uint32_t outstandingReads() const { return outstandingReads_; }
  std::uint64_t outstandingBytes() const { return outstandingBytes_; }
  void publish(ValueList& list) const;

 private:
  /// Works on one command: walks the segments of its tiles.
  struct Channel {
    std::size_t share = 0;
    bool active = false;
    bool exhausted = false;  ///< all reads issued
    CommandId command;
    WorkgroupId workgroup;
    WavefrontId wavefront;
    Rectangle area;              ///< of the current wavefront tile
    std::uint32_t row = 0;       ///< of `area`: the current segment
    std::uint64_t issued = 0;    ///< bytes of the current segment
    std::uint32_t requests = 0;  ///< read, not yet accepted by all links
  };
  /// What a port has of the engine: some channels and a part of the data buffer.
  struct Share {
    EgressPorts* egress = nullptr;
    std::vector<std::size_t> channels;
    std::uint64_t mostBytes = 0, mostReads = 0;
    std::size_t turn = 0;  ///< channel that is asked first, counted among the share's
    std::deque<CommandId> waiting, waitingToGather;  ///< commands without a channel, by rank
    std::uint64_t bytes = 0;                         ///< outstanding
    std::uint32_t reads = 0;                         ///< outstanding
  };

  void addShares(EgressPorts& egress, std::uint32_t channels);
  Share& shareOf(CommandId id);
  void work();
  void startCommands();
  void startCommand(Channel& channel, CommandId id);
  void issueReads(Share& share);
  void issueRead(std::size_t index, std::uint32_t bytes);
  void nextWavefrontTile(Channel& channel);
  std::uint32_t nextBytes(const Channel& channel) const;
  void sendOn(Payload& read);
  /// The number of a read that has `copies` writes on their way.
  std::uint32_t holdForCopies(std::uint32_t copies);

  DmaContext& context_;
  DmaCommandTable& commands_;
  std::vector<Channel> channels_;
  std::vector<Share> shares_;              ///< by port; then those of the all-gather, by port
  std::vector<std::uint32_t> copiesLeft_;  ///< writes not yet accepted, by number of the read
  NumberPool numbers_;
  std::size_t active_ = 0;
  std::uint32_t outstandingReads_ = 0;
  std::uint64_t outstandingBytes_ = 0;
  TimedQueue<Payload*> due_;  ///< reads, at the time of their data
};

}  // namespace t3
