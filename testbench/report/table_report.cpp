// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/table_report.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/workload/model_graph.h"

namespace t3 {
namespace {

constexpr const char* kNone = "-";
constexpr std::size_t kWidestText = 100;  ///< of a paragraph: longer lines are hard to read

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

/// The first unit in which the largest figure of a report has at most five digits before the point.
struct Scale {
  double factor;
  const char* unit;
};

Scale scaleFor(double largest, const std::vector<Scale>& scales) {
  for (const Scale& scale : scales) {
    if (largest < 1e5 * scale.factor) return scale;
  }
  return scales.back();
}

class Table {
 public:
  explicit Table(const Report& report) : report_(report) {}

  void section(const std::string& title) { lines_.push_back({title, {}}); }

  /// `cell` makes the text of one run; a failed run has "-" instead.
  void row(const std::string& label, const std::function<std::string(const RunRecord&)>& cell,
           bool alsoFailed = false) {
    std::vector<std::string> cells;
    for (const RunRecord& run : report_.runs) {
      cells.push_back(run.failed() && !alsoFailed ? kNone : cell(run));
    }
    lines_.push_back({label, std::move(cells)});
  }

  std::string text(std::size_t width) const {
    TextTable table;
    for (const auto& [label, cells] : lines_) {
      std::vector<std::string> line = {label};
      line.insert(line.end(), cells.begin(), cells.end());
      table.add(std::move(line));
    }
    return table.text(width);
  }

 private:
  const Report& report_;
  std::vector<std::pair<std::string, std::vector<std::string>>> lines_;
};

double largest(const Report& report, const std::function<double(const RunRecord&)>& figure) {
  double result = 0;
  for (const RunRecord& run : report.runs) result = std::max(result, figure(run));
  return result;
}

/// A phase that has lines in the table.
struct ShownPhase {
  std::string label, name;

  const PhaseFigures* find(const RunRecord& run) const {
    const auto found = std::ranges::find(run.result.by_phase, name, &PhaseFigures::name);
    return found != run.result.by_phase.end() ? &*found : nullptr;
  }
};

std::vector<ShownPhase> shownPhases(const Report& report) {
  const WorkloadConfig& work = report.scenario.workload;
  std::vector<ShownPhase> shown;
  if (!work.graph.empty()) return shown;  // its nodes have lines of their own
  const auto add = [&](const std::string& label, const std::string& name) {
    if (std::ranges::find(shown, name, &ShownPhase::name) == shown.end()) {
      shown.push_back({label, name});
    }
  };
  // A collective from a file may be another one in the place of this one.
  const auto used = [&](Phase phase) {
    return work.collective.empty() || std::ranges::any_of(report.runs, [&](const RunRecord& run) {
             const PhaseFigures& figures = run.result.of(phase);
             return figures.exposed_ns > 0 || figures.dram_read > 0 || figures.dram_write > 0;
           });
  };
  add("GEMM", "gemm");
  if (used(Phase::ReduceScatter)) add("reduce-scatter", "reduce_scatter");
  if (work.norms()) add("norm", "norm");
  if (used(Phase::AllGather)) add("all-gather", "all_gather");
  for (const RunRecord& run : report.runs) {
    for (const PhaseFigures& other : run.result.others()) add(other.name, other.name);
  }
  if (work.consumer.any()) add("consumer", "consumer");
  return shown;
}

Scale timeScale(const Report& report) {
  return scaleFor(
      largest(report, [](const RunRecord& run) { return static_cast<double>(run.result.time_ps); }),
      {{1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}});
}

Scale byteScale(const Report& report) {
  return scaleFor(largest(report,
                          [](const RunRecord& run) {
                            const PhaseFigures& gemm = run.result.of(Phase::Gemm);
                            return std::max(static_cast<double>(run.result.link_bytes),
                                            static_cast<double>(gemm.dram_read));
                          }),
                  {{1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}});
}

void times(Table& table, const Report& report) {
  const Scale scale = timeScale(report);
  const std::string unit = std::string(" (") + scale.unit + ")";
  table.row("time" + unit, [&](const RunRecord& run) {
    return fixed(static_cast<double>(run.result.time_ps) / scale.factor, 1);
  });
  table.row("  above its bound", [](const RunRecord& run) {
    const double bound = run.result.bound_ns * 1e3;
    if (bound <= 0) return std::string(kNone);
    return fixed(100 * (static_cast<double>(run.result.time_ps) / bound - 1), 1) + "%";
  });
  table.row("speedup", [&](const RunRecord& run) {
    const auto speedup = report.speedup(run);
    return speedup ? fixed(*speedup, 3) + "x" : kNone;
  });
  if (ModelRun::named(report.scenario.workload.graph)) {
    table.row("prefill of all layers (ms)", [&](const RunRecord& run) {
      const auto prefill = prefillOf(report, run);
      return prefill ? fixed(*prefill / 1e6, 2) : kNone;
    });
  }
  if (report.scenario.workload.repeat > 1) {
    table.row("  first sublayer", [&](const RunRecord& run) {
      if (run.result.sublayers.empty()) return std::string(kNone);
      return fixed(static_cast<double>(run.result.sublayers.front().end_ps) / scale.factor, 1);
    });
    table.row("  steady state", [&](const RunRecord& run) {
      const auto& steady = run.result.steady_ns;
      return steady ? fixed(*steady * 1e3 / scale.factor, 1) : kNone;
    });
  }
  for (const ShownPhase& phase : shownPhases(report)) {
    table.row((phase.name == "gemm" ? "  " : "  + ") + phase.label, [&](const RunRecord& run) {
      const PhaseFigures* figures = phase.find(run);
      return figures ? fixed(figures->exposed_ns * 1e3 / scale.factor, 1) : kNone;
    });
  }
}

/// Of all runs: a trace makes other nodes in another mode.
std::vector<std::string> nodeNames(const Report& report) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const RunRecord& run : report.runs) {
    for (const NodeFigures& node : run.result.nodes) {
      if (known.insert(node.name).second) names.push_back(node.name);
    }
  }
  return names;
}

