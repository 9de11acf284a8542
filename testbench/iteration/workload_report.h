// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/config/json_schema.h"
#include "testbench/iteration/iteration.h"
#include "testbench/iteration/workload_run.h"
#include "testbench/report/json_report.h"

namespace t3 {

/// Where the time of a GPU goes, in ns: every moment counts once, for the first of these that it
/// has. They add up to the time of the iteration.
struct TimeByKind {
  double gemm = 0, pair_gemm = 0, pair_collective = 0, compute = 0, memory = 0, collective = 0,
         message = 0, host = 0, idle = 0;

  static constexpr MemberText kTexts[] = {
      {"gemm", "GEMMs without a collective behind them"},
      {"pair_gemm", "GEMMs with a collective behind them"},
      {"pair_collective", "the collectives behind them, as far as they last longer"},
      {"compute", "other compute nodes"},
      {"memory", "load and store nodes"},
      {"collective", "other collectives, while nothing is computed"},
      {"message", "sends and messages on their way, while nothing of the above happens"},
      {"host", "nodes of the CPU, while the GPU does nothing"},
      {"idle", "nothing: launches, and waiting for other GPUs"},
  };
};
BOOST_DESCRIBE_STRUCT(TimeByKind, (),
                      (gemm, pair_gemm, pair_collective, compute, memory, collective, message, host,
                       idle))
TimeByKind& operator+=(TimeByKind& total, const TimeByKind& part);
TimeByKind& operator/=(TimeByKind& time, double divisor);

/// Of a GPU in an iteration that takes `total`.
TimeByKind timeByKind(const GpuIteration& gpu, Picoseconds total);

// The JSON of a workload's results, as described structs.

/// What was read.
struct TraceForm {
  std::vector<std::string> files;
  std::uint32_t gpus = 0;
  std::uint64_t nodes = 0, collectives = 0, pairs = 0, messages = 0;
  std::vector<std::string> notes;

  static constexpr MemberText kTexts[] = {
      {"nodes", "of all GPUs"},
      {"collectives", "each counted once, on all its GPUs"},
      {"pairs", "of them, those that follow the GEMM whose output they work on"},
      {"notes", "what is not simulated as the trace has it, a line for each kind"},
  };
};
BOOST_DESCRIBE_STRUCT(TraceForm, (), (files, gpus, nodes, collectives, pairs, messages, notes))

/// What a part takes in a mode.
struct PartTimeForm {
  Mode mode;
  double gemm_ns = 0, time_ns = 0;

  static constexpr MemberText kTexts[] = {
      {"gemm_ns", "to the end of the last GPU's GEMM; 0 without a GEMM"},
      {"time_ns", "to the end of the part"},
  };
};
BOOST_DESCRIBE_STRUCT(PartTimeForm, (), (mode, gemm_ns, time_ns))

/// What is simulated once.
struct PartForm {
  PartKind kind{};
  std::uint32_t gpus = 0;
  IfSet<std::uint64_t> m, n, k;
  DataType data_type{};
  IfSet<std::string> collective;
  IfSet<std::uint64_t> bytes;
  IfSet<std::string> file;
  std::uint64_t occurrences = 0;
  std::vector<PartTimeForm> times;

  static constexpr MemberText kTexts[] = {
      {"gpus", "that take part; 1: a GEMM alone"},
      {"m", "rows of the GEMM's output"},
      {"n", "its columns"},
      {"k", "the depth of the sums"},
      {"bytes", "of the larger one of a GPU's input and output"},
      {"file", "the MSCCL file of the collective; missing: built in"},
      {"occurrences", "in the iteration; a collective counts once, on all its GPUs"},
      {"times", "one for each run"},
  };
};
BOOST_DESCRIBE_STRUCT(PartForm, (),
                      (kind, gpus, m, n, k, data_type, collective, bytes, file, occurrences, times))

struct GpuIterationForm {
  std::uint32_t gpu = 0;
  Picoseconds end_ps = 0;
  TimeByKind where_ns;
};
BOOST_DESCRIBE_STRUCT(GpuIterationForm, (), (gpu, end_ps, where_ns))

/// The cost of a mode's simulations on the machine that ran them.
struct WorkloadHostForm {
  double wall_s = 0, peak_rss_mb = 0;
};
BOOST_DESCRIBE_STRUCT(WorkloadHostForm, (), (wall_s, peak_rss_mb))

struct WorkloadRunForm {
  Mode mode;
  TrackerKind tracker{};
  RunStatus status{};
  std::optional<std::string> error;
  double time_ns = 0;
  Picoseconds time_ps = 0;
  std::optional<double> speedup;
  TimeByKind where_ns;
  std::vector<GpuIterationForm> per_gpu;
  WorkloadHostForm host;

  static constexpr MemberText kTexts[] = {
      {"status", "failed: the simulation of a part failed"},
      {"error", "null if ok"},
      {"time_ns", "of the iteration, to the end of the last node of all GPUs"},
      {"speedup", "over sequential; null if that was not among the runs"},
      {"where_ns", "where the time goes, mean of the GPUs; adds up to time_ns"},
      {"host", "what its simulations cost, those that modes share counted in each"},
  };
};
BOOST_DESCRIBE_STRUCT(WorkloadRunForm, (),
                      (mode, tracker, status, error, time_ns, time_ps, speedup, where_ns, per_gpu,
                       host))

/// "t3sim-workload/1"
struct WorkloadForm {
  static constexpr const char* kSchema = "t3sim-workload/1";

  std::string schema = kSchema;
  BuildForm build;
  SystemConfig scenario;
  TraceForm trace;
  std::uint64_t simulations = 0;
  std::vector<PartForm> parts;
  std::vector<WorkloadRunForm> runs;

  static constexpr MemberText kTexts[] = {
      {"scenario", "the machine, every setting; itself valid for --config"},
      {"simulations", "of parts, in all modes together"},
      {"parts", "what is simulated once and used wherever it occurs"},
      {"runs", "one for each mode"},
  };
};
BOOST_DESCRIBE_STRUCT(WorkloadForm, (), (schema, build, scenario, trace, simulations, parts, runs))

WorkloadForm workloadForm(const WorkloadReport& report);
/// One line for each mode.
std::string workloadCsv(const WorkloadForm& form);
/// For people, in lines of `width` but for names and notes.
std::string workloadTable(const WorkloadForm& form, std::size_t width);

}  // namespace t3
