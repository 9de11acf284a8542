// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/input_order.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "tlm/collectives/algorithm_trees.h"

namespace t3 {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// When and where a chunk is used first.
struct Due {
  std::uint32_t time = kNever, threadBlock = 0, chunk = 0;
  std::uint32_t to = kNever;  ///< the GPU for which it leaves

  auto key() const { return std::tie(time, threadBlock, chunk); }
};

InputOrder orderOf(std::vector<Due> dues) {
  std::ranges::sort(dues, {}, &Due::key);
  InputOrder order;
  for (std::size_t first = 0; first < dues.size();) {
    std::size_t end = first;
    std::set<std::uint32_t> peers;
    for (; end < dues.size() && dues[end].time == dues[first].time; ++end) {
      peers.insert(dues[end].to);
      order.chunks.push_back(dues[end].chunk);
    }
    const auto together = static_cast<std::uint32_t>(end - first);
    if (peers.size() > 1) {
      order.groups.push_back(together);
    } else {
      order.groups.insert(order.groups.end(), together, 1);
    }
    const bool allLeave = !peers.contains(kNever);
    // What is sent as it comes is made no faster than links take it; what is due next fills the
    // time between.
    const bool fills = first == 0 && peers.size() > 1 && allLeave && end < dues.size();
    if (fills) {
      const std::uint32_t next = dues[end].time;
      for (; end < dues.size() && dues[end].time == next; ++end) {
        order.chunks.push_back(dues[end].chunk);
        ++order.groups.back();
      }
    }
    first = end;
  }
  return order;
}

}  // namespace

std::vector<InputOrder> inputOrders(const AlgorithmMeaning& meaning) {
  const AlgorithmForm& form = meaning.form();
  const AlgorithmBuffers& buffers = meaning.buffers();
  const auto times = stepTimes(meaning);
  std::vector<std::vector<Due>> dues(form.algorithm().gpuCount(),
                                     std::vector<Due>(buffers.inputSize()));
  for (auto& ofGpu : dues) {
    for (std::uint32_t c = 0; c < ofGpu.size(); ++c) ofGpu[c].chunk = c;
  }
  for (const StepId id : meaning.order()) {
    const AlgorithmStep& step = form.step(id);
    const std::uint32_t gpu = form.gpuOf(id.threadBlock);
    const std::uint32_t time = times[id.threadBlock][id.step];
    const auto use = [&](AlgorithmBuffer buffer, std::uint32_t first) {
      for (std::uint32_t c = first; c < first + step.count; ++c) {
        const std::uint32_t slot = buffers.slot(gpu, buffer, c);
        if (slot >= buffers.inputSize()) continue;
        Due& due = dues[gpu][slot];
        Due now{time, id.threadBlock, slot, kNever};
        if (step.kind->sends) now.to = *form.threadBlock(id.threadBlock).sendsTo;
        if (now.key() < due.key()) due = now;
      }
    };
    if (step.kind->readsSource) use(step.sourceBuffer, step.source);
    if (step.kind->readsTarget) use(step.targetBuffer, step.target);
  }
  std::vector<InputOrder> orders;
  for (auto& ofGpu : dues) orders.push_back(orderOf(std::move(ofGpu)));
  return orders;
}

}  // namespace t3
