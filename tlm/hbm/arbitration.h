// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// What an arbiter may look at when the communication stream has a head that may enter.
struct ArbiterView {
  bool compute = false;               ///< so has the compute stream
  std::uint32_t occupancyBursts = 0;  ///< of the DRAM queue, its column commands not yet issued
  std::uint32_t thresholdBursts = 0;  ///< of MCA, for the running kernel; 0 means no limit
  Cycles now = 0;
  Cycles communicationSince = 0;  ///< last entry of a communication request, or, if later, since
                                  ///< when its present head waits
};

/// Chooses between the compute and the communication stream of one channel (the tracker's stream
/// always goes first and never asks). Files are named after the policy; a new policy is one more
/// file and one line in `makeArbiter`'s table.
class Arbiter {
 public:
  virtual ~Arbiter() = default;

  /// The stream whose head enters next, or nothing if communication has to wait.
  virtual std::optional<Stream> pick(const ArbiterView& view) const = 0;
  /// The head of this stream has entered. A picked head may be refused by the DRAM queue or by the
  /// tracker, so a policy with memory keeps it here and not in `pick`.
  virtual void entered(Stream) {}
  /// After `pick` refused: the clock from which it lets communication in whatever the occupancy.
  /// Policies that never refuse need none.
  virtual Cycles deadline(const ArbiterView& view) const { return view.now; }
};

std::unique_ptr<Arbiter> makeArbiter(const HbmConfig& config);

std::unique_ptr<Arbiter> makeRoundRobinArbiter(Cycles starvationLimit);
std::unique_ptr<Arbiter> makeComputeFirstArbiter(Cycles starvationLimit);
std::unique_ptr<Arbiter> makeCommFirstArbiter(Cycles starvationLimit);
std::unique_ptr<Arbiter> makeMcaArbiter(Cycles starvationLimit);

}  // namespace t3
