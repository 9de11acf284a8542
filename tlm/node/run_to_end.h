// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/run_subject.h"
#include "tlm/node/run_watch.h"

namespace t3 {

/// Starts `subject` and simulates until every GPU is done and nothing is left to do.
/// Throws std::runtime_error, with `whoWaits` below its first line, when nothing is left to happen
/// before that, nothing has moved for the watchdog's time, or `watch` says stop.
void runToEnd(RunSubject& subject, const RunWatch& watch);

}  // namespace t3
