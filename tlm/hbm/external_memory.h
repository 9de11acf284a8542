// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tlm/hbm/channel/channel_state.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/memory_port.h"

namespace t3 {

/// A TLM-2.0 memory of the caller's behind our controller, in place of the DRAM. The controller
/// decides which access goes next, the target how long it takes. The target's END_REQ is the
/// back-pressure, its response the end of the access.
///
/// The target sees plain reads and writes of local byte addresses, one for each piece. An update is
/// a read, an addition in the controller (`controller_add_ns`) and a write; a read-and-clear is a
/// read and a write of zeros. What overlaps waits in the channel, so both are atomic. An error of
/// the target becomes the response of the request; the write of an update whose read failed is not
/// sent.
///
/// A stock target expects a data pointer. Where the request carries no data it gets zeros.
class ExternalMemory : public sc_core::sc_module, public ChannelMemory, private MemoryClient {
 public:
  MemoryPort port;

  /// `answered` is called when the target has done a piece, in its own time step.
  using Answered = std::function<void(ChannelId channel, std::uint16_t slot)>;
  ExternalMemory(const sc_core::sc_module_name& name, Picoseconds addTime, Answered answered);

  void access(ChannelId channel, std::uint16_t slot, Piece& piece) override;

 private:
  /// A piece under way. The payload's `context` is its place in `accesses_`.
  struct Access {
    ChannelId channel;
    std::uint16_t slot = 0;
    Piece* piece = nullptr;
    Payload* payload = nullptr;  ///< the write that follows the read of an update or read-and-clear
  };

  void accepted(Payload&) override {}
  bool hearsErrors() const override { return true; }
  void completed(Payload& payload, Picoseconds when) override;
  void proceed(std::uint64_t index);

  Picoseconds addTime_;
  Answered answered_;
  PayloadPool pool_;
  std::vector<Access> accesses_;
  std::vector<std::uint64_t> free_;
  TimedQueue<std::uint64_t> due_;  ///< responses with a delay left, and additions under way
};

}  // namespace t3
