// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tlm/node/program.h"

namespace t3 {

/// A program that runs `workload.repeat` sublayers on every GPU, back to back. All of them use the
/// same buffers, slots and tracker regions.
///
///     begin ─► kernels ─► all ended ──────┬─► ready ─► launch latency ─┬─► begin of the next
///                    └─► set up again ────┘     └─► flag ──────────────┘
///                        (if it tracks)            to those that store here
///
/// GPUs are not in step: each begins its next sublayer when it is ready itself. Where trackers
/// count what a GEMM stores into other GPUs, it also waits until these are ready: an early update
/// would meet the tracker and the buffers of the sublayer before. A GPU that is ready sends a flag
/// to those that store into it, which takes a link latency (no traffic is simulated for it). For
/// modes whose GPUs meet only in collective kernels, the end of the last kernel says enough: it has
/// received what all others had to add.
class Repeated : public Program {
 public:
  explicit Repeated(Cluster& cluster);

  void start() final;
  void summarise(RunResult& result) const final;

 protected:
  /// What software does before the first sublayer, on all GPUs before any of them starts.
  virtual void prepare(std::uint32_t /*gpu*/) {}
  /// A GPU is ready for a sublayer, which will not begin before `begins`; others may act on that
  /// from now on.
  virtual void renew(std::uint32_t /*gpu*/, Picoseconds /*begins*/) {}
  /// Starts the first kernel of a sublayer.
  virtual void begin(std::uint32_t gpu) = 0;
  /// Whether trackers have to be set up again for each sublayer, and updates reach other GPUs.
  virtual bool tracks() const { return false; }
  /// If so: the GPU tracks nothing more in this sublayer, and there is a next one. To be set up for
  /// that from now on; `setUp` must be called at the end.
  virtual void setUpAgain(std::uint32_t /*gpu*/) {}
  void setUp(std::uint32_t gpu) { partOver(gpu); }

 private:
  struct Gpu {
    std::uint32_t over = 0;      ///< parts of a sublayer that have to be before it is ready
    std::uint32_t begun = 0;     ///< number of the last sublayer whose begin is planned
    Picoseconds ended = 0;       ///< its sublayer before
    Picoseconds readySince = 0;  ///< for its sublayer
    /// What the GPUs into which it stores have said last: for which sublayer they are ready, and
    /// since when it may know.
    struct Flag {
      std::uint32_t sublayer = 0;
      Picoseconds when = 0;
    };
    std::map<std::uint32_t, Flag> flags;  ///< by GPU
  };

  Gpu& gpu(std::uint32_t number) { return gpus_[number % gpus_.size()]; }
  void partOver(std::uint32_t number);
  void ready(std::uint32_t number);
  void tryBegin(std::uint32_t number);

  std::vector<Gpu> gpus_;  ///< those that are simulated
};

}  // namespace t3
