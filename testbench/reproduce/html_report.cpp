// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/html_report.h"

#include <algorithm>

#include "build_info.h"
#include "testbench/config/spelling.h"
#include "testbench/report/points_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/agreement.h"
#include "testbench/reproduce/all_gather.h"
#include "testbench/reproduce/definitions.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/html.h"
#include "testbench/reproduce/html_style.h"
#include "testbench/reproduce/machine.h"
#include "testbench/reproduce/pairs.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

std::string signedPoints(double value) { return (value < 0 ? "" : "+") + fixed(value, 1); }

/// A part of the page, for its contents.
struct Section {
  std::string id, title, text;
};

using Terms = std::vector<std::pair<std::string, std::string>>;

Terms definitionsOf(const std::vector<Mode>& modes) {
  Terms terms;
  for (const Mode& mode : modes) {
    if (const std::string text = definitionOf(mode); !text.empty()) {
      terms.emplace_back(spelling(mode), text);
    }
  }
  return terms;
}

/// "T-NLG FC-2 TP 8".
std::string sublayerOf(const Point& point) {
  const WorkloadConfig& workload = point.scenario.workload;
  return workload.model + " " + workload.sublayer + " TP " + std::to_string(point.scenario.gpus);
}

std::string ofSublayers(const Headline& headline) {
  return std::to_string(headline.points) + " sublayers of " +
         (headline.largeModels ? "PALM and MT-NLG" : "Mega-GPT-2 and T-NLG");
}

/// What the row of a headline says.
std::string meaningOf(const Headline& headline) {
  if (headline.part == "data-movement") {
    return std::string(headline.isMean ? "Geometric mean" : "Smallest") +
           " of the DRAM bytes of t3-mca, divided by those of sequential, over " +
           ofSublayers(headline);
  }
  return std::string(headline.isMean ? "Geometric mean" : "Largest") + " of the speedups over " +
         ofSublayers(headline);
}

std::string headlineTable(const std::vector<Headline>& list) {
  HtmlTable table("Figures that the paper states, and ours",
                  {"figure", "paper", "simulated", "difference (points)", "what it is"}, 1);
  for (const Headline& headline : list) {
    if (!headline.ours) continue;
    table.row({headline.name, fixed(headline.paper, 2), fixed(*headline.ours, 3),
               signedPoints(*headline.difference()), meaningOf(headline)});
  }
  return table.text() + definitionList({{"difference", "Simulated less paper, in hundredths."}});
}

std::string endToEndTable(const std::vector<EndToEnd>& models) {
  HtmlTable table("Whole models: training iteration and prompt",
                  {"model", "GPUs", "training, sequential (ms)", "not simulated (%)", "t3",
                   "t3-mca", "prompt, sequential (ms)", "not simulated (%)", "t3", "t3-mca"},
                  2);
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
  return table.text() +
         definitionList(
             {{"training", "One iteration: forward and backward pass and the optimizer."},
              {"prompt", "One forward pass over the prompt."},
              {"not simulated",
               "Share of sequential's time that is not an all-reduced "
               "sublayer: computed by roofline, the same in all modes."},
              {"t3, t3-mca", "Speedup of the whole over sequential."}});
}

std::string allGatherTable(const std::vector<PointResult>& points) {
  const auto ag = allGatherSummary(points);
  if (!ag) return "";
  HtmlTable table("What hiding the all-gather is worth", {"figure", "value", "what it is"}, 1);
  const std::string mean = "Geometric mean of the speedups over sequential, over " +
                           std::to_string(ag->sublayers) + " sublayers of Mega-GPT-2 and T-NLG";
  table.row({"t3-mca", fixed(ag->t3_mca, 3), mean});
  table.row({"t3-ag", fixed(ag->t3_ag, 3), mean});
  table.row({"ideal-rs-nmc", fixed(ag->ideal_rs_nmc, 3), mean});
  table.row({"ideal-ag", fixed(ag->ideal_ag, 3), mean});
  table.row({"gap closed (%)", fixed(100 * ag->gap_closed, 0),
             "Of the gap between the means of the two bounds, what t3-ag closes"});
  table.row({"least gain", fixed(ag->least_over_t3_mca, 3),
             "Smallest speedup of t3-ag over t3-mca, of all sublayers"});
  table.row({"GEMM reads, mean", fixed(ag->reads_geomean, 3),
             "What the GEMM reads from memory in t3-ag, divided by t3-mca's: geometric mean over "
             "all sublayers"});
  table.row({"GEMM reads, largest", fixed(ag->reads_largest, 3), "The largest of these"});
  return table.text();
}

