// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/channel/channel.h"

namespace t3::test {

/// One `Channel` without SystemC around it. Pieces arrive at given clocks, and time goes from one
/// service to the next as in a stack. It is fast enough for thousands of runs.
class ChannelHarness : public ChannelHost {
 public:
  struct Arrival {
    Cycles at = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 32;
    DramCommandKind kind = DramCommandKind::Read;
    Stream stream = Stream::Compute;
    bool tracked = false;
  };
  struct Served {
    Arrival arrival;
    std::size_t index;  ///< into the arrivals
    Picoseconds dataEnd;
    Cycles decided;
    Picoseconds entered;                ///< the DRAM queue
    std::optional<std::size_t> source;  ///< the queued write that answered this read
  };

  explicit ChannelHarness(const HbmConfig& config)
      : config_(config),
        table_(config_),
        mapping_(config_),
        period_(static_cast<Cycles>(Clock(config.clock_mhz).period())),
        statistics_(config_),
        arbitration_(config_.arbitration->make(config_)) {
    const ChannelContext context{config_, table_, mapping_.groupStride(),
                                 period_, *this,  statistics_};
    channel_ = std::make_unique<Channel>(context, ChannelId{0}, arbitration_->makeArbiter(),
                                         table_.refreshInterval());
  }

  void observe(CommandObserver* observer) { channel_->observe(observer); }
  const TimingTable& table() const { return table_; }
  const AddressMapping& mapping() const { return mapping_; }
  const HbmStatistics& statistics() {
    statistics_.arbitration = arbitration_->statistics();
    return statistics_;
  }
  Arbitration& arbitration() { return *arbitration_; }
  const std::vector<Served>& served() const { return served_; }
  Cycles period() const { return period_; }
  /// Answers the tap; the default counts everything at once.
  std::function<bool(const Arrival&)> tracker;
  /// Called after each service with its clock.
  std::function<void(Cycles)> afterService;

  /// Runs until all are served. Arrivals are in order of time, all on one channel, each within one
  /// block. Those that find the stream queue full wait until it has room. Returns the clock of the
  /// last decision.
  Cycles run(const std::vector<Arrival>& arrivals) {
    pieces_.resize(arrivals.size());
    traffic_.resize(arrivals.size());
    requests_.resize(arrivals.size());
    std::size_t next = 0;
    Cycles wake = kNever, now = 0;
    std::map<Stream, std::deque<std::size_t>> late;
    const auto give = [&](std::size_t i) {
      const Arrival& arrival = arrivals[i];
      const DramLocation at = mapping_.locate(arrival.address);
      Piece& piece = pieces_[i];
      piece = Piece{};
      piece.address = arrival.address;
      piece.bytes = arrival.bytes;
      piece.kind = arrival.kind;
      traffic_[i] = {.stream = arrival.stream, .tracked = arrival.tracked};
      requests_[i].traffic = &traffic_[i];
      requests_[i].kind = arrival.kind;
      piece.request = &requests_[i];
      piece.run = {at.group, at.bankInGroup, at.row, at.column,
                   static_cast<std::uint32_t>((arrival.address % 32 + arrival.bytes + 31) / 32)};
      piece.arrival = static_cast<Picoseconds>(now * period_);
      if (channel_->arrive(piece)) wake = std::min(wake, now);
    };
    while (true) {
      const Cycles arrival = next < arrivals.size() ? arrivals[next].at : kNever;
      if (wake == kNever && arrival == kNever) break;
      now = std::max(now, std::min(wake, arrival));
      while (next < arrivals.size() && arrivals[next].at <= now) {
        auto& queue = late[arrivals[next].stream];
        if (queue.empty() && channel_->hasRoom(arrivals[next].stream)) {
          arrivals_ = &arrivals;
          give(next);
        } else {
          queue.push_back(next);
        }
        ++next;
      }
      if (wake > now) continue;
      arrivals_ = &arrivals;
      now_ = now;
      wake = channel_->service(now);
      if (afterService) afterService(now);
      for (auto& [stream, queue] : late) {
        while (!queue.empty() && channel_->hasRoom(stream)) {
          give(queue.front());
          queue.pop_front();
        }
      }
    }
    return now;
  }

  bool idle() const { return channel_->idle(); }

 private:
  bool track(ChannelId, Piece& piece) override {
    return !tracker || tracker((*arrivals_)[indexOfPiece(piece)]);
  }
  void served(ChannelId, Piece& piece, Picoseconds dataEnd) override {
    const std::size_t index = indexOfPiece(piece);
    served_.push_back({(*arrivals_)[index], index, dataEnd, now_, piece.entered, sourceOf(piece)});
  }
  std::size_t indexOfPiece(const Piece& piece) const {
    return static_cast<std::size_t>(&piece - pieces_.data());
  }

  std::optional<std::size_t> sourceOf(const Piece& piece) const {
    if (piece.source == nullptr) return std::nullopt;
    return indexOfPiece(*piece.source);
  }

  HbmConfig config_;
  TimingTable table_;
  AddressMapping mapping_;
  Cycles period_;
  HbmStatistics statistics_;
  std::unique_ptr<Arbitration> arbitration_;
  std::unique_ptr<Channel> channel_;
  std::vector<Piece> pieces_;
  std::vector<HbmRequest> requests_;
  std::vector<Traffic> traffic_;
  const std::vector<Arrival>* arrivals_ = nullptr;
  std::vector<Served> served_;
  Cycles now_ = 0;
};

/// One channel of the default memory: every address is on channel 0.
inline HbmConfig oneChannel() {
  HbmConfig config;
  config.channels = 1;
  config.capacity_gib = 1;
  return config;
}

}  // namespace t3::test
