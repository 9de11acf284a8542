// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/transport/clock.h"
#include "tlm/transport/parcel.h"

namespace t3 {

/// What every process tells all others when they meet.
struct PeerState {
  Picoseconds now = 0;
  Picoseconds next = 0;         ///< of its next event, or of the first arrival that it announces
  std::uint64_t heartbeat = 0;  ///< of its GPUs
  bool finished = false, idle = false;
  bool failed = false;  ///< its part of the simulation ended with an error
};

/// What working together has cost a process so far.
struct PeerWork {
  std::uint64_t meetings = 0;
  double waited_s = 0;      ///< for others
  std::uint64_t bytes = 0;  ///< sent to others
};

/// The processes that simulate one cluster together, each a run of neighbouring GPUs. How they talk
/// is the business of who derives from this.
class Peers {
 public:
  virtual ~Peers() = default;

  virtual std::uint32_t self() const = 0;
  virtual std::uint32_t count() const = 0;

  /// All processes meet. `parcels[p]` goes to process p; `arrived[p]` is what process p had for
  /// this one. Returns the states of all, by process.
  virtual std::vector<PeerState> meet(const PeerState& mine, const std::vector<Parcel>& parcels,
                                      std::vector<Parcel>& arrived) = 0;

  virtual PeerWork work() const = 0;

  /// Recordings number the models of a run, so with them every process builds those of all GPUs;
  /// otherwise each builds its own. Before there is a cluster.
  void buildAll(bool all) { buildsAll_ = all; }
  bool buildsAll() const { return buildsAll_; }

  std::uint32_t firstGpu(std::uint32_t gpus, std::uint32_t process) const {
    return static_cast<std::uint32_t>(std::uint64_t{gpus} * process / count());
  }
  std::uint32_t processOf(std::uint32_t gpus, std::uint32_t gpu) const {
    std::uint32_t process = 0;
    while (firstGpu(gpus, process + 1) <= gpu) ++process;
    return process;
  }

 private:
  bool buildsAll_ = false;
};

}  // namespace t3
