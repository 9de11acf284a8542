// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "testbench/report/run_record.h"

namespace t3 {

/// What a collective from a file is and how fast it was, in the words of collective benchmarks.
struct CollectiveSummary {
  std::string file, name;
  std::string coll;  ///< "allreduce" …
  bool in_place = false;
  std::uint32_t gpus = 0, chunks = 0;
  std::uint64_t thread_blocks = 0, steps = 0;
  std::uint64_t bytes = 0;           ///< of the larger one of a GPU's input and output
  double algbw_gb_s = 0;             ///< bytes / time; of several in a row, of one of them
  std::optional<double> busbw_gb_s;  ///< that, times what the busiest link has to carry per byte
};
BOOST_DESCRIBE_STRUCT(CollectiveSummary, (),
                      (file, name, coll, in_place, gpus, chunks, thread_blocks, steps, bytes,
                       algbw_gb_s, busbw_gb_s))

/// Schema t3sim/1, with `collective` in each run.
boost::json::value collectiveJson(const Report& report, const CollectiveSummary& summary);
std::string collectiveCsv(const Report& report, const CollectiveSummary& summary);
std::string collectiveTable(const Report& report, const CollectiveSummary& summary);

}  // namespace t3
