// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

const std::vector<ModeStyle> kModelBars = {{Mode::T3, ink::kBlue}, {Mode::T3Mca, ink::kNavy}};

Drawing drawModels(const std::vector<EndToEnd>& models, bool narrow) {
  constexpr double kWidth = 0.36;
  std::vector<double> values = {1};
  for (const EndToEnd& model : models) {
    for (const EndToEnd::Phase& phase : {model.training, model.prompt}) {
      values.insert(values.end(), {phase.t3, phase.t3_mca});
    }
  }
  const Scale scale = Scale::over(values);
  Sheet sheet(narrow, {2, narrow ? 1U : 2U, 180, {.below = 68}}, keyOf(kModelBars));
  for (const bool training : {true, false}) {
    std::vector<Series> bars;
    for (const ModeStyle& style : kModelBars) bars.push_back({spelling(style.mode), style.ink, {}});
    Tics tics;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const EndToEnd::Phase& phase = training ? models[i].training : models[i].prompt;
      const auto x = static_cast<double>(i);
      bars[0].rows.push_back({x - kWidth / 2, phase.t3});
      bars[1].rows.push_back({x + kWidth / 2, phase.t3_mca});
      std::string name = models[i].model;
      if (const std::size_t dash = name.find('-'); dash == 4) name.insert(dash + 1, "\n");
      tics.emplace_back(x, name + "\nTP " + std::to_string(models[i].degree));
    }
    Plot& plot = sheet.plot();
    sheet.panel("speedup over sequential");
    sheet.title(training ? "training iteration" : "prompt (forward only)");
    plot.scale("y", scale);
    groundLine(plot, 1);
    plot.line("set xrange [-0.7:" + at(static_cast<double>(models.size()) - 0.3) + "]");
    plot.tics("x", tics, "scale 0 font ',10'");
    plot.plot(boxes(plot, training ? "train" : "prompt", bars, kWidth, 1));
  }
  return sheet.drawing();
}

Figure endToEndSpeedups(const std::vector<EndToEnd>& models) {
  std::vector<CsvRow> data;
  std::string alt =
      "Two panels, a training iteration and a prompt, with two bars for each model. "
      "Speedups of t3-mca, training and prompt:";
  for (const EndToEnd& model : models) {
    for (const bool training : {true, false}) {
      const EndToEnd::Phase& phase = training ? model.training : model.prompt;
      data.push_back({{"model", model.model},
                      {"gpus", std::to_string(model.degree)},
                      {"phase", training ? "training" : "prompt"},
                      {"sequential_ms", fixed(phase.sequential_ms, 6)},
                      {"not_simulated_ms", fixed(phase.rest_ms, 6)},
                      {"speedup_t3", fixed(phase.t3, 6)},
                      {"speedup_t3_mca", fixed(phase.t3_mca, 6)}});
    }
    alt += " " + model.model + " on " + std::to_string(model.degree) + " GPUs " +
           fixed(model.training.t3_mca, 3) + " and " + fixed(model.prompt.t3_mca, 3) + ";";
  }
  alt.back() = '.';
  return drawn({.name = "end-to-end",
                .title = "Whole models",
                .caption = "All layers, with the rest of a layer by roofline (docs/evaluation.md "
                           "names its assumptions). No figure of the paper is known for this.",
                .alt = alt,
                .data = formatCsv(data),
                .modes = {Mode::Sequential, Mode::T3, Mode::T3Mca}},
               [&](bool narrow) { return drawModels(models, narrow); });
}

}  // namespace

std::vector<Figure> endToEndFigures(const std::vector<PointResult>& points) {
  const std::vector<EndToEnd> models = endToEnd(points);
  if (models.empty()) return {};
  return {endToEndSpeedups(models)};
}

}  // namespace t3
