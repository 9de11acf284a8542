// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/testbench/program.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::test {

using Words = std::vector<std::string>;

inline Words join(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The JSON report of one t3sim call, which must succeed; an empty object if it does not.
inline boost::json::object reportOf(const Words& words) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("report.json");
  const Outcome outcome = t3sim(join(words, {"--quiet", "--json", path}));
  EXPECT_EQ(outcome.code, 0) << outcome.error << outcome.output;
  if (outcome.code != 0) return {};
  return boost::json::parse(readFile(path)).as_object();
}

/// Its runs by mode.
inline std::map<std::string, boost::json::object> runs(const Words& words) {
  std::map<std::string, boost::json::object> byMode;
  const boost::json::object report = reportOf(words);
  if (report.empty()) return byMode;
  for (const boost::json::value& run : report.at("runs").as_array()) {
    byMode[std::string(run.at("mode").as_string())] = run.as_object();
  }
  return byMode;
}

/// The only run of a call of `t3sim run`.
inline boost::json::object runOf(const Words& words) {
  const auto byMode = runs(words);
  EXPECT_EQ(byMode.size(), 1U);
  return byMode.empty() ? boost::json::object() : byMode.begin()->second;
}

inline std::uint64_t number(const boost::json::object& run, const char* key) {
  return run.at(key).to_number<std::uint64_t>();
}

inline std::uint64_t tracker(const boost::json::object& run, const char* key) {
  return run.at("tracker_stats").at(key).to_number<std::uint64_t>();
}

}  // namespace t3::test
