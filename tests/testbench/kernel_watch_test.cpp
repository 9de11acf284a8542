// SPDX-License-Identifier: Apache-2.0
// Method: the real SystemC kernel with one process that never lets simulated time pass. Each test
// runs in a process of its own, so each may start one simulation and be interrupted once.
#include "testbench/simulate/kernel_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>

namespace t3::kernel_watch_test {
namespace {

/// Runs in every delta cycle, for ever. In cycle `interruptAt` it interrupts its own program.
class Spinner : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Spinner);
  explicit Spinner(const sc_core::sc_module_name& name, std::uint64_t interruptAt = 0)
      : sc_module(name), interruptAt_(interruptAt) {
    SC_METHOD(spin);
  }
  std::uint64_t turns = 0;

 private:
  void spin() {
    if (++turns == interruptAt_) std::raise(SIGINT);
    // Who watches has a thread of its own, which a busy machine may let wait.
    if (interruptAt_ != 0 && turns > interruptAt_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    next_trigger(sc_core::SC_ZERO_TIME);
  }

  std::uint64_t interruptAt_;
};

/// Lets one delta cycle pass at each nanosecond.
class Ticker : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Ticker);
  explicit Ticker(const sc_core::sc_module_name& name) : sc_module(name) { SC_METHOD(tick); }

 private:
  void tick() { next_trigger(sc_core::sc_time(1, sc_core::SC_NS)); }
};

TEST(KernelWatch, EndsASimulationInWhichNoTimePasses) {
  Spinner spinner("spinner");
  const KernelWatch watch(false);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  EXPECT_THAT(watch.stuck(), testing::HasSubstr("no simulated time passes"));
  EXPECT_GT(spinner.turns, KernelWatch::kMostDeltas);
}

TEST(KernelWatch, LetsManyDeltaCyclesPassWhileTimeDoes) {
  Ticker ticker("ticker");
  const KernelWatch watch(false);
  sc_core::sc_start(sc_core::sc_time(3e-3 * KernelWatch::kMostDeltas, sc_core::SC_US));
  EXPECT_EQ(watch.stuck(), "");
  EXPECT_EQ(sc_core::sc_time_stamp(),
            sc_core::sc_time(3e-3 * KernelWatch::kMostDeltas, sc_core::SC_US));
}

/// Takes a while at time 0, without using the processor.
class SlowStarter : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(SlowStarter);
  explicit SlowStarter(const sc_core::sc_module_name& name) : sc_module(name) { SC_METHOD(wait); }

 private:
  void wait() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (++turns_ < 200) next_trigger(sc_core::SC_ZERO_TIME);
  }

  int turns_ = 0;
};

TEST(KernelWatch, DoesNotCountWhatWasBeforeTheSimulation) {
  const std::clock_t begin = std::clock();
  while (std::clock() - begin < CLOCKS_PER_SEC / 2) {
  }
  SlowStarter starter("starter");
  const KernelWatch watch(false, 0.25);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  EXPECT_EQ(watch.stuck(), "");
}

TEST(KernelWatch, PausesForAnInterruptAlsoWhereNoTimePasses) {
  exitOnInterrupt();
  Spinner spinner("spinner", 1000);
  const KernelWatch watch(true);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  EXPECT_TRUE(interrupted());
  EXPECT_LT(spinner.turns, KernelWatch::kMostDeltas) << "the interrupt, not the other reason";
  EXPECT_EQ(watch.stuck(), "");
  answerInterrupt();
}

TEST(Interrupt, AfterTheResultsAreWrittenEndsWithTheirExitCode) {
  for (const int code : {0, 1}) {
    EXPECT_EXIT(
        {
          exitOnInterrupt();
          endOnInterruptWith(code);
          std::raise(SIGTERM);
        },
        testing::ExitedWithCode(code), "");
  }
}

TEST(KernelWatch, AnInterruptThatNobodyAnswersEndsTheProgramAfterAll) {
  EXPECT_EXIT(
      {
        exitOnInterrupt();
        {
          const KernelWatch watch(true);
          std::raise(SIGINT);  // nothing is simulated that could answer
        }
      },
      testing::ExitedWithCode(kInterrupted), "");
}

}  // namespace
}  // namespace t3::kernel_watch_test
