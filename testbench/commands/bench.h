// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "testbench/commands/bench_table.h"

namespace t3 {

struct BenchOptions {
  unsigned repeats = 3;  ///< of each measurement; the median counts
  double work = 1;       ///< multiple of the standard amount of work
};

/// A part of the simulator whose speed is measured. A new one is a file bench_<name>.cpp that
/// defines `BenchPart <name>Bench()`, and a line in the table of bench.cpp. It runs in a process of
/// its own, in which it may elaborate SystemC (once).
struct BenchPart {
  const char* name;
  const char* summary;
  std::vector<BenchTable> (*run)(const BenchOptions& options);
};

/// Median over `repeats` of what `measure` returns.
double medianOf(unsigned repeats, const std::function<double()>& measure);

/// Processor time this process has used, in seconds. Speed is measured in it: other programs on the
/// machine disturb it less than the time on the wall.
double processorSeconds();

}  // namespace t3
