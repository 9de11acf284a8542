// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tlm/transport/clock.h"

namespace t3 {

/// The tops of RTL, behind the name of the model in whose place they are.
inline constexpr const char *kTrackerTop = ".t3_track_trigger", *kMergeUnitTop = ".t3_switch_merge",
                            *kStackJoinTop = ".t3_stack_join";

/// Something that happened, to be marked in the waveform.
struct WaveMark {
  Picoseconds when = 0;
  std::string place, text;  ///< "gpu0.gpu.gemm", "begins"
  int interest = 0;         ///< a reader wants to see the most interesting one first
};

/// A GTKWave save file at `view` for the waveform at `path`, whose signals are those of `fst`:
/// closed groups, the most useful one first and open; a group for each lane of a tracker. The two
/// files may be moved together. Markers stand at `marks`, as many and with as much text as have
/// room when the whole span is shown; a list above the signals says what they are. The view opens
/// at the first of the most interesting marks, or with all of a short span.
std::string viewOf(const std::string& view, const std::string& path, const std::string& fst,
                   const std::vector<WaveMark>& marks);

}  // namespace t3