std::string agreementTable(const std::vector<Agreement>& list) {
  HtmlTable table("One GPU simulated for all, less all simulated",
                  {"preset", "mode", "time (%)", "GEMM reads (%)", "link bytes"}, 2);
  for (const Agreement& point : list) {
    table.row({point.preset, spelling(point.mode), fixed(100 * point.time, 2),
               fixed(100 * point.gemm_read, 2), point.link_bytes_equal ? "equal" : "different"});
  }
  return table.text() +
         definitionList({{"time",
                          "Time of the run in which one GPU stands for all, over that with "
                          "all GPUs, minus 1."},
                         {"GEMM reads", "The same of the bytes that the GEMM reads from memory."},
                         {"link bytes", "Whether a GPU sends the same number of bytes in both."}});
}

std::string settingsOf(const Point& point) {
  std::string text;
  for (const std::string& setting : point.settings) {
    text += (text.empty() ? "" : " ") + shortened(setting);
  }
  if (point.tracker) text += " (tracker: " + spelling(*point.tracker) + ")";
  return text;
}

std::string pairsTable(const std::vector<PointResult>& points) {
  const auto pairs = pairsSummary(points);
  if (!pairs) return "";
  HtmlTable table("What it is worth to start the second GEMM early",
                  {"mode", "speedup", "what it is"}, 1);
  const std::string mean = "Geometric mean of the speedups over sequential, over " +
                           std::to_string(pairs->pairs) + " pairs of Mega-GPT-2 and T-NLG";
  table.row({spelling(kSplitGather), fixed(pairs->ag_split, 3), mean});
  table.row({"t3-mca", fixed(pairs->t3_mca, 3), mean});
  table.row({"t3-ag", fixed(pairs->t3_ag, 3), mean});
  table.row({"t3-ag, chunk by chunk", fixed(pairs->consumer_alone, 3),
             "The same where only the second GEMM overlaps with the all-gather"});
  table.row({"ideal-ag", fixed(pairs->ideal_ag, 3), mean});
  return table.text();
}

/// The table of a part. What no point of the part has gets no column.
std::string runsOfPart(const std::vector<PointResult>& points, const std::string& part) {
  bool studies = false;
  for (const auto& [point, report] : points) studies |= point.part == part && !point.study.empty();
  std::vector<std::string> heading = {"sublayer",        "mode",      "time (us)",   "speedup",
                                      "GEMM (us)",       "+ RS (us)", "+ norm (us)", "+ AG (us)",
                                      "+ 2nd GEMM (us)", "DRAM (MB)", "spills",      "settings"};
  if (studies) heading.insert(heading.begin() + 1, {"study", "changed"});
  HtmlTable table("Every run of " + part, heading, studies ? 4 : 2);
  for (const auto& [point, report] : points) {
    if (point.part != part) continue;
    for (const RunRecord& run : report.runs) {
      const RunResult& got = run.result;
      const auto speedup = report.speedup(run);
      std::vector<std::string> cells = {
          sublayerOf(point),
          spelling(run.mode),
          fixed(static_cast<double>(got.time_ps) * 1e-6, 1),
          speedup ? fixed(*speedup, 3) : "",
          fixed(got.phase_ns.gemm * 1e-3, 1),
          fixed(got.phase_ns.reduce_scatter * 1e-3, 1),
          fixed(got.phase_ns.norm * 1e-3, 1),
          fixed(got.phase_ns.all_gather * 1e-3, 1),
          fixed(got.phase_ns.consumer * 1e-3, 1),
          fixed(static_cast<double>(totalBytes(got.dram_bytes)) * 1e-6, 1),
          std::to_string(got.tracker_stats.overflow_events),
          settingsOf(point)};
      if (run.failed()) std::fill(cells.begin() + 2, cells.end() - 1, "FAILED");
      if (studies) cells.insert(cells.begin() + 1, {point.study, point.label});
      table.row(cells);
    }
  }
  return table.text();
}

