// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/cluster_run.h"

#include "tlm/node/deadlock_report.h"

namespace t3 {

Watchdog ClusterRun::watchdog() const {
  return Watchdog(cluster_.config(), [this] { return deadlockReport(cluster_, true); });
}

std::string ClusterRun::whoWaits() const { return deadlockReport(cluster_, false); }

}  // namespace t3
