// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

Figure endToEndSpeedups(const std::vector<EndToEnd>& models) {
  constexpr double kWidth = 0.36;
  Plot plot;
  plot.line("set multiplot");
  for (const bool training : {true, false}) {
    std::vector<Series> bars;
    for (const ModeStyle& style : kT3Bars) bars.push_back({spelling(style.mode), style.fill, {}});
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
    place(plot, training ? Box{0.07, 0.5, 0.2, 0.86} : Box{0.56, 0.99, 0.2, 0.86});
    frame(plot, training ? "speedup over sequential" : "");
    plot.line("set title " + plotText(training ? "training iteration" : "prompt (forward only)"));
    plot.line("set yrange [1:*]");
    plot.line("set ytics format '%.2f'");
    plot.line("set xrange [-0.7:" + at(static_cast<double>(models.size()) - 0.3) + "]");
    plot.tics("x", tics, "scale 0 font ',9'");
    plot.line(training ? "set key top right samplen 1.5" : "unset key");
    plot.plot(boxes(plot, training ? "train" : "prompt", bars, kWidth));
  }
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
  return {"end-to-end",
          "Whole models",
          "All layers, with the rest of a layer by roofline (docs/evaluation.md names its "
          "assumptions). No figure of the paper is known for this.",
          1150,
          420,
          plot.script(),
          alt,
          formatCsv(data),
          {Mode::Sequential, Mode::T3, Mode::T3Mca}};
}

}  // namespace

std::vector<Figure> endToEndFigures(const std::vector<PointResult>& points) {
  const std::vector<EndToEnd> models = endToEnd(points);
  if (models.empty()) return {};
  return {endToEndSpeedups(models)};
}

}  // namespace t3
