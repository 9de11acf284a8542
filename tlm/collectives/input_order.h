// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

/// The order in which a GPU should make its input chunks: those first whose steps come first.
///
/// A chunk is due at the time (stepTimes) of the first step that uses it; at equal times the order
/// is that of the thread blocks. Chunks that are due together and leave for different GPUs form one
/// group: they are best made side by side, so that all links have something to send.
///
///     ring      GPU g: g-1 | g-2 | … | g          as the ring of a sublayer
///     direct    g+1, g+2, …, g-1 | g              all links at once
struct InputOrder {
  std::vector<std::uint32_t> chunks;
  std::vector<std::uint32_t> groups;  ///< how many of them belong together; in all, all
};

/// For each GPU.
std::vector<InputOrder> inputOrders(const AlgorithmMeaning& meaning);

}  // namespace t3
