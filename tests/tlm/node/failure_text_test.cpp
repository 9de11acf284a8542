// SPDX-License-Identifier: Apache-2.0
// What a person reads when a simulation ends by an exception: one line, whoever threw it.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <systemc>

#include "tlm/node/failure_text.h"

namespace t3 {
namespace {

TEST(FailureText, IsTheTextOfOurOwnErrors) {
  EXPECT_EQ(failureText(std::runtime_error("stuck")), "stuck");
}

TEST(FailureText, OfASystemCReportIsOneLineWithTypeAndTime) {
  try {
    SC_REPORT_ERROR("t3/link", "not taken");
    FAIL() << "no exception";
  } catch (const std::exception& failure) {
    EXPECT_EQ(failureText(failure), "t3/link at 0 s: not taken");
  }
}

/// Throws what is no report, as an observer does whose disk is full.
class Thrower : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Thrower);
  explicit Thrower(const sc_core::sc_module_name& name) : sc_module(name) { SC_METHOD(run); }

 private:
  void run() { throw std::runtime_error("/dev/full: cannot be written"); }
};

TEST(FailureText, OfAnErrorInAProcessIsItsOwnText) {
  const Thrower thrower("thrower");
  try {
    sc_core::sc_start();
    FAIL() << "no exception";
  } catch (const std::exception& failure) {
    EXPECT_EQ(failureText(failure), "/dev/full: cannot be written");
  }
}

TEST(FailureText, SaysTheTimeOnce) {
  const auto textOf = [](const char* message) {
    try {
      SC_REPORT_ERROR("t3/rtl", message);
    } catch (const std::exception& failure) {
      return failureText(failure);
    }
    return std::string("no exception");
  };
  EXPECT_EQ(textOf("0 s, cycle 3 of gpu0.tracker"), "t3/rtl at 0 s, cycle 3 of gpu0.tracker");
  EXPECT_EQ(textOf("an assertion failed at 0 s"), "t3/rtl: an assertion failed at 0 s");
  EXPECT_EQ(textOf("another one failed at 10 s"), "t3/rtl at 0 s: another one failed at 10 s");
}

TEST(FailureText, OfMemoryThatRanOutSaysWhatNeedsLess) {
  const std::string text = failureText(std::bad_alloc());
  EXPECT_NE(text.find("memory is too small"), std::string::npos) << text;
  EXPECT_NE(text.find("data = elided"), std::string::npos) << text;
}

}  // namespace
}  // namespace t3
