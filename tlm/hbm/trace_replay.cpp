// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/trace_replay.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace t3 {
namespace {

HbmConfig checked(const HbmConfig& config) {
  if (const auto problem = config.check()) throw std::invalid_argument(*problem);
  return config;
}

constexpr std::size_t kPieceBlock = 256;
constexpr std::size_t kLookInterval = 1 << 16;  ///< requests between two reports of progress

}  // namespace

TraceReplay::TraceReplay(const HbmConfig& config, std::uint32_t outstanding)
    : config_(checked(config)),
      table_(config_),
      mapping_(config_),
      period_(static_cast<Cycles>(Clock(config_.clock_mhz).period())),
      responseLatency_(picosecondsFromNs(config_.response_latency_ns)),
      outstanding_(std::max(outstanding, 1u)),
      statistics_(config_),
      arbitration_(config_.arbitration->make(config_)),
      wakeAt_(config_.channels, kNever),
      open_(outstanding_) {
  const ChannelContext context{config_, table_, mapping_.groupStride(),
                               period_, *this,  statistics_};
  for (std::uint32_t c = 0; c < config_.channels; ++c) {
    channels_.push_back(std::make_unique<Channel>(
        context, ChannelId{c}, arbitration_->makeArbiter(), table_.refreshInterval()));
  }
  for (std::uint32_t i = outstanding_; i-- > 0;) freeOpen_.push_back(i);
}

TraceReplay::~TraceReplay() = default;

void TraceReplay::observe(CommandObserver* observer) {
  for (const auto& channel : channels_) channel->observe(observer);
}

bool TraceReplay::place(const ReplayRequest& request) {
  if (!placingNow_) {
    placing_ = freeOpen_.back();
    freeOpen_.pop_back();
    open_[placing_].arrival = static_cast<Picoseconds>(now_ * period_);
    open_[placing_].done = 0;
    open_[placing_].open = 1;  // being placed
    placedTo_ = request.address;
    placingNow_ = true;
    ++inFlight_;
  }
  const std::uint64_t requestEnd = request.address + request.bytes;
  while (placedTo_ < requestEnd) {
    const DramLocation at = mapping_.locate(placedTo_);
    Channel& channel = *channels_[at.channel.value];
    if (!channel.hasRoom(Stream::Compute)) return false;
    const std::uint64_t block = placedTo_ & ~(mapping_.blockBytes() - 1);
    const std::uint64_t end = std::min(requestEnd, block + mapping_.blockBytes());
    if (freePieces_.empty()) {
      pieceBlocks_.push_back(std::make_unique<Piece[]>(kPieceBlock));
      for (std::size_t i = 0; i < kPieceBlock; ++i) {
        freePieces_.push_back(&pieceBlocks_.back()[i]);
      }
    }
    Piece& piece = *freePieces_.back();
    freePieces_.pop_back();
    piece.request = &open_[placing_];
    piece.address = placedTo_;
    piece.bytes = static_cast<std::uint32_t>(end - placedTo_);
    piece.kind = request.kind;
    piece.source = nullptr;
    piece.run = mapping_.run(at, placedTo_, end);
    piece.arrival = static_cast<Picoseconds>(now_ * period_);
    placedTo_ = end;
    ++open_[placing_].open;
    if (channel.arrive(piece)) {
      wakeAt_[at.channel.value] = now_;
      nextWake_ = now_;
    }
  }
  placingNow_ = false;
  --open_[placing_].open;  // cannot be the last: nothing is served while placing
  return true;
}

void TraceReplay::served(ChannelId, Piece& piece, Picoseconds dataEnd) {
  HbmRequest& request = *piece.request;
  request.done = std::max(request.done, dataEnd + responseLatency_);
  statistics_.lastData = std::max(statistics_.lastData, dataEnd);
  statistics_.phaseBytes[Phase::Gemm][isRead(piece.kind) ? 0 : 1] += piece.bytes;
  ++statistics_.pieces;
  freePieces_.push_back(&piece);
  if (--request.open > 0) return;
  latency_.add(request.done - request.arrival);
  lastAnswer_ = std::max(lastAnswer_, request.done);
  auto place = answers_.end();
  while (place != answers_.begin() && *(place - 1) > request.done) --place;
  if (place == answers_.end()) {
    answers_.push_back(request.done);
  } else {
    answers_.insert(place, request.done);
  }
  freeOpen_.push_back(static_cast<std::uint32_t>(&request - open_.data()));
}

void TraceReplay::serviceDue() {
  nextWake_ = kNever;
  for (std::uint32_t c = 0; c < config_.channels; ++c) {
    if (wakeAt_[c] <= now_) wakeAt_[c] = channels_[c]->service(now_);
    nextWake_ = std::min(nextWake_, wakeAt_[c]);
  }
}

ReplayResult TraceReplay::run(std::span<const ReplayRequest> trace,
                              const std::function<void(double)>& progress) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].bytes == 0 || trace[i].address + trace[i].bytes > config_.capacityBytes()) {
      throw std::out_of_range("request " + std::to_string(i) + " is outside the memory");
    }
    bytes += trace[i].bytes;
  }
  std::size_t next = 0;
  std::size_t lookAt = kLookInterval;
  while (true) {
    if (next >= lookAt && progress) {
      lookAt = next + kLookInterval;
      progress(static_cast<double>(next) / static_cast<double>(trace.size()));
    }
    while (!answers_.empty() && answers_.front() <= static_cast<Picoseconds>(now_ * period_)) {
      answers_.pop_front();
      --inFlight_;
    }
    bool full = false;  // a stream queue has no room: goes on after the channel's next service
    while (next < trace.size() && !full && trace[next].cycle <= now_ &&
           (placingNow_ || inFlight_ < outstanding_)) {
      full = !place(trace[next]);
      if (!full) ++next;
    }
    if (nextWake_ <= now_) {
      serviceDue();
      if (full) continue;
    }
    Cycles then = nextWake_;
    if (next < trace.size() && !full) {
      if (inFlight_ >= outstanding_ && !answers_.empty()) {
        then = std::min(then, (static_cast<Cycles>(answers_.front()) + period_ - 1) / period_);
      } else if (inFlight_ < outstanding_) {
        then = std::min(then, trace[next].cycle);
      }
    }
    if (then == kNever) break;
    now_ = std::max(now_, then);
  }

  ReplayResult result;
  result.requests = trace.size();
  result.bytes = bytes;
  result.time = lastAnswer_;
  result.latency = latency_;
  statistics_.requests = trace.size();
  statistics_.latency[0] = latency_;
  statistics_.arbitration = arbitration_->statistics();
  result.statistics = statistics_;
  return result;
}

}  // namespace t3
