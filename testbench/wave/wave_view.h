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

/// A GTKWave save file for the waveform at `path`, whose signals are those of `fst`: groups of what
/// people look at first, numbers in the radix they are thought of, names of enumerations, and
/// markers at the first 26 `marks`.
std::string viewOf(const std::string& path, const std::string& fst,
                   const std::vector<WaveMark>& marks);

}  // namespace t3
