// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <systemc>

namespace t3 {

/// Simulated time in whole picoseconds, the resolution of every model here.
using Picoseconds = std::uint64_t;

inline Picoseconds toPicoseconds(const sc_core::sc_time& time) { return time.value(); }
inline sc_core::sc_time fromPicoseconds(Picoseconds time) {
  return sc_core::sc_time::from_value(time);
}

inline constexpr Picoseconds kNoTime = std::numeric_limits<Picoseconds>::max();
namespace detail {
inline Picoseconds actionTime = kNoTime;  ///< of the agenda's action under way (agenda.h)
}  // namespace detail

/// The time of the place that acts, which may be ahead of SystemC's (agenda.h); outside of all
/// actions SystemC's.
inline Picoseconds now() {
  return detail::actionTime != kNoTime ? detail::actionTime : sc_core::sc_time_stamp().value();
}

/// Whole picoseconds nearest to `nanoseconds` (≥ 0).
inline Picoseconds picosecondsFromNs(double nanoseconds) {
  return static_cast<Picoseconds>(std::llround(nanoseconds * 1e3));
}

/// The nanoseconds of reports and of closed forms.
inline double nanoseconds(Picoseconds time) { return static_cast<double>(time) * 1e-3; }

/// A named clock domain. The period is rounded to whole picoseconds (1.4 GHz is 714 ps) and every
/// closed form uses the rounded period.
class Clock {
 public:
  explicit Clock(double frequencyMhz)
      : period_(static_cast<Picoseconds>(std::llround(1e6 / frequencyMhz))) {}

  Picoseconds period() const { return period_; }
  Picoseconds cycles(std::uint64_t count) const { return count * period_; }
  /// First clock edge at or after `time`; edges are at whole multiples of the period.
  Picoseconds edgeAtOrAfter(Picoseconds time) const {
    return (time + period_ - 1) / period_ * period_;
  }

 private:
  Picoseconds period_;
};

}  // namespace t3
