// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_to_end.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/node/deadlock_report.h"
#include "tlm/node/watchdog.h"

namespace t3 {
void runToEnd(Cluster& cluster, Program& program, const RunWatch& watch) {
  program.start();
  const sc_core::sc_time step =
      fromPicoseconds(watch.sample ? std::min(watch.samplePeriod, kLookInterval) : kLookInterval);
  Picoseconds nextLook = kLookInterval;
  Watchdog watchdog(cluster);
  while (true) {
    if (!sc_core::sc_pending_activity()) {
      if (cluster.finished()) return;
      if (cluster.idle() && program.resume()) continue;
      watchdog.deadlock();
    }
    // SystemC does not move time towards an event that lies beyond the step.
    sc_core::sc_start(std::max(step, sc_core::sc_time_to_pending_activity()),
                      sc_core::SC_EXIT_ON_STARVATION);
    if (watch.sample) watch.sample();
    if (now() >= nextLook) {
      nextLook = now() + kLookInterval;
      if (watch.progress) watch.progress(cluster.fractionDone());
    }
    if (watch.stop && watch.stop()) {
      throw std::runtime_error("stopped at " + sc_core::sc_time_stamp().to_string() +
                               deadlockReport(cluster, false));
    }
    if (watch.stuck) watchdog.expectNotStuck(watch.stuck());
    watchdog.look(cluster.heartbeat(), now());
  }
}

}  // namespace t3
