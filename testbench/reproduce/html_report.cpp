// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/html_report.h"

#include "build_info.h"
#include "testbench/config/spelling.h"
#include "testbench/report/points_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/agreement.h"
#include "testbench/reproduce/all_gather.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/html.h"

namespace t3 {
namespace {

constexpr const char* kStyle = R"(
body { font: 15px/1.5 "DejaVu Sans", Verdana, sans-serif; color: #202020; background: #fff;
       max-width: 1180px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2.2em; }
figure { margin: 1em 0; } img { width: 100%; height: auto; }
figcaption, .note { color: #505050; font-size: 0.9em; }
table { border-collapse: collapse; font-size: 0.9em; }
th, td { padding: 0.15em 0.8em; text-align: right; border-bottom: 1px solid #d8d8d8; }
th:first-child, td:first-child { text-align: left; }
.bad { background: #fbe3e3; padding: 0.5em 1em; border-left: 4px solid #c00000; }
summary { cursor: pointer; }
)";

std::string signedPoints(double value) { return (value < 0 ? "" : "+") + fixed(value, 1); }

std::string headlineTable(const std::vector<PointResult>& points) {
  HtmlTable table({"", "paper", "simulated", "difference (points)", "sublayers"});
  for (const Headline& headline : headlines(points)) {
    if (!headline.ours) continue;
    table.row({headline.name, fixed(headline.paper, 2), fixed(*headline.ours, 3),
               signedPoints(*headline.difference()), std::to_string(headline.points)});
  }
  return table.text();
}

std::string endToEndTable(const std::vector<EndToEnd>& models) {
  HtmlTable table({"model", "TP", "training, sequential (ms)", "not simulated (%)", "t3", "t3-mca",
                   "prompt, sequential (ms)", "not simulated (%)", "t3", "t3-mca"});
  for (const EndToEnd& model : models) {
    std::vector<std::string> cells = {model.model, std::to_string(model.degree)};
    for (const EndToEnd::Phase* phase : {&model.training, &model.prompt}) {
      cells.push_back(fixed(phase->sequential_ms, 1));
      cells.push_back(fixed(100 * phase->rest_ms / phase->sequential_ms, 0));
      cells.push_back(fixed(phase->t3, 3));
      cells.push_back(fixed(phase->t3_mca, 3));
    }
    table.row(cells);
  }
  return table.text();
}

std::string allGatherTable(const std::vector<PointResult>& points) {
  const auto ag = allGatherSummary(points);
  if (!ag) return "";
  HtmlTable table({"Mega-GPT-2 and T-NLG, geomean over sequential", ""});
  table.row({"t3-mca", fixed(ag->t3_mca, 3)});
  table.row({"t3-ag", fixed(ag->t3_ag, 3)});
  table.row({"ideal-rs-nmc", fixed(ag->ideal_rs_nmc, 3)});
  table.row({"ideal-ag", fixed(ag->ideal_ag, 3)});
  table.row({"of the gap between the bounds, closed by t3-ag (%)", fixed(100 * ag->gap_closed, 0)});
  table.row({"t3-ag over t3-mca, least of all sublayers", fixed(ag->least_over_t3_mca, 3)});
  table.row({"GEMM reads of t3-ag over t3-mca, geomean", fixed(ag->reads_geomean, 3)});
  table.row({"GEMM reads of t3-ag over t3-mca, largest", fixed(ag->reads_largest, 3)});
  return table.text();
}

std::string agreementTable(const std::vector<Agreement>& list) {
  HtmlTable table({"preset", "mode", "time (%)", "GEMM reads (%)", "link bytes"});
  for (const Agreement& point : list) {
    table.row({point.preset, spelling(point.mode), fixed(100 * point.time, 2),
               fixed(100 * point.gemm_read, 2), point.link_bytes_equal ? "equal" : "different"});
  }
  return table.text();
}

std::string pointTables(const std::vector<PointResult>& points) {
  std::string text, part;
  for (const PointResult& result : points) {
    if (result.point.part == part) continue;
    part = result.point.part;
    HtmlTable table({"preset", "study", "changed", "mode", "time (us)", "speedup", "GEMM (us)",
                     "+ RS (us)", "+ AG (us)", "DRAM (MB)", "spills"});
    for (const auto& [point, report] : points) {
      if (point.part != part) continue;
      for (const RunRecord& run : report.runs) {
        const auto speedup = report.speedup(run);
        const RunResult& got = run.result;
        table.row({point.preset, point.study, point.label, spelling(run.mode),
                   fixed(static_cast<double>(got.time_ps) * 1e-6, 1),
                   speedup ? fixed(*speedup, 3) : "", fixed(got.phase_ns.gemm * 1e-3, 1),
                   fixed(got.phase_ns.reduce_scatter * 1e-3, 1),
                   fixed(got.phase_ns.all_gather * 1e-3, 1),
                   fixed(static_cast<double>(totalBytes(got.dram_bytes)) * 1e-6, 1),
                   std::to_string(got.tracker_stats.overflow_events)});
      }
    }
    text += "<details><summary>" + escaped(part) + "</summary>\n" + table.text() + "</details>\n";
  }
  return text;
}

}  // namespace

std::string htmlReport(const std::vector<PointResult>& points,
                       const std::vector<std::pair<Figure, std::string>>& figures,
                       const std::string& command, bool quick) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n"
      "<title>T3: the paper's evaluation, reproduced</title>\n<style>" +
      std::string(kStyle) +
      "</style>\n</head>\n<body>\n<h1>T3: the paper's evaluation, reproduced</h1>\n";
  page += "<p class=\"note\">" + escaped(command) + " &middot; t3sim " + build::kVersion +
          ", commit " + std::string(build::kCommit).substr(0, 12) +
          (build::kDirty ? " with changes" : "") + " &middot; RTL " +
          std::string(build::kRtlSha256).substr(0, 12) + "</p>\n";
  if (quick) {
    page +=
        "<p class=\"bad\">--quick: tiny outputs, to try the program out. These figures say "
        "nothing about the paper.</p>\n";
  }
  if (const std::string failures = failuresOf(points); !failures.empty()) {
    page += "<pre class=\"bad\">" + escaped(failures) + "</pre>\n";
  }
  page +=
      "<p>Speedups are over <i>sequential</i>: the GEMM, then reduce-scatter and all-gather "
      "as kernels on the compute units. Triangles are the paper's figures.</p>\n";
  const auto known = headlines(points);
  bool any = false;
  for (const Headline& headline : known) any = any || headline.ours.has_value();
  if (any) page += "<h2>Headlines</h2>\n" + headlineTable(points);
  for (const auto& [figure, svg] : figures) {
    page += "<h2 id=\"" + figure.name + "\">" + escaped(figure.title) +
            "</h2>\n<figure>\n<img alt=\"" + escaped(figure.title) + "\" width=\"" +
            std::to_string(figure.width) + "\" height=\"" + std::to_string(figure.height) +
            "\" src=\"data:image/svg+xml;base64," + base64(svg) + "\">\n<figcaption>" +
            escaped(figure.caption) + "</figcaption>\n</figure>\n";
    if (figure.name == "all-gather-speedup") page += allGatherTable(points);
    if (figure.name == "end-to-end") page += endToEndTable(endToEnd(points));
  }
  if (const auto list = agreements(points); !list.empty()) {
    page +=
        "<h2>One GPU simulated for all, against all of them</h2>\n"
        "<p>Difference of the symmetric run from the explicit one.</p>\n" +
        agreementTable(list);
  }
  page += "<h2>Every run</h2>\n" + pointTables(points);
  return page + "</body>\n</html>\n";
}

}  // namespace t3
