// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/data_order.h"

#include <algorithm>

namespace t3 {

DataOrder::DataOrder(const AlgorithmMeaning& meaning) : meaning_(&meaning) {
  const AlgorithmForm& form = meaning.form();
  std::size_t steps = 0;
  for (std::uint32_t b = 0; b < form.threadBlocks(); ++b) {
    firstStep_.push_back(steps);
    steps += form.threadBlock(b).steps.size();
  }
  before_.resize(steps);
  free_.resize(steps);
  seen_.resize(steps);
  chunks_.resize(form.algorithm().gpuCount());
  for (auto& chunks : chunks_) chunks.resize(meaning.buffers().slots());
  for (const StepId step : meaning.order()) add(step);
}

void DataOrder::add(StepId id) {
  const AlgorithmForm& form = meaning_->form();
  const AlgorithmStep& step = form.step(id);
  const StepKind& kind = *step.kind;
  const std::uint32_t gpu = form.gpuOf(id.threadBlock);
  const auto own = static_cast<std::uint32_t>(index(id));
  std::vector<std::uint32_t>& before = before_[own];
  const auto touched = [&](AlgorithmBuffer buffer, std::uint32_t chunk) -> auto& {
    return chunks_[gpu][meaning_->buffers().slot(gpu, buffer, chunk)];
  };
  if (kind.receives) before.push_back(static_cast<std::uint32_t>(index(meaning_->partner(id))));
  for (std::uint32_t c = 0; kind.readsSource && c < step.count; ++c) {
    Touched& chunk = touched(step.sourceBuffer, step.source + c);
    if (chunk.writer) before.push_back(*chunk.writer);
    chunk.readers.push_back(own);
  }
  if (!kind.writesTarget) return;
  std::vector<std::uint32_t> others;
  for (std::uint32_t c = 0; c < step.count; ++c) {
    Touched& chunk = touched(step.targetBuffer, step.target + c);
    others.insert(others.end(), chunk.readers.begin(), chunk.readers.end());
    if (chunk.writer) others.push_back(*chunk.writer);
    chunk = {.writer = own};
  }
  std::erase(others, own);
  free_[own] = kind.receives && !kind.addsReceived() && allBefore(before.front(), others);
  if (!free_[own]) before.insert(before.end(), others.begin(), others.end());
}

/// Whether a step begins only when the others have ended.
bool DataOrder::allBefore(std::uint32_t step, std::vector<std::uint32_t> others) {
  ++search_;
  std::vector<std::uint32_t> open{step};
  while (!open.empty() && !others.empty()) {
    const std::uint32_t one = open.back();
    open.pop_back();
    std::erase(others, one);
    for (const std::uint32_t earlier : before_[one]) {
      if (seen_[earlier] != search_) open.push_back(earlier);
      seen_[earlier] = search_;
    }
  }
  return others.empty();
}

}  // namespace t3
