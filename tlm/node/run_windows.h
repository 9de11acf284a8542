// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/interconnect/cut_links.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_subject.h"
#include "tlm/node/run_watch.h"

namespace t3 {

/// What went wrong is known in another process.
struct PeerFailed {};

/// What runToEnd does for one process, for a system that is cut over `peers` at the links of `cut`.
///
/// The processes meet, exchange what crossed the cut links, and agree on the next event of all.
/// Then each simulates a window from there on that is as long as the lookahead of the cut: nothing
/// that another process does in it can arrive in it. Time in which nothing happens is skipped. When
/// no process has anything left to do, all are brought to the same time, that of the last event.
///
/// Throws what runToEnd throws, and PeerFailed where only another process has failed.
void runWindows(RunSubject& subject, CutLinks& cut, Peers& peers, const RunWatch& watch);

}  // namespace t3
