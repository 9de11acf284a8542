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

TEST(FailureText, OfMemoryThatRanOutSaysWhatNeedsLess) {
  const std::string text = failureText(std::bad_alloc());
  EXPECT_NE(text.find("memory is too small"), std::string::npos) << text;
  EXPECT_NE(text.find("data = elided"), std::string::npos) << text;
}

}  // namespace
}  // namespace t3
