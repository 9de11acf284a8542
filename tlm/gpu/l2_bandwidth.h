// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tlm/gpu/gemm_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// The bandwidth of all banks of the L2 together, served in the order of the calls.
class L2Bandwidth {
 public:
  L2Bandwidth(const L2Config& config, const Clock& clock)
      : bytesPerPs_(static_cast<double>(config.banks) * config.bank_bytes_per_cycle /
                    static_cast<double>(clock.period())) {}

  /// Reserves the time that the L2 needs for `bytes` more, in or out. Returns its end.
  Picoseconds reserve(std::uint64_t bytes) {
    free_ = std::max(free_, now()) +
            static_cast<Picoseconds>(std::llround(static_cast<double>(bytes) / bytesPerPs_));
    return free_;
  }
  /// Drops all reservations.
  void reset() { free_ = now(); }

 private:
  double bytesPerPs_;
  Picoseconds free_ = 0;
};

}  // namespace t3
