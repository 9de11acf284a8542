// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/hazards.h"

#include <bit>

namespace t3 {

Hazards::Hazards(const HbmConfig& config, DramQueue& queue)
    : queue_(queue),
      blockShift_(static_cast<unsigned>(std::countr_zero(config.channel_interleave_bytes))) {}

void Hazards::enter(Slot slot) {
  QueueEntry& entry = queue_[slot];
  Bucket& bucket = bucketOf(entry);
  // Reads overlap only with entries that write.
  if (entry.writes || bucket.writers > 0) {
    for (Slot i = bucket.first; i != kNoSlot; i = queue_[i].inBucket) {
      if (!overlap(queue_[i], entry)) continue;
      queue_[i].blocks = true;
      ++entry.blockers;
    }
  }
  (bucket.last == kNoSlot ? bucket.first : queue_[bucket.last].inBucket) = slot;
  bucket.last = slot;
  bucket.writers = static_cast<std::uint16_t>(bucket.writers + (entry.writes ? 1 : 0));
}

bool Hazards::release(const QueueEntry& served) {
  bool released = false;
  for (const Direction direction : {Direction::Read, Direction::Write}) {
    Slot next = kNoSlot;
    for (Slot i = queue_.list(direction, DramQueue::State::Blocked).first; i != kNoSlot; i = next) {
      QueueEntry& entry = queue_[i];
      next = entry.younger;
      if (entry.sequence < served.sequence || !overlap(entry, served)) continue;
      if (--entry.blockers > 0) continue;
      queue_.move(i, DramQueue::State::Waiting);
      released = true;
    }
  }
  return released;
}

}  // namespace t3
