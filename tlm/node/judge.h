// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/node/gpu_figures.h"
#include "tlm/node/run_result.h"

namespace t3 {

/// Puts the inputs of a graph into the memories, judges what has come of it, and reports it. It has
/// no say in what happens.
class Judge {
 public:
  virtual ~Judge() = default;

  /// After elaboration, before the run: what software does in no simulated time.
  virtual void prepare() = 0;
  /// At the end of the run: what must be true of the GPUs of this process. Throws
  /// std::runtime_error with one line.
  virtual void check() = 0;
  /// Their elements, and those that differ from the reference.
  virtual Verification compare() = 0;

  /// Of a GPU of this process, at its end.
  virtual GpuFigures figures(std::uint32_t gpu) const = 0;
  /// Adds times of phases to what is said of every run, from those of all GPUs.
  virtual void report(const std::vector<GpuFigures>& gpus, RunResult& result) const = 0;
  /// Bounds, and what the mode makes of the result; `failed`: the run has.
  virtual void finish(RunResult& result, bool failed) const = 0;
};

}  // namespace t3
