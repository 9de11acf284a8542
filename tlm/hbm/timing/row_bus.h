// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/dram_command.h"

namespace t3 {

/// Which clocks of a channel's row command bus are taken. Row commands are planned ahead and not in
/// order of time: the precharge of one bank may go between precharge and activate of another. So
/// the bus is kept as one bit for each clock of a window that moves with time.
class RowBus {
 public:
  /// First clock at or after `earliest` with `width` free clocks; does not take them.
  Cycles find(Cycles earliest, Cycles width) {
    for (;;) {
      Cycles blocked = -1;
      for (Cycles at = earliest + width - 1; at >= earliest; --at) {
        if (taken(at)) {
          blocked = at;
          break;
        }
      }
      if (blocked < 0) return earliest;
      earliest = blocked + 1;
    }
  }

  void take(Cycles at, Cycles width) {
    for (Cycles clock = at; clock < at + width; ++clock) {
      Word& word = words_[indexOf(clock)];
      if (word.window != windowOf(clock)) word = {windowOf(clock), 0};
      word.bits |= std::uint64_t{1} << (static_cast<std::uint64_t>(clock) & 63);
    }
  }

 private:
  /// 64 clocks. A word that still belongs to an older window reads as empty.
  struct Word {
    std::uint64_t window = ~std::uint64_t{0};
    std::uint64_t bits = 0;
  };

  static std::uint64_t windowOf(Cycles clock) { return static_cast<std::uint64_t>(clock) >> 6; }
  static std::size_t indexOf(Cycles clock) { return windowOf(clock) % kWords; }
  bool taken(Cycles clock) const {
    const Word& word = words_[indexOf(clock)];
    return word.window == windowOf(clock) &&
           ((word.bits >> (static_cast<std::uint64_t>(clock) & 63)) & 1) != 0;
  }

  /// Row commands are planned at most a few refresh durations ahead, far less than 4096 clocks.
  static constexpr std::size_t kWords = 64;
  std::array<Word, kWords> words_{};
};

}  // namespace t3
