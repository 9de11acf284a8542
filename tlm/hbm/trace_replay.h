// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/channel/channel.h"
#include "tlm/hbm/hbm_request.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/timing/timing_table.h"

namespace t3 {

/// One line of a request trace.
struct ReplayRequest {
  std::uint64_t address = 0;
  std::uint32_t bytes = 32;
  DramCommandKind kind = DramCommandKind::Read;  ///< Read, Write or Update
  Cycles cycle = 0;                              ///< not before this clock
};

struct ReplayResult {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  Picoseconds time = 0;      ///< of the last response
  LatencyHistogram latency;  ///< from entering the memory to the response
  HbmStatistics statistics;

  double bytesPerNs() const {
    return time == 0 ? 0.0 : static_cast<double>(bytes) * 1e3 / static_cast<double>(time);
  }
};

/// Replays a request trace on the channels of a memory: the channel model of `HbmStack` without
/// SystemC, sockets and data, to be compared with other DRAM simulators request by request.
///
/// Requests enter in the order of the trace, none before its clock, and at most `outstanding` are
/// unanswered.
class TraceReplay : private ChannelHost {
 public:
  /// A configuration whose check() fails is a std::invalid_argument.
  TraceReplay(const HbmConfig& config, std::uint32_t outstanding);
  ~TraceReplay() override;

  void observe(CommandObserver* observer);
  /// Once per object. A request beyond the capacity is a std::out_of_range that names its index.
  /// `progress` hears which share of the requests has entered.
  ReplayResult run(std::span<const ReplayRequest> trace,
                   const std::function<void(double)>& progress = {});

 private:
  bool track(ChannelId, Piece&) override { return true; }
  void served(ChannelId channel, Piece& piece, Picoseconds dataEnd) override;

  /// Gives the channels what is left of a request; false when a stream queue is full.
  bool place(const ReplayRequest& request);
  void serviceDue();

  const HbmConfig config_;
  const TimingTable table_;
  const AddressMapping mapping_;
  Cycles period_;
  Picoseconds responseLatency_;
  std::uint32_t outstanding_;

  HbmStatistics statistics_;
  std::unique_ptr<Arbitration> arbitration_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Cycles> wakeAt_;
  Cycles nextWake_ = kNever;
  Cycles now_ = 0;

  std::vector<HbmRequest> open_;  ///< as many as may be outstanding
  std::vector<std::uint32_t> freeOpen_;
  std::uint32_t placing_ = 0;   ///< the one whose pieces are being placed
  std::uint64_t placedTo_ = 0;  ///< all before this address has been placed
  bool placingNow_ = false;
  std::vector<std::unique_ptr<Piece[]>> pieceBlocks_;
  std::vector<Piece*> freePieces_;
  /// Times at which requests are answered, the earliest first. They come nearly in order, so the
  /// search for the place of a new one starts at the end and is short.
  std::deque<Picoseconds> answers_;
  LatencyHistogram latency_;
  Picoseconds lastAnswer_ = 0;
  std::uint32_t inFlight_ = 0;
};

}  // namespace t3
