// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/config/json_schema.h"
#include "testbench/report/collective_summary.h"
#include "testbench/report/run_record.h"

namespace t3 {

// The JSON of results, as described structs: what is written, and its schema, follow from these.
// Fields may be added in later versions, never renamed.

/// What the program was built from.
struct BuildForm {
  std::string version, commit;
  bool dirty = false;
  std::string rtl_sha256;

  static std::span<const MemberText> texts();
};
BOOST_DESCRIBE_STRUCT(BuildForm, (), (version, commit, dirty, rtl_sha256))

enum class RunStatus : std::uint8_t { Ok, Failed };
BOOST_DESCRIBE_ENUM(RunStatus, Ok, Failed)

/// One run: a RunRecord, with what the other runs of its report say about it.
struct RunForm {
  Mode mode;
  TrackerKind tracker{};
  RunStatus status{};
  std::optional<std::string> error;
  double time_ns = 0;
  Picoseconds time_ps = 0;
  std::optional<double> speedup;
  std::optional<Mode> derived_from;
  PhaseNs phase_ns;
  BoundNs bound_ns;
  std::vector<PhaseSpan> phases;
  std::vector<SublayerSpan> sublayers;
  std::optional<double> steady_ns;
  SetupFigures setup;
  DramBytes dram_bytes;
  IfSet<std::vector<CollectiveFigures>> other_collectives;
  std::uint64_t link_bytes = 0;
  std::vector<GpuResult> per_gpu;
  IfSet<MemoryReport> memory;
  TrackerTotals tracker_stats;
  IfSet<MergeFigures> merged;
  IfSet<LoadFigures> summed;
  Verification verification;
  HostFigures host;
  IfSet<CollectiveSummary> collective;

  static std::span<const MemberText> texts();
};
BOOST_DESCRIBE_STRUCT(RunForm, (),
                      (mode, tracker, status, error, time_ns, time_ps, speedup, derived_from,
                       phase_ns, bound_ns, phases, sublayers, steady_ns, setup, dram_bytes,
                       other_collectives, link_bytes, per_gpu, memory, tracker_stats, merged,
                       summed, verification, host, collective))

/// "t3sim/1"
struct ReportForm {
  static constexpr const char* kSchema = "t3sim/1";

  std::string schema = kSchema;
  BuildForm build;
  SystemConfig scenario;
  std::vector<RunForm> runs;

  static std::span<const MemberText> texts();
};
BOOST_DESCRIBE_STRUCT(ReportForm, (), (schema, build, scenario, runs))

BuildForm buildForm();
RunForm runForm(const Report& report, const RunRecord& run);
ReportForm reportForm(const Report& report);
boost::json::value jsonReport(const Report& report);

}  // namespace t3
