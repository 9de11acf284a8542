// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_windows.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <string>

#include "tlm/node/watchdog.h"

namespace t3 {
namespace {

constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

Picoseconds nextEvent() {
  return sc_core::sc_pending_activity()
             ? now() + toPicoseconds(sc_core::sc_time_to_pending_activity())
             : kNever;
}

class Windows {
 public:
  Windows(Cluster& cluster, Program& program, Peers& peers, const RunWatch& watch)
      : cluster_(cluster), program_(program), peers_(peers), watch_(watch), watchdog_(cluster) {}

  void run() {
    attempt([this] { program_.start(); });
    while (true) {
      const std::vector<PeerState> states = meet();
      const Picoseconds next = std::ranges::min(states, {}, &PeerState::next).next;
      if (next == kNever) {
        if (quiet(states)) return;
        continue;
      }
      look(states, next);
      const Picoseconds length = cluster_.cut().lookahead();
      const Picoseconds last = next > kNever - length ? kNever : next + length - 1;
      attempt([&] {
        if (nextEvent() > last) return;
        sc_core::sc_start(fromPicoseconds(last - now()), sc_core::SC_EXIT_ON_STARVATION);
        if (watch_.stuck) watchdog_.expectNotStuck(watch_.stuck());
      });
    }
  }

 private:
  /// An error has to reach the others before this process leaves.
  void attempt(const auto& part) {
    try {
      part();
    } catch (...) {
      mine_.failed = true;
      meet();
      throw;
    }
  }

  std::vector<PeerState> meet() {
    CutLinks& cut = cluster_.cut();
    mine_.now = now();
    mine_.next = std::min(nextEvent(), cut.firstArrival());
    mine_.finished = cluster_.finished();
    mine_.idle = cluster_.idle();
    std::vector<PeerState> states = peers_.meet(mine_, cut.parcels(), arrived_);
    cut.clear();
    for (std::uint32_t p = 0; p < states.size(); ++p) {
      if (states[p].failed && p != peers_.self() && !mine_.failed) {
        throw PeerFailed{};
      }
      if (!mine_.failed) cut.deliver(arrived_[p]);
    }
    return states;
  }

  /// Nothing is left to happen. Whether that is the end.
  bool quiet(const std::vector<PeerState>& states) {
    const Picoseconds end = std::ranges::max(states, {}, &PeerState::now).now;
    if (now() < end) sc_core::sc_start(fromPicoseconds(end - now()), sc_core::SC_RUN_TO_TIME);
    if (std::ranges::all_of(states, &PeerState::finished)) return true;
    // The same on all processes, because all programs have been resumed equally often.
    if (std::ranges::all_of(states, &PeerState::idle)) {
      bool resumed = false;
      attempt([&] { resumed = program_.resume(); });
      if (resumed) return false;
    }
    watchdog_.deadlock();
  }

  /// At progress and the watchdog. `next` is the same everywhere, so all processes look at the same
  /// meetings.
  void look(const std::vector<PeerState>& states, Picoseconds next) {
    if (next < nextLook_) return;
    nextLook_ = next + kLookInterval;
    std::uint64_t beats = 0;
    for (const PeerState& state : states) beats += state.heartbeat;
    watchdog_.look(beats, next);
    // Known to the others when they look the next time.
    mine_.heartbeat = cluster_.heartbeat();
    if (watch_.progress) watch_.progress(cluster_.fractionDone());
  }

  Cluster& cluster_;
  Program& program_;
  Peers& peers_;
  const RunWatch& watch_;
  PeerState mine_;
  std::vector<Parcel> arrived_;
  Watchdog watchdog_;
  Picoseconds nextLook_ = 0;
};

}  // namespace

void runWindows(Cluster& cluster, Program& program, Peers& peers, const RunWatch& watch) {
  Windows(cluster, program, peers, watch).run();
}

}  // namespace t3
