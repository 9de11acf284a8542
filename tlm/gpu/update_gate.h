// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "tlm/gpu/announcer.h"
#include "tlm/gpu/readiness.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// Stands in front of a port through which writes reach the local memory: says whether the one that
/// is next may go on, and measures how long it waits.
class UpdateGate {
 public:
  /// Waits are announced in the name of `owner`, and their time is added to `waited`.
  UpdateGate(const Announcer& owner, Picoseconds& waited) : owner_(owner), waited_(waited) {}

  /// From now on writes wait until their bytes are ready. Without a rule none waits.
  void setRule(const Readiness& rule) { rule_ = &rule; }

  /// Whether `write`, the next one, may go on. If not, ask again when the rule calls back.
  bool passes(const Payload& write) { return rule_ == nullptr || ask(write); }
  bool waiting() const { return since_.has_value(); }
  /// Called when a wait begins (true) and when it ends.
  void onWait(std::function<void(bool)> handler) { onWait_ = std::move(handler); }

 private:
  bool ask(const Payload& write);

  const Announcer& owner_;
  Picoseconds& waited_;
  const Readiness* rule_ = nullptr;
  std::function<void(bool)> onWait_;
  std::optional<Picoseconds> since_;  ///< the next write waits since then
};

}  // namespace t3
