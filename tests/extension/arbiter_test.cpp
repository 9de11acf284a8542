// SPDX-License-Identifier: Apache-2.0
// Method: an arbitration policy of this file's own, with a statistic of its own, in the memories of
// a whole system.
#include "tlm/hbm/arbitration/arbiter.h"

#include <gtest/gtest.h>

#include "tests/extension/checked_run.h"
#include "tlm/hbm/hbm_config.h"

namespace t3::arbiter_test {
namespace {

/// Where both streams wait, three pieces of compute for one of communication.
class ThreeToOne : public Arbitration {
 public:
  std::unique_ptr<Arbiter> makeArbiter() override { return std::make_unique<OfChannel>(*this); }

  std::vector<StatisticRow> statistics() const override {
    return {{"three_to_one_turns", "turns given to communication while compute waited", "",
             static_cast<double>(turns_)}};
  }

 private:
  class OfChannel : public Arbiter {
   public:
    explicit OfChannel(ThreeToOne& owner) : owner_(owner) {}

    ArbiterAnswer choose(const ArbiterView& view) override {
      both_ = view.compute != nullptr;
      return ArbiterAnswer::let(both_ && inARow_ < 3 ? Stream::Compute : Stream::Communication);
    }
    void entered(const Piece& piece, Cycles) override {
      if (piece.stream() == Stream::Compute) {
        ++inARow_;
      } else {
        if (both_ && inARow_ >= 3) ++owner_.turns_;
        inARow_ = 0;
      }
      both_ = false;
    }

   private:
    ThreeToOne& owner_;
    bool both_ = false;
    unsigned inARow_ = 0;
  };

  std::uint64_t turns_ = 0;
};

constexpr ArbitrationPolicy kThreeToOne{"three-to-one",
                                        [](const HbmConfig&) -> std::unique_ptr<Arbitration> {
                                          return std::make_unique<ThreeToOne>();
                                        }};

TEST(Extension, AnArbiterOfOnesOwnRunsInEveryMemory) {
  SystemConfig config = test::tinyTp4();
  config.hbm.arbitration = kThreeToOne;
  const RunResult result = test::checkedRun(config, Mode::T3);
  EXPECT_GT(test::memoryFigure(result, "three_to_one_turns"), 0);
}

}  // namespace
}  // namespace t3::arbiter_test
