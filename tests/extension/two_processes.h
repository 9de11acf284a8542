// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tlm/node/peers.h"

namespace t3::test {

/// This process and a copy of it, which simulate half of the GPUs each and talk by a socket.
class TwoProcesses : public Peers {
 public:
  /// `other`: all that the copy does; throws if it fails, and the test has failed.
  explicit TwoProcesses(const std::function<void(Peers&)>& other) {
    int ends[2] = {};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("no socket");
    copy_ = fork();
    if (copy_ < 0) throw std::runtime_error("no second process");
    socket_ = ends[copy_ == 0 ? 1 : 0];
    close(ends[copy_ == 0 ? 0 : 1]);
    if (copy_ != 0) return;
    try {
      other(*this);
    } catch (...) {
      _exit(EXIT_FAILURE);
    }
    _exit(EXIT_SUCCESS);
  }
  ~TwoProcesses() override {
    close(socket_);
    int status = 0;
    waitpid(copy_, &status, 0);
    EXPECT_EQ(status, 0) << "of the copy";
  }
  TwoProcesses(const TwoProcesses&) = delete;
  TwoProcesses& operator=(const TwoProcesses&) = delete;

  std::uint32_t self() const override { return copy_ == 0 ? 1 : 0; }
  std::uint32_t count() const override { return 2; }
  PeerWork work() const override { return {}; }

  /// One writes while the other one reads, so neither waits for room in the socket.
  std::vector<PeerState> meet(const PeerState& mine, const std::vector<Parcel>& parcels,
                              std::vector<Parcel>& arrived) override {
    const std::uint32_t other = 1 - self();
    std::vector<PeerState> states(2, mine);
    arrived.assign(2, {});
    if (self() == 0) put(mine, parcels[other]);
    states[other] = take(arrived[other]);
    if (self() == 1) put(mine, parcels[other]);
    return states;
  }

 private:
  void put(const PeerState& state, const Parcel& parcel) {
    const std::uint64_t bytes = parcel.bytes().size();
    all(&write, reinterpret_cast<const char*>(&state), sizeof state);
    all(&write, reinterpret_cast<const char*>(&bytes), sizeof bytes);
    all(&write, reinterpret_cast<const char*>(parcel.bytes().data()), bytes);
  }
  PeerState take(Parcel& parcel) {
    PeerState state;
    std::uint64_t bytes = 0;
    all(&read, reinterpret_cast<char*>(&state), sizeof state);
    all(&read, reinterpret_cast<char*>(&bytes), sizeof bytes);
    std::vector<unsigned char> content(bytes);
    all(&read, reinterpret_cast<char*>(content.data()), bytes);
    parcel = Parcel(std::move(content));
    return state;
  }
  void all(auto transfer, auto* place, std::uint64_t bytes) {
    while (bytes > 0) {
      const ssize_t done = transfer(socket_, place, bytes);
      if (done <= 0) throw std::runtime_error("the other process is gone");
      place += done;
      bytes -= static_cast<std::uint64_t>(done);
    }
  }

  pid_t copy_ = 0;
  int socket_ = -1;
};

}  // namespace t3::test
