// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/promise.h"

namespace t3 {

/// Whether a text is a schedule and not an MSCCL file: JSON begins with a brace.
bool isSchedule(const std::string& text);

/// The collective in a schedule of TE-CCL, the JSON that its solver writes. `promise` null: what it
/// is, an all-gather or an all-to-all. Else what an all-gather is to become: a reduce-scatter is
/// its way back, from each GPU to the one whose chunk it is; an all-reduce is both.
///
/// Of the times of a schedule the order of what each link sends is kept. Throws ConfigError:
/// source, entry, what was expected.
Algorithm readSchedule(const std::string& text, const std::string& source,
                       const Promise* promise = nullptr);

}  // namespace t3