std::vector<Mode> modesOf(const std::vector<PointResult>& points) {
  std::vector<Mode> modes;
  for (const PointResult& result : points) {
    for (const Mode& mode : result.point.modes) {
      if (std::ranges::find(modes, mode) == modes.end()) modes.push_back(mode);
    }
  }
  return modes;
}

std::string everyRun(const std::vector<PointResult>& points) {
  std::string text = definitionList(
      {{"time", "Simulated time of the sublayer, from its beginning to the end of its last phase."},
       {"speedup", "Time of sequential in the same scenario, divided by this time."},
       {"GEMM, + RS, + norm, + AG, + 2nd GEMM",
        "Parts of the time: the GEMM, and what each of the others adds after what is before it has "
        "ended. Only pairs have a norm and a second GEMM."},
       {"DRAM",
        "Bytes that the memory of one GPU served, mean of the GPUs. An update counts once, "
        "as a write."},
       {"spills", "Records that the tracker moved to memory because a set of its table was full."},
       {"study, changed", "Points that belong together, and in what they differ."},
       {"settings",
        "The differences from the preset. simulated_gpus=symmetric: one GPU is "
        "simulated for all. (tracker: model): the behavioural twin of the tracker, because the RTL "
        "has one size of its table."}});
  text += definitionList(definitionsOf(modesOf(points)));
  std::string part;
  for (const PointResult& result : points) {
    if (result.point.part == part) continue;
    part = result.point.part;
    text += "<details><summary>" + escaped(part) + "</summary>\n" + runsOfPart(points, part) +
            "</details>\n";
  }
  return text;
}

std::string link(const std::string& path, const std::string& text) {
  return "<a href=\"" + path + "\">" + text + "</a>";
}

Section figureSection(const Figure& figure, const std::string& svg) {
  const std::string file = "figures/" + figure.name;
  return {figure.name, figure.title,
          "<figure>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"" +
              escaped(figure.title) + "\"><img alt=\"" + escaped(figure.alt) + "\" width=\"" +
              std::to_string(figure.width) + "\" height=\"" + std::to_string(figure.height) +
              "\" src=\"data:image/svg+xml;base64," + base64(svg) + "\"></div>\n<figcaption>\n<p>" +
              escaped(figure.caption) + "</p>\n" + definitionList(definitionsOf(figure.modes)) +
              "<p class=\"screen\">" + link(file + ".csv", "data as CSV") + " &middot; " +
              link(file + ".svg", "SVG") + " &middot; " + link(file + ".png", "PNG") +
              " &middot; " + link(file + ".gp", "gnuplot script") +
              "</p>\n</figcaption>\n</figure>\n"};
}

/// When, where and from what.
std::string originText(const std::vector<PointResult>& points, const ReportOrigin& origin) {
  double seconds = 0, longest = 0;
  std::size_t runs = 0;
  for (const PointResult& result : points) {
    for (const RunRecord& run : result.report.runs) {
      if (run.derived_from) continue;
      ++runs;
      seconds += run.host.wall_s;
      longest = std::max(longest, run.host.wall_s);
    }
  }
  return "<div class=\"origin\">\n" +
         definitionList(
             {{"command", origin.command},
              {"made", dateText()},
              {"on", machineText()},
              {"run time", durationText(origin.elapsed_s) + " with " +
                               std::to_string(origin.parallel) + " at a time. " +
                               std::to_string(runs) + " runs, " + durationText(seconds) +
                               " together, the longest " + durationText(longest) +
                               "; runs that an earlier start had finished are not made again"},
              {"program", std::string("t3sim ") + build::kVersion + ", commit " +
                              std::string(build::kCommit).substr(0, 12) +
                              (build::kDirty ? " with changes" : "") + "; RTL " +
                              std::string(build::kRtlSha256).substr(0, 12)}}) +
         "</div>\n";
}

