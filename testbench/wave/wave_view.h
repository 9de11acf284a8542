// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tlm/transport/clock.h"

namespace t3 {

/// Something that happened, to be marked in the waveform.
struct WaveMark {
  Picoseconds when = 0;
  std::string text;
};

/// A GTKWave save file for the waveform at `path`, whose signals are those of `fst`: groups with
/// the most useful ones first, numbers in their usual radix, names of enumerators, and markers at
/// the first 26 `marks`.
std::string viewOf(const std::string& path, const std::string& fst,
                   const std::vector<WaveMark>& marks);

}  // namespace t3
