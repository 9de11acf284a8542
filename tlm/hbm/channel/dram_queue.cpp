// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/dram_queue.h"

namespace t3 {

DramQueue::DramQueue(const HbmConfig& config) : slots_(config.dram_queue_bursts + kSpareSlots) {
  for (std::size_t i = slots_.size(); i-- > 0;) freeSlots_.push_back(static_cast<Slot>(i));
}

void DramQueue::insert(Slot slot, State state) {
  QueueEntry& entry = slots_[slot];
  entry.state = state;
  List& list = listOf(entry);
  Slot older = list.last;
  while (older != kNoSlot && slots_[older].sequence > entry.sequence) older = slots_[older].older;
  const Slot younger = older == kNoSlot ? list.first : slots_[older].younger;
  entry.older = older;
  entry.younger = younger;
  (older == kNoSlot ? list.first : slots_[older].younger) = slot;
  (younger == kNoSlot ? list.last : slots_[younger].older) = slot;
  ++list.size;
}

bool DramQueue::needs(std::uint32_t bank, std::uint32_t row) const {
  for (const auto& direction : lists_) {
    for (const List& list : direction) {
      for (Slot i = list.first; i != kNoSlot; i = slots_[i].younger) {
        if (contains(slots_[i].banks, bank) && slots_[i].run.row == row) return true;
      }
    }
  }
  return false;
}

}  // namespace t3
