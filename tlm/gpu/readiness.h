// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// A rule that says which bytes of the local memory may be used at the present time.
///
/// A user asks `ready` before it uses bytes; if they are not, it asks again each time the rule
/// calls it back. A rule may call back too often, never too late. Bytes that are ready stay so
/// until the use that the rule guards is over (a launch, a fill with zeros). Bytes that the rule
/// does not know are ready.
///
/// To avoid a deadlock, what makes bytes ready must not wait for a user that waits for this rule.
class Readiness {
 public:
  virtual ~Readiness() = default;

  /// Whether all of [address, address + bytes) may be used now. Addresses are local.
  virtual bool ready(std::uint64_t address, std::uint64_t bytes) const = 0;

  /// `user` is called each time more bytes may be ready, in the order of these calls.
  void whenChanged(std::function<void()> user) { users_.push_back(std::move(user)); }

 protected:
  /// For implementations: calls all users.
  void changed() const {
    for (const auto& user : users_) user();
  }

 private:
  std::vector<std::function<void()>> users_;
};

/// Stands in front of a port through which writes reach the local memory: says whether the next one
/// may go on, and measures how long it waits.
class UpdateGate {
 public:
  /// Waits are announced in the name of `owner`, and their time is added to `waited`.
  UpdateGate(const Publisher& owner, Picoseconds& waited) : owner_(owner), waited_(waited) {}

  /// From now on writes wait until their bytes are ready. Without a rule none waits.
  void setRule(const Readiness& rule) { rule_ = &rule; }
  /// Whether `write`, the next one, may go on. If not, ask again when the rule calls back.
  bool passes(const Payload& write) {
    if (rule_ == nullptr) return true;
    const bool passed = rule_->ready(localAddress(write.get_address()), write.get_data_length());
    if (passed == waiting()) tell(write, !passed);
    return passed;
  }
  bool waiting() const { return since_.has_value(); }
  /// Called when a wait begins (true) and when it ends.
  void onWait(std::function<void(bool)> handler) { onWait_ = std::move(handler); }

 private:
  /// A wait begins or ends.
  void tell(const Payload& write, bool begins) {
    if (begins) {
      since_ = now();
    } else {
      waited_ += now() - *std::exchange(since_, {});
    }
    owner_.announce({.kind = begins ? EventKind::ZeroWaitBegin : EventKind::ZeroWaitEnd,
                     .workgroup = traffic(write).workgroup,
                     .address = localAddress(write.get_address())});
    if (onWait_) onWait_(begins);
  }

  const Publisher& owner_;
  Picoseconds& waited_;
  const Readiness* rule_ = nullptr;
  std::function<void(bool)> onWait_;
  std::optional<Picoseconds> since_;  ///< the next write waits since then
};

}  // namespace t3
