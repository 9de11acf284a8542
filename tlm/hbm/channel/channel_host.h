// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/piece.h"
#include "tlm/hbm/timing/timing_table.h"

namespace t3 {

/// What a channel needs from the stack around it.
class ChannelHost {
 public:
  virtual ~ChannelHost() = default;
  /// Shows a tracked write to the tracker; false: its lane is busy, and the channel is served
  /// again when the piece has been counted (`Piece::counted`) or may be offered again.
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

}  // namespace t3
