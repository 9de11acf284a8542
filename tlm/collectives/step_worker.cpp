// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_worker.h"

#include <utility>

namespace t3 {

void StepWorker::beginRun(Done done) {
  running_ = true;
  finished_ = false;
  slicesDone_ = 0;
  announce({.kind = EventKind::KernelBegin});
  done_ = std::move(done);
}

void StepWorker::endRun() {
  running_ = false;
  finished_ = true;
  announce({.kind = EventKind::KernelEnd});
  if (done_) std::exchange(done_, nullptr)(now());
}

std::string StepWorker::describe() const {
  const std::string who = std::string(name()) + ": ";
  if (finished_ && idle()) return who + "done";
  return who + (running_ ? "" : "not running, ") + std::to_string(slicesDone_) + " of " +
         std::to_string(slicesToDo_) + " slices of steps done, " + describeWork();
}

}  // namespace t3
