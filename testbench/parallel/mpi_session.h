// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace t3 {

/// Some process cannot begin its work. Standard error has why.
struct NobodyBegins {};

/// MPI, initialised as long as this object lives, in a process that a launcher started. Can be made
/// once. A program that was built without MPI refuses with a ConfigError: every process would do
/// everything.
class MpiSession {
 public:
  /// All processes begin or none: `problem` is why this one cannot, "" if it can. Where one cannot,
  /// process 0 says all problems with the processes that have them, and all throw NobodyBegins.
  explicit MpiSession(const std::string& problem = "");
  /// Where this process fails alone, the others will not come to an end of MPI. The launcher ends
  /// them when this one is gone.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Whether this process has made one.
  static bool wasMade();
  std::uint32_t self() const { return self_; }
  std::uint32_t count() const { return count_; }

  /// Calls `done` until it is true, and returns how long that took. Where the wait is long, a
  /// process sleeps, so that others have its core.
  static std::chrono::steady_clock::duration wait(const std::function<bool()>& done);

 private:
  std::uint32_t self_ = 0, count_ = 1;
};

}  // namespace t3
