// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "tlm/gpu/announcer.h"
#include "tlm/gpu/dma_config.h"
#include "tlm/gpu/zero_frontier.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// What a `ZeroFill` uses of the engine that it is part of.
struct ZeroFillContext {
  const DmaConfig& config;
  DataType dataType;
  DataMode dataMode;
  GpuId gpu;
  PayloadPool& pool;
  MemoryPort& memory;
  const Announcer& engine;
};

struct ZeroFillStatistics {
  std::uint64_t fillBytes = 0;   ///< of zeros written
  std::uint64_t clearBytes = 0;  ///< for whose zeros the memory was asked
};

/// Sees to the initial value of accumulated output, zeros, range after range, and moves the
/// frontier that updates wait for.
///
/// The zeros are plain stores of up to `fill_bytes`, up to `fill_outstanding_bytes` in flight. Or
/// they are clears, for which the memory needs no data; these are cut at whole rows of the memory.
/// The memory performs requests in any order; the frontier moves over those that leave no gap.
class ZeroFill {
 public:
  using Done = std::function<void(Picoseconds)>;
  using Ranges = ZeroFrontier::Areas;

  explicit ZeroFill(const ZeroFillContext& context);

  /// See DmaEngine::fillZero and DmaEngine::clear.
  void begin(Ranges ranges, Done done, Picoseconds start, NodeNumber node) {
    begin(std::move(ranges), std::move(done), start,
          {MemoryOperation::Store, context_.config.fill_bytes,
           context_.config.fill_outstanding_bytes, node});
  }
  void beginClear(Ranges ranges, std::uint32_t rowsBytes, Done done, Picoseconds start,
                  NodeNumber node);
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
    NodeNumber node = 0;            ///< whose they are
  };
  /// A request, from its issue until it and all before it are performed.
  struct Store {
    std::uint32_t bytes = 0;
    bool performed = false;
  };

  void begin(Ranges ranges, Done done, Picoseconds start, Requests requests);
  void issue();
  void performed(std::uint64_t number);

  const ZeroFillContext context_;
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
