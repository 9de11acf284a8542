// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace t3 {

/// A rule that says which bytes of the local memory may be used at the present time.
///
/// A user asks `ready` before it uses bytes. If they are not ready, it waits, and asks again each
/// time the rule calls it back. A rule calls back whenever bytes may have become ready. It may call
/// too often, but never too late.
///
/// Bytes that are ready stay ready until the use that the rule guards is over (a launch of the
/// kernel, a fill with zeros), so users need not ask twice. Bytes that the rule does not know are
/// ready.
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

}  // namespace t3
