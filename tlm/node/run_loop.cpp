// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_loop.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/transport/agenda.h"

namespace t3 {
namespace {

/// `sc_start` may stop with or without what happens at its last moment: without, unless somebody
/// has asked the kernel for an update from another thread. This lets it happen. It takes one delta
/// cycle; a model in which no time passes must not hold it up.
void finishPresent() {
  constexpr int kMostDeltas = 8;
  for (int i = 0; i < kMostDeltas && sc_core::sc_pending_activity_at_current_time(); ++i) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
}

/// When something happens next, after `finishPresent`; the end of time if nothing does.
Picoseconds nextTime() {
  sc_core::sc_time next;
  return sc_core::sc_get_curr_simcontext()->next_time(next) ? toPicoseconds(next) : kNoTime;
}

class Windows {
 public:
  Windows(RunSubject& subject, CutLinks& cut, Peers& peers, const RunWatch& watch)
      : subject_(subject), cut_(cut), peers_(peers), watch_(watch), watchdog_(subject.watchdog()) {}

  void run() {
    if (watch_.sample) Agenda::ofSimulation().keepCommonOrder();
    Agenda::ofSimulation().goByPlace(subject_.lookahead());
    attempt([this] {
      if (watch_.round) watch_.round();
      subject_.start();
      finishPresent();
    });
    while (true) {
      std::vector<PeerState> states = meet();
      // Samples ask for the next event. What has just arrived need not be one: credit, for example.
      if (watch_.sample && (until_ == kNoTime || nextOf(states) > until_)) states = meet();
      const Picoseconds next = nextOf(states);
      if (next == kNoTime) {
        if (quiet(states)) return;
        continue;
      }
      look(states, next);
      attempt([&] { sampleBefore(states, next); });
      const Picoseconds length = cut_.lookahead();
      const Picoseconds last =
          std::min(next > kNoTime - length ? kNoTime : next + length - 1, until_);
      attempt([&] {
        if (nextTime() > last) return;
        Agenda::ofSimulation().endWindowsAt(last == kNoTime ? kNoTime : last + 1);
        sc_core::sc_start(fromPicoseconds(last - now()), sc_core::SC_EXIT_ON_STARVATION);
        finishPresent();
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
    mine_.now = now();
    mine_.next = std::min(nextTime(), cut_.firstArrival());
    mine_.finished = subject_.finished();
    mine_.idle = subject_.idle();
    std::vector<PeerState> states = peers_.meet(mine_, cut_.parcels(), arrived_);
    cut_.clear();
    for (std::uint32_t p = 0; p < states.size(); ++p) {
      if (states[p].failed && p != peers_.self() && !mine_.failed) {
        throw PeerFailed{};
      }
      if (!mine_.failed) cut_.deliver(arrived_[p]);
    }
    return states;
  }

  static Picoseconds nextOf(const std::vector<PeerState>& states) {
    return std::ranges::min(states, {}, &PeerState::next).next;
  }
  /// When the last event of all was.
  static Picoseconds latest(const std::vector<PeerState>& states) {
    return std::ranges::max(states, {}, &PeerState::now).now;
  }

  /// Nothing is left to happen. Whether that is the end.
  bool quiet(const std::vector<PeerState>& states) {
    sample(latest(states));
    if (std::ranges::all_of(states, &PeerState::finished)) return true;
    // The same on all processes, because all programs have been resumed equally often.
    if (std::ranges::all_of(states, &PeerState::idle)) {
      bool resumed = false;
      attempt([&] {
        if (watch_.round) watch_.round();
        resumed = subject_.resume();
        finishPresent();
      });
      if (resumed) return false;
    }
    watchdog_.deadlock();
  }

  /// Samples are taken when runToEnd takes them: when everything has happened up to `until_`, a
  /// step after the last sample or the next event of all, whichever is later. Time has then come to
  /// the last event. At the end there is one more.
  void sampleBefore(const std::vector<PeerState>& states, Picoseconds next) {
    if (!watch_.sample) return;
    if (until_ != kNoTime && next > until_) sample(latest(states));
    if (until_ == kNoTime) {
      until_ = std::max(sampled_ + std::min(watch_.samplePeriod, kLookInterval), next);
    }
  }
  void sample(Picoseconds when) {
    if (now() < when) sc_core::sc_start(fromPicoseconds(when - now()), sc_core::SC_RUN_TO_TIME);
    if (watch_.sample) watch_.sample();
    sampled_ = when;
    until_ = kNoTime;
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
    mine_.heartbeat = subject_.heartbeat();
    if (watch_.progress) watch_.progress(subject_.fractionDone());
  }

  RunSubject& subject_;
  CutLinks& cut_;
  Peers& peers_;
  const RunWatch& watch_;
  PeerState mine_;
  std::vector<Parcel> arrived_;
  Watchdog watchdog_;
  Picoseconds nextLook_ = 0;
  Picoseconds sampled_ = 0;      ///< when the last sample was
  Picoseconds until_ = kNoTime;  ///< where the step to the next one ends, if that is known
};

}  // namespace

void runToEnd(RunSubject& subject, const RunWatch& watch) {
  if (watch.sample) Agenda::ofSimulation().keepCommonOrder();
  Agenda::ofSimulation().goByPlace(subject.lookahead());
  subject.start();
  const Picoseconds step =
      watch.sample ? std::min(watch.samplePeriod, kLookInterval) : kLookInterval;
  Picoseconds nextLook = kLookInterval;
  Watchdog watchdog = subject.watchdog();
  while (true) {
    finishPresent();
    const Picoseconds next = nextTime();
    if (next == kNoTime) {
      if (subject.finished()) return;
      if (subject.resume()) continue;
      watchdog.deadlock();
    }
    const Picoseconds until = std::max(now() + step, next);
    if (next - now() > step) {
      // SystemC does not move time towards an event that lies beyond the step. The watchdog sees
      // how long nothing happens before it does.
      sc_core::sc_start(fromPicoseconds(next - now() - 1), sc_core::SC_RUN_TO_TIME);
      watchdog.look(subject.heartbeat(), next);
    }
    sc_core::sc_start(fromPicoseconds(until - now()), sc_core::SC_EXIT_ON_STARVATION);
    finishPresent();
    if (watch.sample) watch.sample();
    if (now() >= nextLook) {
      nextLook = now() + kLookInterval;
      if (watch.progress) watch.progress(subject.fractionDone());
    }
    if (watch.stop && watch.stop()) {
      throw std::runtime_error("stopped at " + fromPicoseconds(now()).to_string() +
                               subject.whoWaits());
    }
    if (watch.stuck) watchdog.expectNotStuck(watch.stuck());
    watchdog.look(subject.heartbeat(), now());
  }
}

void runWindows(RunSubject& subject, CutLinks& cut, Peers& peers, const RunWatch& watch) {
  Windows(subject, cut, peers, watch).run();
}

}  // namespace t3