std::string repeatText(const ReportOrigin& origin) {
  return "<p>On Debian 12, with a clone of the project; on Windows in a Debian 12 of WSL "
         "(<code>wsl --install Debian</code>), where everything is the same:</p>\n"
         "<pre>scripts/setup run\nscripts/run\nbuild/release/" +
         escaped(origin.command) +
         " --out results</pre>\n"
         "<p>Times and bytes are equal on every machine; run times are not. The page and the files "
         "beside it open anywhere, without a network: <code>reproduce.csv</code> has a line for "
         "each run, <code>reproduce.json</code> all that is known of each, <code>figures/</code> "
         "each figure with its data.</p>\n";
}

std::string headOf(const std::string& title) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
         "data:; "
         "style-src 'unsafe-inline'; script-src '" +
         std::string(kPageScriptHash) +
         "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>" +
         title + "</title>\n<style>" + kPageStyle + "</style>\n</head>\n<body>\n<h1>" + title +
         "</h1>\n";
}

std::string contentsOf(const std::vector<Section>& sections) {
  std::string text = "<nav aria-label=\"Contents\">\n<p>Contents</p>\n<ol>\n";
  for (const Section& section : sections) {
    text += "<li>" + link("#" + section.id, escaped(section.title)) + "</li>\n";
  }
  return text + "</ol>\n</nav>\n";
}

}  // namespace

std::string htmlReport(const std::vector<PointResult>& points,
                       const std::vector<std::pair<Figure, std::string>>& figures,
                       const ReportOrigin& origin) {
  std::vector<Section> sections;
  const auto known = headlines(points);
  if (std::ranges::any_of(known,
                          [](const Headline& headline) { return headline.ours.has_value(); })) {
    sections.push_back(
        {"headline-table", "Headlines",
         headlineTable(known) + definitionList(definitionsOf({Mode::Sequential, Mode::T3,
                                                              Mode::T3Mca, Mode::IdealOverlap}))});
  }
  for (const auto& [figure, svg] : figures) {
    Section section = figureSection(figure, svg);
    if (figure.name == "all-gather-speedup") section.text += allGatherTable(points);
    if (figure.name == "pairs-speedup") section.text += pairsTable(points);
    if (figure.name == "end-to-end") section.text += endToEndTable(endToEnd(points));
    sections.push_back(std::move(section));
  }
  if (const auto list = agreements(points); !list.empty()) {
    sections.push_back({"agreement", "One GPU simulated for all, against all of them",
                        "<p>Where all GPUs do the same, one can stand for all: its own traffic "
                        "comes back to it as its neighbour's.</p>\n" +
                            agreementTable(list)});
  }
  sections.push_back({"runs", "Every run", everyRun(points)});
  sections.push_back({"repeat", "How to repeat it", repeatText(origin)});

  std::string page = headOf("T3: the paper's evaluation, reproduced") + originText(points, origin);
  if (origin.quick) {
    page +=
        "<p class=\"bad\">--quick: tiny outputs, to try the program out. These figures say "
        "nothing about the paper.</p>\n";
  }
  if (const std::string failures = failuresOf(points); !failures.empty()) {
    page += "<pre class=\"bad\">" + escaped(failures) + "</pre>\n";
  }
  page += contentsOf(sections);
  for (const auto& [id, title, text] : sections) {
    page += "<section aria-labelledby=\"" + id + "\">\n<h2 id=\"" + id + "\">" + escaped(title) +
            "</h2>\n" + text + "</section>\n";
  }
  return page + "<script>" + kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace t3
