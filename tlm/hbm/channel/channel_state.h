// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// What a channel needs from the memory around it.
class ChannelHost {
 public:
  virtual ~ChannelHost() = default;
  /// Shows a tracked write to the tracker. False: its lane is busy. The channel is served again
  /// when the piece has been counted (`Piece::counted`) or may be shown again.
  virtual bool track(ChannelId channel, Piece& piece) = 0;
  /// All column commands of the piece are planned; its data is at rest or on the bus at `dataEnd`.
  /// Called in the order in which the DRAM serves pieces. The piece is the host's again.
  virtual void served(ChannelId channel, Piece& piece, Picoseconds dataEnd) = 0;
};

/// A memory behind the controller, in place of the DRAM modelled here.
class ChannelMemory {
 public:
  virtual ~ChannelMemory() = default;
  /// Reads, writes or updates the bytes of the piece; `Channel::answered` follows, not from inside
  /// this call.
  virtual void access(ChannelId channel, std::uint16_t slot, Piece& piece) = 0;
};

/// What the channels of a memory have in common. All of it outlives them.
struct ChannelContext {
  const HbmConfig& config;
  const TimingTable& table;
  std::uint32_t groupStride;  ///< of the address mapping
  Cycles period;              ///< of the command clock, in picoseconds
  ChannelHost& host;
  HbmStatistics& statistics;
};

/// What the parts of one channel share.
struct ChannelState : ChannelContext {
  ChannelState(const ChannelContext& context, ChannelId channel)
      : ChannelContext(context),
        id(channel),
        ageLimit(std::llround(config.age_limit_ns * config.clock_mhz * 1e-3)),
        timing(config, table, channel, groupStride, period, statistics),
        queue(config),
        occupancy(config) {}
  ChannelState(const ChannelState&) = delete;
  ChannelState& operator=(const ChannelState&) = delete;

  Picoseconds timeOf(Cycles clock) const { return static_cast<Picoseconds>(clock * period); }
  bool pastAgeLimit(const QueueEntry& entry, Cycles now) const {
    return now - entry.entered > ageLimit;
  }

  const ChannelId id;
  const Cycles ageLimit;
  ChannelTiming timing;
  DramQueue queue;
  QueueOccupancy occupancy;
};

}  // namespace t3
