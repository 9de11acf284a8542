// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tlm/node/fabric.h"

namespace t3 {

/// The same work again and again on all GPUs of a fabric, all of it in the same buffers.
///
///     begin ─► all parts over ─► ready ─► launch latency ─┬─► begin of the next round
///                                  └─► flag ──────────────┘
///                                      to those that send here
///
/// GPUs are not in step: each begins its next round when it is ready itself. Where others send to
/// it without being asked, it also waits until those to which it sends are ready: what came early
/// would meet the buffers and the tracker of the round before. A GPU that is ready sets a flag in
/// those that send to it, which takes a link's latency (no traffic is simulated for it).
class Rounds {
 public:
  struct Actions {
    /// All parts of a round are over: the GPU goes on to the next, which begins at `begins` or
    /// later. Others may act on that from now on.
    std::function<void(std::uint32_t gpu, Picoseconds begins)> ready;
    /// Begins a round, the first excepted; `waited`: longer than a launch after the one before.
    std::function<void(std::uint32_t gpu, Picoseconds waited)> begin;
  };

  /// Whether a GPU sends by a port of the fabric's links without being asked.
  using Sends = std::function<bool(std::uint32_t gpu, std::uint32_t port)>;

  /// `parts` of a round have to be over. Without `sends` nobody waits for another GPU.
  Rounds(Fabric& fabric, Picoseconds launchLatency, std::uint32_t parts, Sends sends,
         Actions actions);

  /// To be called when the work of a round has ended, before that part is over.
  void ended(std::uint32_t gpu) { of(gpu).ended = now(); }
  /// Of a round, and there is a next one.
  void partOver(std::uint32_t gpu);

 private:
  struct Gpu {
    std::uint32_t round = 0;     ///< it is ready for, or at
    std::uint32_t over = 0;      ///< parts of it
    std::uint32_t begun = 0;     ///< number of the last round whose begin is planned
    Picoseconds ended = 0;       ///< its round before
    Picoseconds readySince = 0;  ///< for its round
    /// What the GPUs to which it sends have said last: for which round they are ready, and since
    /// when it may know.
    struct Flag {
      std::uint32_t round = 0;
      Picoseconds when = 0;
    };
    std::map<std::uint32_t, Flag> flags;  ///< by GPU
  };

  Gpu& of(std::uint32_t gpu) { return gpus_[gpu % gpus_.size()]; }
  void tryBegin(std::uint32_t gpu);

  Fabric& fabric_;
  const Picoseconds launchLatency_;
  const std::uint32_t parts_;
  const Sends sends_;
  const Actions actions_;
  std::vector<Gpu> gpus_;  ///< those that are simulated
};

}  // namespace t3
