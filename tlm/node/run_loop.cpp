// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_loop.h"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "tlm/node/executor.h"
#include "tlm/node/graph.h"
#include "tlm/transport/agenda.h"

namespace t3 {
namespace {

/// Of which the links deliver one after the other.
constexpr double kLargestWriteBytes = 65536 * 4;  // with flags and headers

/// All that a scenario lets somebody wait while nothing moves, in nanoseconds.
double latenciesNs(const SystemConfig& config) {
  double links = 0;
  const auto add = [&links](const LinkConfig& link) {
    links = std::max(
        links, link.latency_ns + link.creditLatencyNs() + kLargestWriteBytes / link.bandwidth_gb_s);
  };
  const LinkGraph* graph = config.fabric.graph.get();
  for (std::uint32_t w = 0; graph != nullptr && w < graph->wires().size(); ++w) {
    add(config.fabric.wireOf(config.link, w));
  }
  for (std::uint32_t g = 0; graph == nullptr && g < config.gpus; ++g) add(config.linkOf(g, 0));
  if (graph != nullptr) links *= 1 + graph->switches();  // of a way
  if (config.fabric.hasNodes()) {
    links +=
        2 * config.fabric.rail_latency_ns + kLargestWriteBytes / config.fabric.rail_bandwidth_gb_s;
  }
  const GpuConfig& gpu = config.gpu;
  double protocol = 0;
  for (const Protocol kind : {Protocol::Simple, Protocol::Ll, Protocol::Ll128}) {
    const ProtocolConfig& one = gpu.collective.of(kind);
    protocol = std::max(protocol, one.launch_us * 1e3 + one.sync_ns + one.slice_ns);
  }
  const double merging = config.merges() ? 3e3 * config.switched.merge_age_us : 0;
  double delay = 0;
  if (config.graph != nullptr) {
    for (const GraphNode& node : config.graph->byKernels.nodes) {
      if (const auto* work = node.as<DelayWork>()) delay = std::max(delay, nanoseconds(work->time));
    }
  }
  return delay + 2 * links + merging + protocol + gpu.kernel_launch_us * 1e3 +
         gpu.collective.slice_sync_ns + gpu.dma.command_latency_ns + gpu.dma.command_overhead_ns +
         config.tracker.register_access_ns + config.hbm.response_latency_ns +
         config.hbm.row_clear_ns;
}

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
  Windows(Executor& executor, CutLinks& cut, Peers& peers, const RunWatch& watch)
      : executor_(executor),
        cut_(cut),
        peers_(peers),
        watch_(watch),
        watchdog_(executor.watchdog()) {}

  void run() {
    if (watch_.sample) Agenda::ofSimulation().keepCommonOrder();
    Agenda::ofSimulation().goByPlace(executor_.lookahead());
    attempt([this] {
      if (watch_.round) watch_.round();
      executor_.start();
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
    mine_.finished = executor_.finished();
    mine_.idle = executor_.idle();
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
        resumed = executor_.resume();
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
    mine_.heartbeat = executor_.heartbeat();
    if (watch_.progress) watch_.progress(executor_.fractionDone());
  }

  Executor& executor_;
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

constexpr std::string_view kUncaught = "uncaught exception";

}  // namespace

Watchdog::Watchdog(const SystemConfig& config, std::function<std::string()> whoWaits)
    : patience_(picosecondsFromNs(config.watchdog_us < 0 ? 1e6 + latenciesNs(config)
                                                         : config.watchdog_us * 1e3)),
      lastChange_(config.lastLaunch()),
      whoWaits_(std::move(whoWaits)) {}

void Watchdog::look(std::uint64_t beats, Picoseconds when) {
  if (beats != lastBeats_) {
    lastBeats_ = beats;
    lastChange_ = std::max(lastChange_, when);
  } else if (when > lastChange_ + patience_) {
    throw std::runtime_error("no progress since " + fromPicoseconds(lastChange_).to_string() +
                             ", longer than watchdog_us allows (" +
                             fromPicoseconds(patience_).to_string() +
                             "); raise it if a part is meant to be that slow" + whoWaits_());
  }
}

void Watchdog::deadlock() const {
  throw std::runtime_error("deadlock at " + sc_core::sc_time_stamp().to_string() +
                           ": nothing is left to happen" + whoWaits_());
}

void Watchdog::expectNotStuck(const std::string& why) const {
  if (why.empty()) return;
  throw std::runtime_error("stuck at " + sc_core::sc_time_stamp().to_string() + ": " + why +
                           whoWaits_());
}

void runToEnd(Executor& executor, const RunWatch& watch) {
  if (watch.sample) Agenda::ofSimulation().keepCommonOrder();
  Agenda::ofSimulation().goByPlace(executor.lookahead());
  executor.start();
  const Picoseconds step =
      watch.sample ? std::min(watch.samplePeriod, kLookInterval) : kLookInterval;
  Picoseconds nextLook = kLookInterval;
  Watchdog watchdog = executor.watchdog();
  while (true) {
    finishPresent();
    const Picoseconds next = nextTime();
    if (next == kNoTime) {
      if (executor.finished()) return;
      if (executor.resume()) continue;
      watchdog.deadlock();
    }
    const Picoseconds until = std::max(now() + step, next);
    if (next - now() > step) {
      // SystemC does not move time towards an event that lies beyond the step. The watchdog sees
      // how long nothing happens before it does.
      sc_core::sc_start(fromPicoseconds(next - now() - 1), sc_core::SC_RUN_TO_TIME);
      watchdog.look(executor.heartbeat(), next);
    }
    sc_core::sc_start(fromPicoseconds(until - now()), sc_core::SC_EXIT_ON_STARVATION);
    finishPresent();
    if (watch.sample) watch.sample();
    if (now() >= nextLook) {
      nextLook = now() + kLookInterval;
      if (watch.progress) watch.progress(executor.fractionDone());
    }
    if (watch.stop && watch.stop()) {
      throw std::runtime_error("stopped at " + fromPicoseconds(now()).to_string() +
                               executor.whoWaits());
    }
    if (watch.stuck) watchdog.expectNotStuck(watch.stuck());
    watchdog.look(executor.heartbeat(), now());
  }
}

void runWindows(Executor& executor, CutLinks& cut, Peers& peers, const RunWatch& watch) {
  Windows(executor, cut, peers, watch).run();
}

std::string failureText(const std::exception& failure) {
  if (const auto* report = dynamic_cast<const sc_core::sc_report*>(&failure)) {
    // What a process threw that is no report, SystemC calls so and adds no reason of its own.
    if (std::string_view(report->get_msg()) != "" &&
        std::string_view(report->get_msg_type()) == kUncaught) {
      return report->get_msg();
    }
    // Its what() is several lines. A text that says its time itself does so once.
    const std::string when = report->get_time().to_string();
    const std::string type = report->get_msg_type(), text = report->get_msg();
    if (text.starts_with(when)) return type + " at " + text;
    if (text.find(" at " + when) != std::string::npos) return type + ": " + text;
    return type + " at " + when + ": " + text;
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) {
    return "the machine's memory is too small for this scenario; data = elided keeps no values, "
           "simulated_gpus = symmetric keeps the state of one GPU";
  }
  return failure.what();
}

}  // namespace t3
