// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_clock.h"

#include <algorithm>
#include <utility>

namespace t3 {

std::uint32_t StepClock::stepsOf(std::uint32_t threadBlock) const {
  if (threadBlock == threadBlock_) return steps_;
  if (others_ == nullptr) return 0;
  const auto entry = std::ranges::lower_bound(*others_, threadBlock, {}, &Entry::threadBlock);
  return entry != others_->end() && entry->threadBlock == threadBlock ? entry->steps : 0;
}

void StepClock::hear(const StepClock& other) {
  static const Others kNone;
  const Others& mine = others_ == nullptr ? kNone : *others_;
  const Others& theirs = other.others_ == nullptr ? kNone : *other.others_;
  Others all;
  all.reserve(mine.size() + theirs.size() + 1);
  const auto add = [&](const Entry& entry) {
    if (entry.threadBlock == threadBlock_ || entry.steps == 0) return;
    all.push_back(entry);
  };
  const Entry sender{other.threadBlock_, other.steps_};
  bool senderAdded = false;
  auto left = mine.begin();
  auto right = theirs.begin();
  while (left != mine.end() || right != theirs.end() || !senderAdded) {
    constexpr std::uint32_t kEnd = ~0U;
    const std::uint32_t a = left != mine.end() ? left->threadBlock : kEnd;
    const std::uint32_t b = right != theirs.end() ? right->threadBlock : kEnd;
    const std::uint32_t c = senderAdded ? kEnd : sender.threadBlock;
    Entry next{std::min({a, b, c}), 0};
    if (a == next.threadBlock) next.steps = std::max(next.steps, (left++)->steps);
    if (b == next.threadBlock) next.steps = std::max(next.steps, (right++)->steps);
    if (c == next.threadBlock) {
      next.steps = std::max(next.steps, sender.steps);
      senderAdded = true;
    }
    add(next);
  }
  others_ = std::make_shared<const Others>(std::move(all));
}

}  // namespace t3
