// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace t3 {

/// A signal of a finished FST file.
struct FstSignal {
  std::string name;   ///< with its scopes, "gpu0.tracker.t3_track_trigger.busy_o"
  std::string range;  ///< "[7:0]" or nothing
  std::uint32_t bits = 1;
  std::uint32_t handle = 0;
  bool constant = false;  ///< a parameter of SystemVerilog
};
std::vector<FstSignal> fstSignals(const std::string& path);

struct FstSpan {
  std::uint64_t first = 0, last = 0;
};
/// Of the value changes, in picoseconds.
FstSpan fstSpan(const std::string& path);

/// Calls `change` for every change in order of time; `value` has a 0 or 1 for each bit.
void forEachChange(const std::string& path,
                   const std::function<void(std::uint64_t, std::uint32_t, const char*)>& change);

/// Joins `parts`, files of the same signals in the order of time, into the file `to`, which begins
/// at `first`: with the values at that time, then their changes. Throws std::runtime_error.
void joinFst(const std::vector<std::string>& parts, std::uint64_t first, const std::string& to);

/// The same waveform as VCD. Throws std::runtime_error.
void writeVcd(const std::string& fst, const std::string& vcd);

}  // namespace t3
