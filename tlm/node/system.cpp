// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/system.h"

#include <algorithm>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tlm/node/bounds.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/job.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_loop.h"
#include "tlm/node/run_result.h"
#include "tlm/transport/clock.h"

namespace t3 {
namespace {

/// What went wrong in a process.
struct Failure {
  Picoseconds when = 0;
  std::string what;
};
BOOST_DESCRIBE_STRUCT(Failure, (), (when, what))

/// What one process knows of a run at its end.
struct RunEnd {
  std::vector<Failure> failures;
  Verification verification;
  std::vector<GpuFigures> gpus;  ///< in their order

  /// Notes a failure at the present time.
  void fail(std::string what) { failures.push_back({now(), std::move(what)}); }
  /// The first failure; "" if there is none.
  std::string error() const;
  /// Every process calls it. In process 0 it becomes what all know; `peers` may be null.
  void gather(Peers* peers);
};

std::string RunEnd::error() const {
  const auto first = std::ranges::min_element(failures, {}, &Failure::when);
  return first == failures.end() ? "" : first->what;
}

void RunEnd::gather(Peers* peers) {
  if (peers == nullptr) return;
  std::vector<Parcel> parcels(peers->count()), arrived;
  if (peers->self() != 0) {
    parcels[0].put(failures);
    parcels[0].put(verification);
    parcels[0].put(gpus);
  }
  peers->meet({}, parcels, arrived);
  for (std::uint32_t p = 1; peers->self() == 0 && p < peers->count(); ++p) {
    for (Failure& failure : arrived[p].take<std::vector<Failure>>()) {
      // All see the same standstill, each its own GPUs.
      const std::string first = failure.what.substr(0, failure.what.find('\n'));
      if (!failures.empty() && failures.front().what.starts_with(first)) {
        failures.front().what += failure.what.substr(first.size());
      } else {
        failures.push_back(std::move(failure));
      }
    }
    const auto part = arrived[p].take<Verification>();
    verification.elements += part.elements;
    verification.mismatches += part.mismatches;
    std::ranges::move(arrived[p].take<std::vector<GpuFigures>>(), std::back_inserter(gpus));
  }
}

/// Of `alike` times all ports of a switch.
template <typename Figures>
Figures figuresOfAll(const auto& ports, std::uint32_t alike) {
  Figures all;
  for (const auto& port : ports) addFigures(all, port->figures());
  multiplyFigures(all, alike);
  return all;
}

/// What is said of every run.
RunResult resultOf(const std::vector<GpuFigures>& gpus, const Machine& machine) {
  const Fabric& fabric = machine.fabric();
  RunResult result;
  addGpus(gpus, result);
  // In a symmetric run one GPU stands for all of them.
  const std::uint32_t alike = fabric.wiring().ports().gpus() / fabric.wiring().simulated();
  if (machine.config().merges()) {
    const Switch& between = *fabric.switches().front();
    result.merged = figuresOfAll<MergeFigures>(between.merges, alike);
    const auto loads = figuresOfAll<LoadFigures>(between.loads, alike);
    if (loads.sum_bytes != 0) result.summed = loads;
  }
  result.link_bytes *= alike;
  result.plain_link_bytes *= alike;
  multiplyFigures(result.tracker_stats, alike);
  return result;
}

void compareTrackers(Fabric& fabric) {
  for (const std::uint32_t g : fabric.own()) {
    if (Tracker* tracker = fabric.node(g).tracker.get()) tracker->compare();
  }
}

}  // namespace

System::System(const SystemConfig& config, Mode mode, TrackerKind tracker, const SystemRtl& rtl,
               Peers* peers)
    : peers_(peers), job_(std::make_unique<Job>(config, mode, tracker, rtl, peers)) {}

System::System(const SystemConfig& config, const AlgorithmMeaning& alone, Mode mode,
               TrackerKind tracker, const SystemRtl& rtl, Peers* peers)
    : peers_(peers), job_(std::make_unique<Job>(config, alone, mode, tracker, rtl, peers)) {}

System::~System() = default;

void System::observeMemory(
    const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor) {
  for (const std::uint32_t g : job_->fabric().own()) {
    HbmStack& memory = job_->fabric().node(g).hbm;
    memory.observe(&observerFor(g, memory.config()));
  }
}

void System::simulate(const RunWatch& watch) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets work from the end of elaboration on
  job_->judge().prepare();
  if (peers_ != nullptr) {
    runWindows(job_->executor(), job_->fabric().cut(), *peers_, watch);
  } else {
    runToEnd(job_->executor(), watch);
  }
}

RunResult System::run(const RunWatch& watch) {
  RunEnd end;
  try {
    simulate(watch);
    compareTrackers(job_->fabric());
    job_->judge().check();
    end.verification = job_->judge().compare();
  } catch (const PeerFailed&) {                  // the one that failed says why
  } catch (const sc_core::sc_report& failure) {  // of a model, a difference among them
    end.fail(failureText(failure));
  } catch (const std::exception& failure) {
    std::string text = failureText(failure);
    try {  // of a run that stands still, a difference says why
      compareTrackers(job_->fabric());
    } catch (const sc_core::sc_report& difference) {
      text = failureText(difference);
    }
    end.fail(std::move(text));
  }
  for (const std::uint32_t g : job_->fabric().own()) end.gpus.push_back(job_->judge().figures(g));
  end.gather(peers_);
  RunResult result;
  if (peers_ == nullptr || peers_->self() == 0) {
    if (end.verification.mismatches != 0) {
      end.fail(std::to_string(end.verification.mismatches) + " of " +
               std::to_string(end.verification.elements) + " elements differ from the reference");
    }
    result = resultOf(end.gpus, job_->machine());
    job_->judge().report(end.gpus, result);
    job_->judge().finish(result, !end.failures.empty());
    if (end.failures.empty()) {
      if (std::string below = belowClosedForm(result); !below.empty()) end.fail(std::move(below));
    }
    result.verification = end.verification;
  }
  result.error = end.error();
  return result;
}

}  // namespace t3
