// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_to_end.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "tlm/node/kernel_time.h"
#include "tlm/node/watchdog.h"
#include "tlm/transport/agenda.h"

namespace t3 {
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
    if (next == std::numeric_limits<Picoseconds>::max()) {
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

}  // namespace t3
