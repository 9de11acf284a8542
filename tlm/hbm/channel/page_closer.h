// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// Closes rows that no queued entry needs any more, as `page_policy` says.
///
/// `Adaptive` keeps a score for each bank. It rises when a row that was left open had to be closed
/// for another one, and falls when a row that was closed early was needed again. A bank with a high
/// score is closed early.
class PageCloser {
 public:
  PageCloser(const HbmConfig& config, const DramQueue& queue, ChannelTiming& timing);

  /// `row` is about to be opened in a closed bank.
  void missed(std::uint32_t bank, std::uint32_t row) {
    if (closedRow_[bank] == row && score_[bank] > 0) --score_[bank];
  }
  /// The open row of this bank is about to be closed for another one.
  void conflicted(std::uint32_t bank) {
    if (score_[bank] < kMaxScore) ++score_[bank];
  }
  /// The last column command of `entry`, which is in no list any more, is planned.
  void served(const QueueEntry& entry, Cycles now) {
    if (policy_ != PagePolicy::Open) closeUnneeded(entry, now);
  }

 private:
  static constexpr std::uint8_t kMaxScore = 3;
  /// A bank is closed early while its score is at least this.
  static constexpr std::uint8_t kCloseScore = 2;

  void closeUnneeded(const QueueEntry& entry, Cycles now);

  const PagePolicy policy_;
  const DramQueue& queue_;
  ChannelTiming& timing_;
  std::vector<std::uint8_t> score_;      ///< per bank
  std::vector<std::int64_t> closedRow_;  ///< per bank: the row closed early
};

}  // namespace t3
