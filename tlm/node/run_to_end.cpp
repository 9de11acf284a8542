// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_to_end.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/node/deadlock_report.h"
#include "tlm/node/watchdog.h"

namespace t3 {
namespace {

/// A cluster with the program that it runs.
class ClusterRun : public RunSubject {
 public:
  ClusterRun(Cluster& cluster, Program& program) : cluster_(cluster), program_(program) {}

  void start() override { program_.start(); }
  bool finished() const override { return cluster_.finished(); }
  bool resume() override { return cluster_.idle() && program_.resume(); }
  std::uint64_t heartbeat() const override { return cluster_.heartbeat(); }
  double fractionDone() const override { return cluster_.fractionDone(); }
  Watchdog watchdog() const override { return Watchdog(cluster_); }
  std::string whoWaits() const override { return deadlockReport(cluster_, false); }

 private:
  Cluster& cluster_;
  Program& program_;
};

}  // namespace

void runToEnd(Cluster& cluster, Program& program, const RunWatch& watch) {
  ClusterRun run(cluster, program);
  runToEnd(run, watch);
}

void runToEnd(RunSubject& subject, const RunWatch& watch) {
  subject.start();
  const sc_core::sc_time step =
      fromPicoseconds(watch.sample ? std::min(watch.samplePeriod, kLookInterval) : kLookInterval);
  Picoseconds nextLook = kLookInterval;
  Watchdog watchdog = subject.watchdog();
  while (true) {
    if (!sc_core::sc_pending_activity()) {
      if (subject.finished()) return;
      if (subject.resume()) continue;
      watchdog.deadlock();
    }
    // SystemC does not move time towards an event that lies beyond the step.
    sc_core::sc_start(std::max(step, sc_core::sc_time_to_pending_activity()),
                      sc_core::SC_EXIT_ON_STARVATION);
    if (watch.sample) watch.sample();
    if (now() >= nextLook) {
      nextLook = now() + kLookInterval;
      if (watch.progress) watch.progress(subject.fractionDone());
    }
    if (watch.stop && watch.stop()) {
      throw std::runtime_error("stopped at " + sc_core::sc_time_stamp().to_string() +
                               subject.whoWaits());
    }
    if (watch.stuck) watchdog.expectNotStuck(watch.stuck());
    watchdog.look(subject.heartbeat(), now());
  }
}

}  // namespace t3
