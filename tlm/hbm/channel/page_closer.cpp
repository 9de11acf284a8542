// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/page_closer.h"

namespace t3 {

PageCloser::PageCloser(const HbmConfig& config, const DramQueue& queue, ChannelTiming& timing)
    : policy_(config.page_policy),
      queue_(queue),
      timing_(timing),
      score_(config.banks),
      closedRow_(config.banks, ChannelTiming::kClosed) {}

void PageCloser::closeUnneeded(const QueueEntry& entry, Cycles now) {
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    if (timing_.openRow(bank) != entry.run.row) return;
    if (policy_ == PagePolicy::Adaptive && score_[bank] < kCloseScore) return;
    if (queue_.needs(bank, entry.run.row)) return;
    timing_.precharge(bank, ChannelTiming::Closing::Early, now);
    closedRow_[bank] = entry.run.row;
  });
}

}  // namespace t3
