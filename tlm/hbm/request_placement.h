// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/channel/channel.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"

namespace t3 {

/// When each channel is to be served next. One action serves all of them, now or at the earliest
/// clock that any asked for.
class ServiceTimer {
 public:
  ServiceTimer(std::uint32_t channels, Cycles period, std::function<void()> serve)
      : period_(period), wakeAt_(channels, kNever), alarm_(Turn::Memory, std::move(serve)) {}

  /// The first clock edge at or after the present time.
  Cycles cycle() const { return (static_cast<Cycles>(now()) + period_ - 1) / period_; }

  /// Serves a channel at the next clock edge.
  void wake(ChannelId channel) {
    wakeAt_[channel.value] = std::min(wakeAt_[channel.value], cycle());
    runSoon();
  }
  /// Acts in this time step, whether or not a channel is due.
  void runSoon() { alarm_.set(now()); }

  /// For the action: every channel that is `due` says when it wants to be served next, then
  /// `sleep`.
  bool due(ChannelId channel, Cycles cycle) {
    if (wakeAt_[channel.value] > cycle) return false;
    wakeAt_[channel.value] = kNever;
    return true;
  }
  void serveAt(ChannelId channel, Cycles cycle) {
    wakeAt_[channel.value] = std::min(wakeAt_[channel.value], cycle);
  }
  void sleep(Cycles cycle) {
    const Cycles next = *std::min_element(wakeAt_.begin(), wakeAt_.end());
    if (next == kNever || next <= cycle) return;  // at or before `cycle`: it acts again at once
    alarm_.set(static_cast<Picoseconds>(next * period_));
  }

 private:
  Cycles period_;
  std::vector<Cycles> wakeAt_;  ///< per channel
  Alarm alarm_;
};

/// Cuts requests into pieces, one for each channel block, and gives these to their channels in
/// order of address. A request whose next piece finds its stream queue full waits there, first
/// come, first served. Requests and pieces come from pools.
class RequestPlacement {
 public:
  using Channels = std::vector<std::unique_ptr<Channel>>;

  /// All of them outlive this object.
  RequestPlacement(const HbmConfig& config, const AddressMapping& mapping, Channels& channels,
                   ServiceTimer& timer);

  /// A request for this payload, of which nothing is placed yet.
  HbmRequest& open(Payload& payload, std::uint32_t socket);
  /// Gives pieces to channels until all are placed (true) or a stream queue is full.
  bool place(HbmRequest& request);
  /// A channel has been served: places what waits for room there. Calls `placed(request)` for each
  /// request that is placed to its end.
  template <typename Placed>
  void placeWaiting(ChannelId channel, Placed placed) {
    if (waitingCount_[channel.value] == 0) return;
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      auto& queue = waiting_[channel.value][stream];
      while (!queue.empty() && channels_[channel.value]->hasRoom(static_cast<Stream>(stream))) {
        HbmRequest& request = *queue.front();
        queue.pop_front();
        --waitingCount_[channel.value];
        if (place(request)) placed(request);
      }
    }
  }
  /// Returns whether it was the last piece of its request.
  bool served(Piece& piece) {
    HbmRequest& request = *piece.request;
    freePieces_.push_back(&piece);
    return --request.open == 0 && request.next == request.end;
  }
  /// Ends a request that has been answered.
  void close(HbmRequest& request);

  /// The memory cannot clear anything: a clear is a write of zeros.
  void clearOverBus() { clearsInBanks_ = false; }
  bool clearsInBanks() const { return clearsInBanks_; }

  std::uint64_t openRequests() const { return openRequests_; }

 private:
  /// The next part of a request: what lies in one block, or a whole row.
  struct Part {
    DramLocation at;
    std::uint64_t address = 0;  ///< of its first byte
    std::uint64_t end = 0;      ///< of the bytes of the request that are placed with it
    bool row = false;
  };
  Part nextPart(const HbmRequest& request) const;
  Piece& takePiece() {
    if (freePieces_.empty()) {
      allPieces_.emplace_back();
      freePieces_.push_back(&allPieces_.back());
    }
    Piece& piece = *freePieces_.back();
    freePieces_.pop_back();
    return piece;
  }

  const AddressMapping& mapping_;
  Channels& channels_;
  ServiceTimer& timer_;
  /// By channel and stream.
  std::vector<std::array<std::deque<HbmRequest*>, kStreams>> waiting_;
  std::vector<std::uint32_t> waitingCount_;  ///< per channel

  std::deque<HbmRequest> allRequests_;
  std::vector<HbmRequest*> freeRequests_;
  std::deque<Piece> allPieces_;
  std::vector<Piece*> freePieces_;
  std::uint64_t openRequests_ = 0;
  bool clearsInBanks_;
};

}  // namespace t3