/// Of the nodes of a graph from a file.
void nodes(Table& table, const Report& report) {
  constexpr std::size_t kMost = 40;  // more are a long table; other reports have them
  if (report.scenario.workload.graph.empty()) return;
  const std::vector<std::string> names = nodeNames(report);
  if (names.size() > kMost) {
    return table.section(std::to_string(names.size()) + " nodes: --json and --csv have them");
  }
  const auto rows = [&](const auto& cell) {
    for (const std::string& name : names) {
      table.row("  " + name, [&](const RunRecord& run) {
        const auto found = std::ranges::find(run.result.nodes, name, &NodeFigures::name);
        return found != run.result.nodes.end() ? cell(*found) : kNone;
      });
    }
  };
  const Scale scale = timeScale(report);
  const auto time = [factor = scale.factor](double picoseconds) {
    return fixed(picoseconds / factor, 1);
  };
  table.section(std::string("nodes, begin to end (") + scale.unit + ")");
  rows([&](const NodeFigures& node) {
    return time(static_cast<double>(node.start_ps)) + " to " +
           time(static_cast<double>(node.end_ps));
  });
  table.section(std::string("nodes, exposed, mean of the GPUs (") + scale.unit + ")");
  rows([&](const NodeFigures& node) { return time(node.exposed_ns * 1e3); });
  table.row("  nothing runs", [&](const RunRecord& run) {
    auto left = static_cast<double>(run.result.time_ps);
    for (const NodeFigures& node : run.result.nodes) left -= node.exposed_ns * 1e3;
    return time(left);
  });
  const Scale bytes = byteScale(report);
  const auto amount = [factor = bytes.factor](std::uint64_t count) {
    return fixed(static_cast<double>(count) / factor, 1);
  };
  table.section(std::string("nodes, DRAM read + write, mean (") + bytes.unit + ")");
  rows([&](const NodeFigures& node) {
    return amount(node.dram_read) + " + " + amount(node.dram_write);
  });
  table.section(std::string("nodes, sent over links, mean (") + bytes.unit + ")");
  rows([&](const NodeFigures& node) { return amount(node.link_bytes); });
}

