// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tlm/node/peers.h"

namespace t3 {

/// Some process cannot begin its work. Standard error has why.
struct NobodyBegins {};

/// MPI, initialised while this object lives, in a process that a launcher started. Can be made
/// once. A program built without MPI refuses with a ConfigError, because every process would do
/// everything.
class MpiSession {
 public:
  /// All processes begin or none: `problem` says why this one cannot, "" if it can. If any cannot,
  /// process 0 prints who has which problem, and all throw NobodyBegins.
  explicit MpiSession(const std::string& problem = "");
  /// After an exception MPI is not ended: the others would not join in. The launcher ends them.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Whether this process has made one.
  static bool wasMade();
  std::uint32_t self() const { return self_; }
  std::uint32_t count() const { return count_; }

  /// Calls `done` until it is true, and returns how long that took. Long waits sleep in between.
  static std::chrono::steady_clock::duration wait(const std::function<bool()>& done);

 private:
  std::uint32_t self_ = 0, count_ = 1;
};

/// The launched processes as peers of one simulation. Null where nobody launched.
std::unique_ptr<Peers> mpiPeers();

struct Letter {
  std::uint32_t from = 0;
  std::string text;
};

/// Letters between launched processes. Those of one sender arrive in order.
class Post {
 public:
  virtual ~Post() = default;

  virtual std::uint32_t self() const = 0;
  virtual std::uint32_t count() const = 0;

  /// May wait until the other process looks for letters.
  virtual void send(std::uint32_t to, const std::string& text) = 0;
  /// The next letter, if one is there.
  virtual std::optional<Letter> receive() = 0;
  /// The next letter; waits for it without a load on the core.
  virtual Letter wait() = 0;
};

/// Null where nobody launched. MPI lives as long as the object.
std::unique_ptr<Post> mpiPost();

}  // namespace t3
