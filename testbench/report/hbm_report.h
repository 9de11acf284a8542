// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/config/described_json.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_statistics.h"

namespace t3 {

// The JSON of `t3sim hbm`.

struct HbmBuildForm {
  std::string version, commit;
  bool dirty = false;
};
BOOST_DESCRIBE_STRUCT(HbmBuildForm, (), (version, commit, dirty))

struct HbmTraceForm {
  std::string file;
  std::uint64_t requests = 0;
  std::uint32_t request_bytes = 0, outstanding = 0;
};
BOOST_DESCRIBE_STRUCT(HbmTraceForm, (), (file, requests, request_bytes, outstanding))

struct HbmLatencyForm {
  double p50 = 0, p95 = 0, p99 = 0, max = 0;
};
BOOST_DESCRIBE_STRUCT(HbmLatencyForm, (), (p50, p95, p99, max))

struct HbmHostForm {
  double requests_per_s = 0, processor_s = 0, wall_s = 0;
};
BOOST_DESCRIBE_STRUCT(HbmHostForm, (), (requests_per_s, processor_s, wall_s))

struct HbmForm {
  static constexpr const char* kSchema = "t3sim-hbm/1";

  std::string schema = kSchema;
  HbmBuildForm build;
  HbmConfig hbm;
  HbmTraceForm trace;
  std::uint64_t time_ps = 0;
  double bandwidth_gb_s = 0;
  double row_hit_rate = 0;
  HbmLatencyForm latency_ns;
  HbmHostForm host;
  std::vector<StatisticRow> statistics;
};
BOOST_DESCRIBE_STRUCT(HbmForm, (),
                      (schema, build, hbm, trace, time_ps, bandwidth_gb_s, row_hit_rate, latency_ns,
                       host, statistics))

}  // namespace t3
