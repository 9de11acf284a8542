// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/channel_timing.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/transport/traffic.h"

namespace t3 {

struct HbmRequest;

/// The part of a request that lies in one block of one channel: the unit of queueing and
/// scheduling. Comes from the stack's pool.
struct Piece {
  HbmRequest* request = nullptr;  ///< of the host
  std::uint32_t owner = 0;        ///< likewise, for hosts that count instead
  Piece* next = nullptr;          ///< in a stream queue
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  DramCommandKind kind = DramCommandKind::Read;  ///< Read, Write or Update
  Stream stream = Stream::Compute;
  bool tracked = false;
  bool counted = false;  ///< the tracker has taken it: nothing may delay its entry any more
  BurstRun run;
  Picoseconds arrival = 0;
  Picoseconds entered = 0;  ///< the DRAM queue
};

/// What stands behind a controller in place of the DRAM modelled here.
class ChannelMemory {
 public:
  virtual ~ChannelMemory() = default;
  /// Reads, writes or updates the bytes of the piece; `Channel::answered` follows, not from inside
  /// this call.
  virtual void access(ChannelId channel, std::uint16_t slot, Piece& piece) = 0;
};

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
  /// MCA's limit for the running kernel, 0 for none.
  virtual std::uint32_t mcaThreshold() const = 0;
};

}  // namespace t3
