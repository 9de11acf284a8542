// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/html_report.h"

#include <algorithm>

#include "testbench/build_info.h"
#include "testbench/config/spelling.h"
#include "testbench/report/points_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/agreement.h"
#include "testbench/reproduce/all_gather.h"
#include "testbench/reproduce/conclusions.h"
#include "testbench/reproduce/definitions.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/html.h"
#include "testbench/reproduce/html_style.h"
#include "testbench/reproduce/machine.h"
#include "testbench/reproduce/pairs.h"
#include "testbench/reproduce/palette.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

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

std::string endToEndTable(const std::vector<EndToEnd>& models) {
  HtmlTable table("Whole models: training iteration and prompt",
                  {"model", "GPUs", "attention", "training, sequential (ms)", "not simulated (%)",
                   "training, t3", "training, t3-mca", "prompt, sequential (ms)",
                   "not simulated (%)", "prompt, t3", "prompt, t3-mca"},
                  3);
  for (const EndToEnd& model : models) {
    const auto row = [&](const char* attention, const EndToEnd::Phase& training,
                         const EndToEnd::Phase& prompt) {
      std::vector<std::string> cells = {model.model, std::to_string(model.degree), attention};
      for (const EndToEnd::Phase* phase : {&training, &prompt}) {
        cells.push_back(fixed(phase->sequential_ms, 1));
        cells.push_back(fixed(100 * phase->rest_ms / phase->sequential_ms, 0));
        cells.push_back(fixed(phase->t3, 3));
        cells.push_back(fixed(phase->t3_mca, 3));
      }
      table.row(cells);
    };
    row("fused", model.training, model.prompt);
    row("unfused", model.trainingUnfused, model.promptUnfused);
  }
  return table.text() +
         definitionList(
             {{"training", "One iteration: forward and backward pass and the optimizer."},
              {"prompt", "One forward pass over the prompt."},
              {"attention",
               "Fused: one kernel, scores stay on chip. Unfused: scores go through memory "
               "between GEMMs, scaling with mask, softmax and dropout."},
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
  if (ag->gap_closed) {
    table.row({"gap closed (%)", fixed(100 * *ag->gap_closed, 0),
               "Of the gap between the means of the two bounds, what t3-ag closes"});
  }
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
                                      "+ 2nd GEMM (us)", "DRAM (MB)", "settings"};
  if (studies) heading.insert(heading.begin() + 1, {"study", "changed"});
  HtmlTable table("Every run of " + part, heading, studies ? 4 : 2, HtmlTable::WhenNarrow::Scroll);
  for (const auto& [point, report] : points) {
    if (point.part != part) continue;
    for (const RunRecord& run : report.runs) {
      const RunResult& got = run.result;
      const auto speedup = report.speedup(run);
      const auto exposed = [&](Phase phase) { return fixed(got.of(phase).exposed_ns * 1e-3, 1); };
      std::vector<std::string> cells = {sublayerOf(point),
                                        spelling(run.mode),
                                        fixed(static_cast<double>(got.time_ps) * 1e-6, 1),
                                        speedup ? fixed(*speedup, 3) : "",
                                        exposed(Phase::Gemm),
                                        exposed(Phase::ReduceScatter),
                                        exposed(Phase::Norm),
                                        exposed(Phase::AllGather),
                                        exposed(Phase::Consumer),
                                        fixed(static_cast<double>(got.totalBytes()) * 1e-6, 1),
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
       {"study, changed", "Points that belong together, and in what they differ."},
       {"settings",
        "The differences from the preset. simulated_gpus=symmetric: one GPU is "
        "simulated for all."}});
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

/// What the modes are, for who wants to know, out of the way of the others.
std::string modesOfFigure(const Figure& figure) {
  const Terms terms = definitionsOf(figure.modes);
  if (terms.empty()) return "";
  return "<details class=\"modes\"><summary>What the modes are</summary>\n" +
         definitionList(terms) + "</details>\n";
}

Section figureSection(const Figure& figure, const FigureSvg& svg) {
  const std::string file = "figures/" + figure.name;
  const std::string label = R"(role="img" aria-label=")" + escaped(figure.alt) + "\" class=\"";
  return {figure.name, figure.title,
          "<figure>\n" + svgElement(svg.wide, figure.name + "-w-", label + "wide-figure\"") +
              svgElement(svg.narrow, figure.name + "-n-", label + "narrow-figure\"") +
              "<figcaption>\n<p>" + escaped(figure.caption) + "</p>\n" + modesOfFigure(figure) +
              "<p class=\"screen\">" + link(file + ".csv", "data as CSV") + " &middot; " +
              link(file + ".svg", "SVG") + " &middot; " + link(file + ".png", "PNG") +
              " &middot; " + link(file + ".gp", "gnuplot script") +
              "</p>\n</figcaption>\n</figure>\n"};
}

std::string sentenceList(const std::vector<Sentence>& sentences) {
  std::string text = "<ul class=\"conclusions\">\n";
  for (const auto& [before, number, after] : sentences) {
    text += "<li>" + escaped(before) + "<b>" + number + "</b>" + escaped(after) + "</li>\n";
  }
  return text + "</ul>\n";
}

/// What the page opens with: what came out, against the paper.
std::string conclusionText(const std::vector<PointResult>& points) {
  const auto& [paper, beyond] = conclusionsOf(points);
  std::string text;
  if (paper.empty()) {
    text =
        "<p>None of the runs of this page belongs to a headline of the paper; those of the parts "
        "sublayers and data-movement do.</p>\n";
  } else {
    text =
        sentenceList(paper) +
        "<p class=\"note\">Geometric means and extremes are over the sublayers of Mega-GPT-2 and "
        "T-NLG where no others are named. Points are hundredths, this simulation less the paper; "
        "docs/evaluation.md explains each difference of more than three.</p>\n";
  }
  if (!beyond.empty()) text += "<p>Beyond the paper:</p>\n" + sentenceList(beyond);
  return text;
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
         title + "</title>\n<style>" + pageStyle() + "</style>\n</head>\n<body>\n<h1>" + title +
         "</h1>\n<p class=\"lead\">T3 (Pati et al., ASPLOS 2024) hides the reduce-scatter behind "
         "the "
         "GEMM that makes its data. Here a GEMM and its all-reduce, a sublayer, are simulated one "
         "after the other (sequential) and as T3 does it.</p>\n";
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
                       const std::vector<std::pair<Figure, FigureSvg>>& figures,
                       const ReportOrigin& origin) {
  std::vector<Section> sections;
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
  sections.push_back({"origin", "Where this comes from, and how to repeat it",
                      originText(points, origin) + repeatText(origin)});

  std::string page = headOf("T3: the paper's evaluation, reproduced");
  if (origin.quick) {
    page += "<p class=\"bad\">" + std::string(kTinyOutputs) + "</p>\n";
  }
  if (const std::string failures = failuresOf(points); !failures.empty()) {
    page += "<pre class=\"bad\">" + escaped(failures) + "</pre>\n";
  }
  page += conclusionText(points) + contentsOf(sections);
  for (const auto& [id, title, text] : sections) {
    page += "<section aria-labelledby=\"" + id + "\">\n<h2 id=\"" + id + "\">" + escaped(title) +
            "</h2>\n" + text + "</section>\n";
  }
  return page + "<script>" + kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace t3
