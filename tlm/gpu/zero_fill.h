// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "tlm/gpu/dma_channels.h"
#include "tlm/gpu/readiness.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// An update may go on when the zeros under it are in memory. The frontier is one counter: how many
/// bytes are zeros, in the order in which the areas are filled.
///
/// Every port through which updates reach the memory compares with it, and holds an update and the
/// requests behind it. Hardware would need a small table of the areas (base, length, bytes before)
/// and a comparator for each port. The zeros wait for no update, so nobody waits for ever.
class ZeroFrontier : public Readiness {
 public:
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  ///< local address, bytes

  /// From now on updates of `areas` wait. The areas will be filled in this order. An earlier fill
  /// must be complete.
  void begin(const Areas& areas);
  /// The next `bytes` bytes, in fill order, are zeros in memory.
  void advance(std::uint64_t bytes);
  /// Whether an update of these bytes may go on. Bytes outside all areas are always ready.
  bool ready(std::uint64_t address, std::uint64_t bytes) const override;

  bool complete() const { return zeroed_ == total_; }

 private:
  struct Area {
    std::uint64_t address, bytes;
    std::uint64_t before;  ///< bytes filled ahead of it
  };
  std::vector<Area> areas_;  ///< by address
  std::uint64_t zeroed_ = 0, total_ = 0;
};

struct ZeroFillStatistics {
  std::uint64_t fillBytes = 0;   ///< of zeros written
  std::uint64_t clearBytes = 0;  ///< for whose zeros the memory was asked
};

/// Zeroes accumulated output, range after range, and moves the frontier that updates wait for.
///
/// The zeros are plain stores of up to `fill_bytes`, up to `fill_outstanding_bytes` in flight, or
/// clears of whole rows, for which the memory needs no data. It performs requests in any order; the
/// frontier moves over those that leave no gap.
class ZeroFill {
 public:
  using Done = std::function<void(Picoseconds)>;
  using Ranges = ZeroFrontier::Areas;

  explicit ZeroFill(const DmaContext& context);

  /// See DmaEngine::fillZero and DmaEngine::clear.
  void begin(Ranges ranges, Done done, Picoseconds start, NodeId node) {
    begin(std::move(ranges), std::move(done), start,
          {MemoryOperation::Store, context_.config.fill_bytes,
           context_.config.fill_outstanding_bytes, node});
  }
  void beginClear(Ranges ranges, std::uint32_t rowsBytes, Done done, Picoseconds start,
                  NodeId node);
  /// Whether a write of the engine is one of these stores: they alone belong to the GEMM.
  static bool owns(const Payload& write) { return traffic(write).phase == Phase::Gemm; }
  void completed(const Payload& store, Picoseconds when) {
    performed_.post(when, traffic(store).context);
  }

  ZeroFrontier& frontier() { return frontier_; }
  const ZeroFrontier& frontier() const { return frontier_; }
  bool active() const { return active_; }
  std::uint64_t outstandingBytes() const { return outstandingBytes_; }
  const ZeroFillStatistics& statistics() const { return statistics_; }

 private:
  /// What the requests of a fill are like.
  struct Requests {
    MemoryOperation operation = MemoryOperation::Store;
    std::uint32_t largest = 0;      ///< bytes
    std::uint64_t outstanding = 0;  ///< bytes in flight
    NodeId node = 0;                ///< whose they are
  };
  /// A request, from its issue until it and all before it are performed.
  struct Store {
    std::uint32_t bytes = 0;
    bool performed = false;
  };

  void begin(Ranges ranges, Done done, Picoseconds start, Requests requests);
  void issue();
  void performed(std::uint64_t number);

  const DmaContext& context_;
  Ranges ranges_;
  Requests requests_;
  std::size_t range_ = 0;            ///< being issued
  std::uint64_t issuedOfRange_ = 0;  ///< bytes
  std::uint64_t outstandingBytes_ = 0;
  std::deque<Store> stores_;       ///< in order of issue
  std::uint64_t firstNumber_ = 0;  ///< of stores_.front()
  bool active_ = false;
  ZeroFillStatistics statistics_;
  Done done_;
  TimedQueue<std::uint64_t> performed_;  ///< number of a store, at the time it is performed
  ZeroFrontier frontier_;
};

}  // namespace t3
