// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_to_end.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/node/deadlock_report.h"

namespace t3 {
namespace {

/// How much is simulated between two looks at progress and at the watchdog.
constexpr double kSliceUs = 20;

}  // namespace

void runToEnd(Cluster& cluster, Program& program, const RunWatch& watch) {
  program.start();
  const sc_core::sc_time slice(kSliceUs, sc_core::SC_US);
  sc_core::sc_time step = slice;
  if (watch.sample && watch.samplePeriod < toPicoseconds(slice)) {
    step = fromPicoseconds(watch.samplePeriod);
  }
  sc_core::sc_time nextLook = slice;
  const Picoseconds patience = picosecondsFromNs(cluster.config().watchdog_us * 1e3);
  std::uint64_t lastBeat = cluster.heartbeat();
  Picoseconds lastChange = 0;
  for (std::uint32_t g = 0; g < cluster.gpus(); ++g) {  // a GPU that starts late is no hang
    lastChange = std::max(lastChange, cluster.launchTime(g));
  }
  while (true) {
    if (!sc_core::sc_pending_activity()) {
      if (cluster.finished()) return;
      if (cluster.idle() && program.resume()) continue;
      throw std::runtime_error("deadlock at " + sc_core::sc_time_stamp().to_string() +
                               ": nothing is left to happen" + deadlockReport(cluster, true));
    }
    // SystemC does not move time towards an event that lies beyond the step.
    sc_core::sc_start(std::max(step, sc_core::sc_time_to_pending_activity()),
                      sc_core::SC_EXIT_ON_STARVATION);
    if (watch.sample) watch.sample();
    if (sc_core::sc_time_stamp() >= nextLook) {
      nextLook = sc_core::sc_time_stamp() + slice;
      if (watch.progress) watch.progress(cluster.fractionDone());
    }
    if (watch.stop && watch.stop()) {
      throw std::runtime_error("stopped at " + sc_core::sc_time_stamp().to_string() +
                               deadlockReport(cluster, false));
    }
    if (const std::string why = watch.stuck ? watch.stuck() : ""; !why.empty()) {
      throw std::runtime_error("stuck at " + sc_core::sc_time_stamp().to_string() + ": " + why +
                               deadlockReport(cluster, true));
    }
    if (const std::uint64_t beat = cluster.heartbeat(); beat != lastBeat) {
      lastBeat = beat;
      lastChange = std::max(lastChange, now());
    } else if (now() > lastChange + patience) {
      throw std::runtime_error(
          "no progress since " + fromPicoseconds(lastChange).to_string() +
          ", longer than watchdog_us allows (" + fromPicoseconds(patience).to_string() +
          "); raise it if a part is meant to be that slow" + deadlockReport(cluster, true));
    }
  }
}

}  // namespace t3
