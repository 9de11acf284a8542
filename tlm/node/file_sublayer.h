// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/node/bound_parts.h"
#include "tlm/node/collective_node.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/mode.h"
#include "tlm/node/reference.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// A sublayer whose collective is from a file: the steps of the software of each GPU, the values
/// that go in and must come out, the checks of its sums, and what a report says of it.
///
///     kernels    GEMM ─ launch ─► file's kernel ─ launch ─► all-gather (after a reduce-scatter)
///     trackers   GEMM ──────────┬─ both over ─ launch ────► the same
///                file's DMA ────┘
class FileSublayer {
 public:
  /// `plan` has a GEMM.
  FileSublayer(const SystemConfig& config, const CollectivePlan& plan);

  /// Before the run: operands, and NaNs where nothing is yet.
  void writeData(CollectiveNode& node, std::uint32_t gpu);
  /// Before the GPU's launch: zeros, and what the memory is told.
  void prepare(CollectiveNode& node, std::uint32_t gpu);
  /// The launch. `collective`: what it fills in.
  void begin(CollectiveNode& node, std::uint32_t gpu, TimeSpan& collective);
  bool finished(std::uint32_t gpu) const;
  /// What of the GEMM or the all-gather has not ended: lines that begin with a line feed.
  std::string describe(const CollectiveNode& node) const;

  /// After the run: every sum has had its updates and its zeros.
  void checkSums(const CollectiveNode& node, std::uint32_t gpu) const;
  void compare(CollectiveNode& node, std::uint32_t gpu, Verification& verification);
  /// Adds what is known of one GPU of this process to its figures.
  void addFigures(const CollectiveNode& node, const TimeSpan& collective,
                  GpuFigures& figures) const;
  /// `figures`: of all GPUs.
  void report(const ModeKind& kind, const std::vector<GpuFigures>& figures,
              RunResult& result) const;

 private:
  struct Gpu {
    TimeSpan zeroing, gemm, gather;
    std::uint32_t gathersLeft = 0;
    bool reduced = false;
  };

  const GemmPlan& gemm() const { return *plan_.gemm(); }
  bool clears() const { return config_.hbm.initial_value == InitialValue::InMemory; }
  void startCollective(CollectiveNode& node, std::uint32_t gpu, TimeSpan& collective);
  void gatherWhenReduced(CollectiveNode& node, std::uint32_t gpu);
  const Operands& operands(std::uint32_t gpu);

  const SystemConfig& config_;
  const CollectivePlan& plan_;
  const BoundParts bounds_;
  std::vector<Gpu> gpus_;
  std::vector<Operands> operands_;
  std::vector<std::uint16_t> expected_;
};

}  // namespace t3
