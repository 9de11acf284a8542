// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace t3::rtl_test {

/// `<folder>/<unit>-<suite>.<test>-<n>.<suffix>`, unique within a run of the tests, where the
/// environment variable `variable` names the folder; empty where it is not set. A `/` in a test's
/// name becomes `_`.
inline std::string recordingPath(const char* variable, const char* unit, const char* suffix) {
  static int count = 0;
  const char* folder = std::getenv(variable);
  if (folder == nullptr) return {};
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(unit) + "-" + test->test_suite_name() + "." + test->name() + "-" +
                     std::to_string(count++) + "." + suffix;
  std::ranges::replace(name, '/', '_');
  return std::string(folder) + "/" + name;
}

/// How many cycles of each bench are recorded: all, unless the environment variable `variable`
/// says.
inline std::uint64_t recordedCycles(const char* variable) {
  const char* cycles = std::getenv(variable);
  return cycles == nullptr ? std::numeric_limits<std::uint64_t>::max()
                           : std::strtoull(cycles, nullptr, 10);
}

/// Writes the coverage points of a model built with them (hw/coverage/run) where T3_RTL_COVERAGE
/// names a folder.
inline void writeCoverage([[maybe_unused]] VerilatedContext& context,
                          [[maybe_unused]] const char* unit) {
#if VM_COVERAGE
  const std::string path = recordingPath("T3_RTL_COVERAGE", unit, "coverage");
  if (!path.empty()) context.coveragep()->write(path.c_str());
#endif
}

}  // namespace t3::rtl_test
