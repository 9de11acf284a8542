// SPDX-License-Identifier: Apache-2.0
#include "testbench/iteration/workload_report.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "testbench/config/described_json.h"
#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"

namespace t3 {
namespace {

struct Row {
  WorkKind kind;
  double TimeByKind::*time;
};

/// What is told first where several happen at the same time: work before communication, and what
/// is left over last.
constexpr std::array<Row, 8> kOrder = {{{WorkKind::PairGemm, &TimeByKind::pair_gemm},
                                        {WorkKind::Gemm, &TimeByKind::gemm},
                                        {WorkKind::Compute, &TimeByKind::compute},
                                        {WorkKind::Memory, &TimeByKind::memory},
                                        {WorkKind::PairCollective, &TimeByKind::pair_collective},
                                        {WorkKind::Collective, &TimeByKind::collective},
                                        {WorkKind::Message, &TimeByKind::message},
                                        {WorkKind::Host, &TimeByKind::host}}};

}  // namespace

TimeByKind& operator+=(TimeByKind& total, const TimeByKind& part) {
  for (const Row& row : kOrder) total.*row.time += part.*row.time;
  total.idle += part.idle;
  return total;
}

TimeByKind& operator/=(TimeByKind& time, double divisor) {
  for (const Row& row : kOrder) time.*row.time /= divisor;
  time.idle /= divisor;
  return time;
}

TimeByKind timeByKind(const GpuIteration& gpu, Picoseconds total) {
  const auto rank = [](WorkKind kind) {
    return static_cast<std::size_t>(std::ranges::find(kOrder, kind, &Row::kind) - kOrder.begin());
  };
  std::vector<std::pair<Picoseconds, std::pair<std::size_t, int>>> changes;
  for (const WorkSpan& span : gpu.spans) {
    if (rank(span.kind) == kOrder.size()) continue;
    changes.push_back({span.start, {rank(span.kind), 1}});
    changes.push_back({span.end, {rank(span.kind), -1}});
  }
  std::ranges::sort(changes);
  std::array<int, kOrder.size()> running{};
  TimeByKind time;
  Picoseconds since = 0;
  const auto upTo = [&](Picoseconds when) {
    const auto first = std::ranges::find_if(running, [](int count) { return count > 0; });
    const auto index = static_cast<std::size_t>(first - running.begin());
    (first == running.end() ? time.idle : time.*kOrder[index].time) += nanoseconds(when - since);
    since = when;
  };
  for (const auto& [when, change] : changes) {
    if (when > since) upTo(when);
    running[change.first] += change.second;
  }
  if (total > since) upTo(total);
  return time;
}

namespace {

TraceForm traceForm(const WorkloadReport& report) {
  TraceForm form;
  form.files = report.files;
  form.gpus = report.workload->gpus();
  for (std::uint32_t g = 0; g < form.gpus; ++g) form.nodes += report.workload->gpu(g).size();
  form.collectives = report.plan->collectives.size();
  form.pairs = static_cast<std::uint64_t>(std::ranges::count_if(
      report.plan->collectives,
      [](const PlannedCollective& collective) { return !collective.gemms.empty(); }));
  form.messages = report.plan->messages.size();
  form.notes = report.plan->notes;
  return form;
}

PartForm partForm(const WorkloadReport& report, std::size_t number) {
  const WorkPart& part = report.plan->parts[number];
  PartForm form;
  form.kind = part.kind;
  form.gpus = part.gpus;
  form.data_type = part.type;
  if (part.kind != PartKind::Collective) {
    form.m = part.gemm.rows;
    form.n = part.gemm.columns;
    form.k = part.gemm.depth;
  } else {
    form.bytes = part.bytes;
  }
  if (part.collective != nullptr) form.collective = part.collective->name;
  if (!part.file.empty()) form.file = part.file;
  form.occurrences = report.plan->occurrences[number];
  for (const WorkloadRun& run : report.runs) {
    form.times.push_back(
        {run.mode, nanoseconds(run.parts[number].gemm), nanoseconds(run.parts[number].total)});
  }
  return form;
}

WorkloadRunForm runFormOf(const WorkloadReport& report, const WorkloadRun& run) {
  WorkloadRunForm form;
  form.mode = run.mode;
  form.tracker = report.tracker;
  form.host = {run.wall_s, run.peak_rss_mb};
  if (!run.error.empty()) {
    form.status = RunStatus::Failed;
    form.error = run.error;
    return form;
  }
  form.time_ps = run.iteration.end;
  form.time_ns = nanoseconds(form.time_ps);
  for (std::uint32_t g = 0; g < run.iteration.gpus.size(); ++g) {
    const GpuIteration& gpu = run.iteration.gpus[g];
    form.per_gpu.push_back({g, gpu.end, timeByKind(gpu, form.time_ps)});
    form.where_ns += form.per_gpu.back().where_ns;
  }
  form.where_ns /= static_cast<double>(form.per_gpu.size());
  const auto base = std::ranges::find(report.runs, Mode(Mode::Sequential), &WorkloadRun::mode);
  if (base != report.runs.end() && base->error.empty() && form.time_ps > 0) {
    form.speedup = static_cast<double>(base->iteration.end) / static_cast<double>(form.time_ps);
  }
  return form;
}

std::string partText(const PartForm& part) {
  std::string text;
  if (part.m) {
    text = std::to_string(*part.m) + " x " + std::to_string(*part.n) + " x " +
           std::to_string(*part.k) + " " + spelling(part.data_type);
    if (part.collective) text += ", " + *part.collective;
  } else {
    text = *part.collective + " of " + std::to_string(*part.bytes) + " bytes";
    if (part.file) text += " (" + *part.file + ")";
  }
  return part.gpus > 1 ? text + ", " + std::to_string(part.gpus) + " GPUs" : text;
}

struct Line {
  const char* text;
  double TimeByKind::*time;
};

constexpr Line kLines[] = {{"GEMM of pairs", &TimeByKind::pair_gemm},
                           {"collective of pairs", &TimeByKind::pair_collective},
                           {"other GEMMs", &TimeByKind::gemm},
                           {"other compute", &TimeByKind::compute},
                           {"memory", &TimeByKind::memory},
                           {"other collectives", &TimeByKind::collective},
                           {"messages", &TimeByKind::message},
                           {"host", &TimeByKind::host},
                           {"launches, waiting", &TimeByKind::idle}};

}  // namespace

WorkloadForm workloadForm(const WorkloadReport& report) {
  WorkloadForm form;
  form.build = buildForm();
  form.scenario = report.scenario;
  form.trace = traceForm(report);
  form.simulations = report.simulations;
  for (std::size_t p = 0; p < report.plan->parts.size(); ++p) {
    form.parts.push_back(partForm(report, p));
  }
  for (const WorkloadRun& run : report.runs) form.runs.push_back(runFormOf(report, run));
  return form;
}

std::string workloadCsv(const WorkloadForm& form) {
  const auto number = [](double value) { return fixed(value, 6); };
  std::vector<CsvRow> rows;
  for (const WorkloadRunForm& run : form.runs) {
    CsvRow row = {{"file", form.trace.files.front()},
                  {"gpus", std::to_string(form.trace.gpus)},
                  {"nodes", std::to_string(form.trace.nodes)},
                  {"mode", spelling(run.mode)},
                  {"tracker", spelling(run.tracker)},
                  {"status", spelling(run.status)},
                  {"error", run.error.value_or("")},
                  {"time_ns", number(run.time_ns)},
                  {"speedup", run.speedup ? number(*run.speedup) : ""}};
    forEachMember(run.where_ns, [&](const char* name, const double& value) {
      row.emplace_back("where_ns." + std::string(name), number(value));
    });
    rows.push_back(std::move(row));
  }
  return formatCsv(rows);
}

std::string workloadTable(const WorkloadForm& form, std::size_t width) {
  const TraceForm& trace = form.trace;
  std::string text = trace.files.front() + (trace.files.size() > 1 ? " …" : "") + ": " +
                     counted(trace.gpus, "GPU") + ", " + counted(trace.nodes, "node") + ", " +
                     counted(trace.collectives, "collective") + ", " + std::to_string(trace.pairs) +
                     " of them behind a GEMM; " + counted(form.simulations, "simulation") + "\n\n";
  const auto micros = [](double ns) { return fixed(ns / 1e3, 2); };
  TextTable table;
  const auto line = [&](const std::string& label,
                        const std::function<std::string(const WorkloadRunForm&)>& cell) {
    std::vector<std::string> cells = {label};
    for (const WorkloadRunForm& run : form.runs) {
      cells.push_back(run.status == RunStatus::Ok ? cell(run) : "-");
    }
    table.add(std::move(cells));
  };
  std::vector<std::string> heading = {""};
  for (const WorkloadRunForm& run : form.runs) heading.push_back(spelling(run.mode));
  table.add(heading);
  line("time (us)", [&](const WorkloadRunForm& run) { return micros(run.time_ns); });
  if (std::ranges::any_of(form.runs, [](const auto& run) { return run.speedup.has_value(); })) {
    line("speedup",
         [](const WorkloadRunForm& run) { return run.speedup ? fixed(*run.speedup, 3) : "-"; });
  }
  table.add({"where the time goes, mean of the GPUs (us):"});
  for (const Line& one : kLines) {
    if (std::ranges::all_of(form.runs,
                            [&](const auto& run) { return run.where_ns.*one.time == 0; })) {
      continue;
    }
    line(std::string("  ") + one.text,
         [&](const WorkloadRunForm& run) { return micros(run.where_ns.*one.time); });
  }
  line("wall of the simulations (s)",
       [](const WorkloadRunForm& run) { return fixed(run.host.wall_s, 2); });
  text += table.text(width);
  text += "Parts are simulated apart and do not contend; --graph " + trace.files.front() +
          " runs all on one machine.\n";

  if (!form.parts.empty()) {
    TextTable parts;
    std::vector<std::string> names = {"simulated once (us)", "times"};
    for (const WorkloadRunForm& run : form.runs) names.push_back(spelling(run.mode));
    parts.add(names);
    for (const PartForm& part : form.parts) {
      std::vector<std::string> cells = {partText(part), std::to_string(part.occurrences)};
      for (const PartTimeForm& time : part.times) cells.push_back(micros(time.time_ns));
      parts.add(std::move(cells));
    }
    text += "\n" + parts.text(width);
  }
  if (!trace.notes.empty()) {
    text += "\nnot simulated as the trace has it:\n";
    for (const std::string& note : trace.notes) text += "  " + note + "\n";
  }
  for (const WorkloadRunForm& run : form.runs) {
    if (run.error) text += "FAILED " + spelling(run.mode) + ": " + *run.error + "\n";
  }
  return text;
}

}  // namespace t3
