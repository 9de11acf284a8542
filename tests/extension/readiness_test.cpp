// SPDX-License-Identifier: Apache-2.0
// Method: a readiness rule of this file's own holds the GEMM's loads of one operand, which a mode
// of its own brings late: until then its place holds values that are no numbers, so that the sums
// are right only if no load came too early.
#include "tlm/gpu/readiness.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/extension/checked_run.h"
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/program.h"

namespace t3 {
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

/// The baseline, whose second operand is in memory `kArrival` after the launch of the GEMM.
class LateOperand : public Program {
 public:
  explicit LateOperand(Cluster& cluster) : Program(cluster) {
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      rules_.push_back(std::make_unique<OneArrival>(cluster_.layout().operandB, operandBytes()));
      cluster_.node(g).gpu.gemm.guardLoads(*rules_.back());
    }
  }

  void start() override {
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      std::vector<unsigned char> values(operandBytes());
      access(tlm::TLM_READ_COMMAND, g, values);
      std::vector<unsigned char> nans(operandBytes(), 0xff);
      access(tlm::TLM_WRITE_COMMAND, g, nans);
      cluster_.at(g, kArrival, [this, g, late = std::move(values)]() mutable {
        access(tlm::TLM_WRITE_COMMAND, g, late);
        rules_[g]->arrive();
      });
      cluster_.startGemm(g, OutputMap{}, Cluster::Order::Free, [this, g](Picoseconds) {
        cluster_.startCollective(
            g, kReduceScatter, [this, g](Picoseconds) { cluster_.startCollective(g, kAllGather); });
      });
    }
  }

 private:
  std::uint32_t operandBytes() const {
    return static_cast<std::uint32_t>(cluster_.layout().operandPitchBytes *
                                      cluster_.tiling().columns());
  }
  void access(tlm::tlm_command command, std::uint32_t gpu, std::vector<unsigned char>& values) {
    cluster_.node(gpu).debugAccess(command, cluster_.layout().operandB, values.data(),
                                   static_cast<std::uint32_t>(values.size()));
  }

  std::vector<std::unique_ptr<OneArrival>> rules_;
};

constexpr ModeKind kLateOperand{.name = "late-operand",
                                .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
                                  return std::make_unique<LateOperand>(cluster);
                                },
                                .bound = inTurn};

TEST(Extension, AReadinessRuleOfOnesOwnHoldsTheLoadsOfAGemm) {
  const RunResult result = test::checkedRun(test::tinyTp4(), Mode{kLateOperand});
  for (const GpuResult& gpu : result.per_gpu) {
    EXPECT_GT(gpu.by_phase.of(Phase::Gemm).end_ps, kArrival);
  }
}

}  // namespace
}  // namespace t3
