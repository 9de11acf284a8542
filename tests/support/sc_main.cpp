// SPDX-License-Identifier: Apache-2.0
// GoogleTest inside sc_main. SystemC's kernel is global, so CTest runs each test in a process of
// its own; running several in one process by hand works only for tests that elaborate nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <systemc>

#include "tests/support/seed.h"

namespace {

// libsystemc owns main() and prints its banner before sc_main; test listings stay clean without.
[[maybe_unused]] const int kQuiet = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);

}  // namespace

namespace t3::test {

std::uint64_t seed(std::uint64_t fallback) {
  const char* text = std::getenv("T3_TEST_SEED");
  const std::uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::cout << "seed " << value << "; repeat with: T3_TEST_SEED=" << value << " <this program>"
            << " --gtest_filter=" << info->test_suite_name() << '.' << info->name() << std::endl;
  return value;
}

std::uint64_t rounds(std::uint64_t fallback) {
  const char* text = std::getenv("T3_TEST_ROUNDS");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

}  // namespace t3::test

int sc_main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
    SC_REPORT_FATAL("t3/test", "the time resolution is not SystemC's default of 1 ps");
  }
  // An error report becomes an exception, which GoogleTest reports as a failure where the test
  // does not expect it. SystemC carries exceptions out of processes to sc_start's caller.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR,
                                          sc_core::SC_DISPLAY | sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                          sc_core::SC_DISPLAY | sc_core::SC_THROW);
  return RUN_ALL_TESTS();
}