void traffic(Table& table, const Report& report) {
  const Scale scale = byteScale(report);
  const auto bytes = [&scale](std::uint64_t count) {
    return fixed(static_cast<double>(count) / scale.factor, 1);
  };
  table.section(std::string("DRAM, mean of the GPUs (") + scale.unit + ")");
  for (const ShownPhase& phase : shownPhases(report)) {
    const auto row = [&](const char* way, std::uint64_t PhaseFigures::*member) {
      table.row("  " + phase.label + way, [&](const RunRecord& run) {
        const PhaseFigures* figures = phase.find(run);
        return figures ? bytes(figures->*member) : kNone;
      });
    };
    row(" read", &PhaseFigures::dram_read);
    row(" write", &PhaseFigures::dram_write);
  }
  table.row("  total", [&](const RunRecord& run) { return bytes(run.result.totalBytes()); });
  table.row(std::string("all links (") + scale.unit + ")",
            [&](const RunRecord& run) { return bytes(run.result.link_bytes); });
  if (std::ranges::none_of(report.runs, [](const RunRecord& run) {
        return run.result.plain_link_bytes > run.result.link_bytes;
      })) {
    return;
  }
  table.row("  in front of codecs",
            [&](const RunRecord& run) { return bytes(run.result.plain_link_bytes); });
  const auto error = [](std::optional<CodingError> Verification::*which) {
    return [which](const RunRecord& run) {
      const auto& figures = run.result.verification.*which;
      if (!figures) return std::string(kNone);
      return fixed(100 * figures->rms, 2) + "% " + fixed(100 * figures->max, 1) + "%";
    };
  };
  table.row("  error of sums, rms, most", error(&Verification::sums_error));
  table.row("  where gathered", error(&Verification::gathered_error));
}

void tracker(Table& table, const Report& report) {
  const auto count = [](std::uint64_t TrackerTotals::*member) {
    return [member](const RunRecord& run) {
      const bool tracks = run.result.tracker_stats.updates > 0;
      return tracks ? grouped(run.result.tracker_stats.*member) : kNone;
    };
  };
  table.section("tracker, all GPUs");
  table.row("  updates", count(&TrackerTotals::updates));
  table.row("  triggers", count(&TrackerTotals::triggers));
  if (std::ranges::any_of(report.runs, [](const RunRecord& run) {
        return run.result.tracker_stats.releases > 0;
      })) {
    table.row("  rows released", count(&TrackerTotals::releases));
  }
  table.row("  stall cycles", count(&TrackerTotals::stall_cycles));
  if (report.scenario.workload.repeat == 1) return;
  const auto setup = [](double SetupFigures::*member) {
    return [member](const RunRecord& run) {
      const SetupFigures& figures = run.result.setup;
      return figures.again_ns > 0 ? fixed(figures.*member * 1e-3, 2) : kNone;
    };
  };
  table.row("  set-up of the first (us)", setup(&SetupFigures::first_ns));
  table.row("  set-up of one more (us)", setup(&SetupFigures::again_ns));
  table.row("  waited for it and others (us)", setup(&SetupFigures::wait_ns));
}

void leftOut(Table& table, const Report& report) {
  if (!report.scenario.leavesOut()) return;
  table.row("  dropped (MB)", [](const RunRecord& run) {
    for (const MemoryFigure& figure : run.result.memory.figures) {
      if (figure.name != "dropped_bytes") continue;
      return fixed(std::accumulate(figure.per_gpu.begin(), figure.per_gpu.end(), 0.0) / 1e6, 1);
    }
    return std::string(kNone);
  });
  table.row("  error of sums x N/K", [](const RunRecord& run) {
    const auto& error = run.result.verification.left_out_error;
    return error ? fixed(100 * *error, 1) + "%" : kNone;
  });
}

void merged(Table& table, const Report& report) {
  if (!report.scenario.merges()) return;
  const auto figure = [](const auto& text) {
    return [text](const RunRecord& run) {
      const auto& figures = run.result.merged;
      return figures && figures->updates > 0 ? text(*figures) : kNone;
    };
  };
  const auto count = [&](std::uint64_t MergeFigures::*member) {
    return figure([member](const MergeFigures& figures) { return grouped(figures.*member); });
  };
  table.section("switch, all ports");
  table.row("  updates", count(&MergeFigures::updates));
  table.row("  joined", count(&MergeFigures::joined));
  table.row("  sums complete", count(&MergeFigures::complete));
  table.row("  in parts: no room", count(&MergeFigures::partial));
  table.row("  in parts: old", count(&MergeFigures::aged));
  table.row("  most entries of a port", count(&MergeFigures::most_entries));
  const auto loads = [](std::uint64_t LoadFigures::*member) {
    return [member](const RunRecord& run) {
      return run.result.summed ? grouped((*run.result.summed).*member) : kNone;
    };
  };
  table.row("  loads: bytes of answers", loads(&LoadFigures::answer_bytes));
  table.row("  loads: most bytes kept", loads(&LoadFigures::most_kept));
}

