// SPDX-License-Identifier: Apache-2.0
// Method: a readiness rule of this file's own holds the GEMM's loads of one operand, which a mode
// of its own brings late: until then its place holds values that are no numbers, so that the sums
// are right only if no load came too early.
#include "tlm/gpu/readiness.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <vector>

#include "tests/extension/checked_run.h"
#include "tlm/node/bounds.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"

namespace t3::readiness_test {
namespace {

constexpr Picoseconds kArrival = 20'000'000;

/// All of a range of addresses at once.
class OneArrival : public Readiness {
 public:
  OneArrival(std::uint64_t first, std::uint64_t bytes) : first_(first), end_(first + bytes) {}

  bool ready(std::uint64_t address, std::uint64_t bytes) const override {
    return there_ || address + bytes <= first_ || address >= end_;
  }
  void arrive() {
    there_ = true;
    changed();
  }

 private:
  std::uint64_t first_, end_;
  bool there_ = false;
};

std::vector<unsigned char> operandOf(Machine& machine, std::uint32_t gpu, tlm::tlm_command command,
                                     std::optional<std::vector<unsigned char>> values = {}) {
  const std::uint64_t bytes = machine.outputs().front().layout.operandPitchBytes *
                              machine.outputs().front().tiling.columns();
  if (!values) values.emplace(bytes);
  machine.node(gpu).debugAccess(command, machine.outputs().front().layout.operandB, values->data(),
                                static_cast<std::uint32_t>(bytes));
  return *values;
}

/// The second operand of the GEMM that is about to start is in memory `kArrival` later.
void operandComesLate(Machine& machine, std::uint32_t gpu) {
  const auto values = operandOf(machine, gpu, tlm::TLM_READ_COMMAND);
  operandOf(machine, gpu, tlm::TLM_WRITE_COMMAND, std::vector<unsigned char>(values.size(), 0xff));
  static std::deque<OneArrival> rules;  // the kernels keep them
  OneArrival& rule = rules.emplace_back(machine.outputs().front().layout.operandB, values.size());
  machine.node(gpu).gpu.nodes[*machine.graph().find(Phase::Gemm)].gemm->guardLoads(rule);
  machine.fabric().at(gpu, kArrival, [&machine, &rule, gpu, values] {
    operandOf(machine, gpu, tlm::TLM_WRITE_COMMAND, values);
    rule.arrive();
  });
}

/// The baseline with such an operand.
constexpr ModeKind kLateOperand{
    .name = "late-operand",
    .graph =
        [](const SystemConfig& config) {
          Graph graph;
          graph.add({"operand", extraPhase(0), SoftwareWork{operandComesLate}});
          const NodeId gemm = addGemm(graph), reduce = addKernels(graph, kReduceScatter);
          graph.connect(gemm, Gate::After, reduce);
          gatherAndConsume(graph, config, {reduce}, kAllGather);
          return graph;
        },
    .bound = inTurn};

TEST(Extension, AReadinessRuleOfOnesOwnHoldsTheLoadsOfAGemm) {
  const RunResult result = test::checkedRun(test::tinyTp4(), Mode{kLateOperand});
  for (const GpuResult& gpu : result.per_gpu) EXPECT_GT(gpu.gemm_end_ps, kArrival);
}

}  // namespace
}  // namespace t3::readiness_test
