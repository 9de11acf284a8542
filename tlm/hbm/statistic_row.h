// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <string>

namespace t3 {

/// One line of a report.
struct StatisticRow {
  std::string name;
  std::string description;
  std::string unit;
  double value = 0;
};
BOOST_DESCRIBE_STRUCT(StatisticRow, (), (name, description, unit, value))

}  // namespace t3