void host(Table& table) {
  table.section("this machine");
  table.row(
      "  wall (s)",
      [](const RunRecord& run) { return run.derived_from ? kNone : fixed(run.host.wall_s, 2); },
      true);
  table.row("  DRAM Mbursts/s", [](const RunRecord& run) {
    return run.derived_from ? kNone : fixed(run.host.dram_bursts_per_s / 1e6, 2);
  });
  table.row(
      "  peak memory (MB)",
      [](const RunRecord& run) {
        return run.derived_from ? kNone : fixed(run.host.peak_rss_mb, 0);
      },
      true);
}

/// Whether real sums were compared, not only counts.
bool comparedData(const RunRecord& run) {
  return !run.failed() && run.result.verification.elements > 0;
}

std::string verified(const RunRecord& run) {
  if (run.failed()) return "FAILED";
  return comparedData(run) ? "data exact" : "traffic";
}

std::string explanation(const Report& report, std::size_t width) {
  const bool graph = !report.scenario.workload.graph.empty();
  std::string text = wrapped(
      std::string(graph ? "Time runs from the begin of the first node to the end of the last one. "
                          "What is exposed of a node is the time in which none before it runs; "
                          "collectives come last. "
                        : "Time runs from the first zeroing or GEMM access to the last byte "
                          "gathered; the lines with + are what a phase adds when the ones above it "
                          "are over. ") +
          "Speedup is over sequential. The bound is the closed form of math, link and launch "
          "times, as this " +
          (graph ? "graph" : "mode") + " arranges them.",
      width);
  text += wrapped(std::ranges::any_of(report.runs, comparedData)
                      ? "Data exact: every GPU's whole result equals a reference sum, bit for bit."
                      : "Verified \"traffic\": link bytes, updates per element and triggers equal "
                        "the closed forms; --data checked compares the sums themselves.",
                  width);
  if (report.scenario.workload.repeat > 1) {
    text += wrapped(
        "Steady state is the time of a sublayer after the first, from end to end; time is that of "
        "all " +
            std::to_string(report.scenario.workload.repeat) + ".",
        width);
  }
  return text;
}

}  // namespace

std::string titleOf(const SystemConfig& scenario) {
  const WorkloadConfig& work = scenario.workload;
  std::string name = work.graph.empty() ? work.model : "kernels";
  if (work.graph.empty() && !work.sublayer.empty())
    name += (name.empty() ? "" : " ") + work.sublayer;
  return (name.empty() ? "GEMM" : name) + " on " + std::to_string(scenario.gpus) + " GPUs" +
         (scenario.simulatedGpus() < scenario.gpus
              ? " (one simulated for all; --gpus explicit simulates each)"
              : "") +
         (work.graph.empty()
              ? ": output " + grouped(work.rows) + " x " + grouped(work.columns) + " " +
                    spelling(work.data_type) + ", K " + grouped(work.depth) + " per GPU, "
              : ": the graph of " + work.graph + ", " + spelling(work.data_type) + ", ") +
         spelling(scenario.data) + " data" +
         (work.collective.empty() ? "" : "; the collective of " + work.collective);
}

std::string tableReport(const Report& report, std::size_t width) {
  Table table(report);
  table.row(
      "", [](const RunRecord& run) { return spelling(run.mode); }, true);
  times(table, report);
  nodes(table, report);
  traffic(table, report);
  tracker(table, report);
  leftOut(table, report);
  merged(table, report);
  host(table);
  table.row("verified", verified, true);

  std::string text = wrapped(titleOf(report.scenario), width);
  if (!report.runs.empty()) text += "tracker: " + spelling(report.runs.front().tracker) + "\n";
  text += "\n" + table.text(width) + "\n" + explanation(report, std::min(width, kWidestText));
  for (const RunRecord& run : report.runs) {
    if (run.failed()) text += "FAILED " + spelling(run.mode) + ": " + run.result.error + "\n";
  }
  return text;
}

}  // namespace t3
