// SPDX-License-Identifier: Apache-2.0
// The page that scripts/report makes of an evaluation. Method: the results of a whole evaluation,
// made up without a simulation, are written as reproduce.json and drawn; the page is opened in
// headless Chromium, on a telephone, on a desk and on paper, in both themes. Scripts of the test
// ask for its texts, places and colours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <vector>

#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/summary.h"
#include "tests/support/made_phases.h"
#include "tests/testbench/browser.h"
#include "tests/testbench/program.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::report_page_test {
namespace {

namespace json = boost::json;

using test::Browser;
using test::Program;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

// Results of the whole evaluation without a simulation: every point gets runs whose times and bytes
// follow from its name alone.

/// A number that follows from a name, the same on every machine (FNV-1a).
std::uint64_t numberOf(const std::string& name) {
  std::uint64_t number = 14695981039346656037ULL;
  for (const char letter : name) {
    number = (number ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  return number >> 8;
}

PhaseBytes madeBytesOf(const std::string& name) {
  const auto bytes = [&](const char* kind) {
    return 10'000 + 10 * (numberOf(name + kind) % 2'000);
  };
  return test::madeBytes(
      {bytes("gr"), bytes("gw"), bytes("rr"), bytes("rw"), bytes("ar"), bytes("aw")});
}

RunRecord madeRun(const Point& point, Mode mode) {
  const std::string name = point.preset + point.study + point.label + spelling(mode);
  RunRecord run;
  run.mode = mode;
  RunResult& result = run.result;
  const double slower = mode == Mode::Sequential ? 1.3 : 1.0;
  const auto ns = [&](const char* phase) {
    return slower * (10'000.0 + 20.0 * static_cast<double>(numberOf(name + phase) % 100));
  };
  double time = 0;
  Picoseconds start = 0;
  for (const Phase phase : {Phase::Gemm, Phase::ReduceScatter, Phase::AllGather}) {
    PhaseFigures& figures = result.of(phase);
    figures.exposed_ns = ns(figures.name.c_str());
    time += figures.exposed_ns;
    const auto end = start + static_cast<Picoseconds>(1e3 * figures.exposed_ns);
    result.phases.push_back({figures.name, start, end});
    start = end;
  }
  result.time_ps = static_cast<Picoseconds>(1e3 * time);
  NodeFigures& layer = result.nodes.emplace_back();  // of a model
  layer.name = "layer0_down";
  layer.end_ps = result.time_ps;
  test::setDramBytes(result, madeBytesOf(name));
  result.link_bytes = 1'000 + numberOf(name) % 1'000;
  result.per_gpu.resize(1);
  result.per_gpu.front().gemm_end_ps = 20'000'000 + 1'000'000 * (numberOf(name) % 5);
  result.memory.window_ns = 5'000;
  for (int window = 0; window < 5; ++window) {
    result.memory.bytes_over_time.push_back(madeBytesOf(name + std::to_string(window)));
  }
  return run;
}

std::vector<PointResult> madeEvaluation() {
  std::vector<PointResult> results;
  for (const EvaluationPart& part : evaluationParts({})) {
    for (const Point& point : part.points) {
      PointResult& result = results.emplace_back(PointResult{point, {point.scenario, {}}});
      for (const Mode& mode : point.modes) result.report.runs.push_back(madeRun(point, mode));
    }
  }
  return results;
}

/// A browser with the page, which is drawn once for all tests.
class ReportPage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    points = madeEvaluation();
    directory = std::make_unique<TemporaryDirectory>();
    ReproduceForm form;
    form.build = buildForm();
    form.host = {"t3sim reproduce --made-up", "2024-04-27 10:00 UTC", "a machine", 75, 2};
    form.points = evaluationPointForms(points);
    form.summary = summaryOf(points);
    directory->write("reproduce.json", formatJson(toJson(form)));
    Program report({directory->path()}, Program::Error::Pipe, T3_REPORT);
    EXPECT_EQ(report.wait(), 0) << report.error;
  }
  static void TearDownTestSuite() { directory.reset(); }

  ReportPage() {
    browser_.show(1400, 900);
    browser_.open("file://" + directory->path("report.html"));
  }

  /// What a script returns: a list of texts.
  std::vector<std::string> list(const std::string& body) {
    std::vector<std::string> texts;
    const json::value found = browser_.evaluate("(() => {" + body + "})()");
    for (const json::value& text : found.as_array()) texts.emplace_back(text.as_string());
    return texts;
  }
  std::string text(const std::string& expression) {
    return std::string(browser_.evaluate(expression).as_string());
  }

  static inline std::vector<PointResult> points;
  static inline std::unique_ptr<TemporaryDirectory> directory;
  Browser browser_;
};

TEST_F(ReportPage, SaysWhatCameOutAgainstThePaperAndWhatEverythingIs) {
  const auto sentences = list(
      "return [...document.querySelectorAll('li')].filter(l => l.getBoundingClientRect().bottom < "
      "innerHeight && /the paper says [\\d.]+( %)?: [+-]?[\\d.]+ points\\./.test(l.innerText))"
      ".map(l => l.innerText)");
  const std::string alt = text(
      "document.querySelector('#headlines').closest('section').querySelector('svg').ariaLabel");
  std::size_t known = 0;
  for (const Headline& headline : headlines(points)) {
    ASSERT_TRUE(headline.ours);
    const bool bytes = headline.part == "data-movement";
    const std::string number = bytes ? fixed(100 * *headline.ours, 1) : fixed(*headline.ours, 3);
    const std::string difference = signedFixed(*headline.difference(), 1) + " points.";
    known += std::ranges::any_of(sentences, [&](const std::string& sentence) {
      return sentence.find(" " + number + " ") != std::string::npos &&
             sentence.ends_with(difference);
    });
    EXPECT_THAT(alt, HasSubstr(headline.name + " " + fixed(*headline.ours, 3) + " against"));
  }
  EXPECT_EQ(known, 9U) << "the first screen has a sentence with the numbers of each headline";

  const auto figures = list(
      "return [...document.querySelectorAll('figure')].map(f => "
      "f.closest('section').querySelector('h2').id)");
  EXPECT_THAT(figures, ElementsAre("headlines", "sublayers-speedup", "sublayers-phases",
                                   "data-movement", "traffic", "contention", "traffic-row-by-row",
                                   "end-to-end", "future", "sensitivity", "sensitivity-curves",
                                   "all-gather-speedup", "all-gather-timeline",
                                   "all-gather-sensitivity", "pairs-speedup", "models"));
  EXPECT_THAT(list("return [...document.querySelectorAll('figure')].filter(f => { const s = "
                   "f.querySelector('svg[role=img]'); return s.ariaLabel.length < 100 || "
                   "!/\\d\\.\\d|\\d %|\\d us/.test(s.ariaLabel) || s.querySelector('title') || "
                   "f.querySelector('figcaption p').innerText.length < 40 || "
                   "[...f.querySelectorAll('dd')].some(d => d.textContent.length < 40) || "
                   "!f.querySelector('dd'); }).map(f => f.outerHTML.slice(0, 200))"),
              ElementsAre())
      << "what a figure shows in words and numbers, and what its modes are; no tooltips";
  for (const std::string& name : figures) {
    for (const char* kind : {".svg", ".png"}) {
      const std::string file = directory->path("figures/" + name + kind);
      EXPECT_GT(test::readFile(file).size(), 1'000U) << file;
    }
  }
  EXPECT_EQ(text("[...document.querySelectorAll('nav a')].map(a => a.hash).join()"),
            text("[...document.querySelectorAll('h2')].map(h => '#' + h.id).join()"));
  EXPECT_THAT(list("return [...document.querySelectorAll('table')].filter(t => "
                   "!t.caption.textContent || ![...t.tBodies[0].rows].every(r => "
                   "r.cells[0].scope === 'row' && r.cells.length === t.tHead.rows[0].cells.length))"
                   ".map(t => t.outerHTML.slice(0, 200))"),
              ElementsAre());
  EXPECT_THAT(text("document.querySelector('#origin').closest('section').innerText"),
              testing::AllOf(HasSubstr("t3sim reproduce --made-up"), HasSubstr("1 min 15 s"),
                             HasSubstr("2 at a time"), HasSubstr("a machine")));
  for (const char* reference : {"http:", "https:", "src=\"//", "url("}) {
    EXPECT_THAT(test::readFile(directory->path("report.html")), testing::Not(HasSubstr(reference)));
  }
}

TEST_F(ReportPage, NothingIsCutAndNothingOverlaps) {
  browser_.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)");
  const std::string drawings =
      "const name = s => s.closest('section').querySelector('h2').id;"
      "const shown = [...document.querySelectorAll('figure svg')];"
      "const texts = s => [...s.querySelectorAll('text')].filter(t => t.textContent.trim())"
      ".map(t => ({text: t.textContent.trim(), box: t.getBoundingClientRect()}));";
  for (const int width : {1400, 768, 360}) {
    SCOPED_TRACE(width);
    browser_.show(width, 900);
    EXPECT_LE(browser_.evaluate("document.documentElement.scrollWidth").to_number<int>(), width);
    EXPECT_THAT(list("return [...document.querySelectorAll('body *')].filter(e => "
                     "!e.closest('.wide') && !e.closest('.drawing') && "
                     "e.getBoundingClientRect().right > innerWidth + 0.5)"
                     ".map(e => e.outerHTML.slice(0, 80))"),
                ElementsAre())
        << "only drawings and tables of many rows scroll, in frames of their own";
    EXPECT_THAT(list(drawings +
                     "return shown.flatMap(s => { const place = s.getBoundingClientRect();"
                     "return texts(s).filter(t => t.box.left < place.left - 1 || t.box.right > "
                     "place.right + 1 || t.box.top < place.top - 1 || t.box.bottom > place.bottom "
                     "+ 1).map(t => name(s) + ': ' + t.text); })"),
                ElementsAre())
        << "labels inside their figures";
    EXPECT_THAT(list(drawings +
                     "return shown.flatMap(s => { const all = texts(s); const found = [];"
                     "for (let i = 0; i < all.length; ++i) for (let k = 0; k < i; ++k) {"
                     "const a = all[i].box, b = all[k].box;"
                     "const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);"
                     "const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);"
                     "if (across > 1 && down > 4) found.push(name(s) + ': ' + all[i].text + ' on ' "
                     "+ all[k].text); } return found; })"),
                ElementsAre())
        << "no label on another one";
    EXPECT_THAT(list(drawings +
                     "return shown.flatMap(s => { const scale = s.getBoundingClientRect().width / "
                     "s.viewBox.baseVal.width;"
                     "return [...s.querySelectorAll('text')].map(t => "
                     "parseFloat(getComputedStyle(t).fontSize) * scale).filter(size => size < 7.5)"
                     ".map(size => name(s) + ': ' + size); })"),
                ElementsAre())
        << "letters large enough to be read";
  }
  browser_.show(1280, 900, "");
  EXPECT_GE(browser_.printedPages(), 10U);
  EXPECT_THAT(browser_.complaints(), ElementsAre());
}

TEST_F(ReportPage, EverySeriesStandsOutFromThePageInBothThemesAndPaperIsWhite) {
  // Every colour of a drawing is one of the page's; what is painted with it must be seen. Grid
  // lines and the edges between areas may be quiet.
  const std::string colours =
      "const light = text => { const [r, g, b] = text.match(/[\\d.]+/g).map(v => v / 255)"
      ".map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);"
      "return 0.2126 * r + 0.7152 * g + 0.0722 * b; };"
      "const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m);"
      "return (x + 0.05) / (y + 0.05); };"
      "const page = getComputedStyle(document.body).backgroundColor;"
      "const used = new Map();"
      "for (const e of document.querySelectorAll('figure svg *'))"
      "for (const name of ['fill', 'stroke']) {"
      "const value = e.style[name], seen = getComputedStyle(e)[name];"
      "if (value && value !== 'none') used.set(value, seen);"
      "else if (e.tagName === 'text' && name === 'fill') used.set('of a text', seen); }";
  const std::string background = "getComputedStyle(document.body).backgroundColor";
  for (const char* theme : {"light", "dark"}) {
    SCOPED_TRACE(theme);
    browser_.show(1400, 900, "screen", theme);
    EXPECT_EQ(text(background) == "rgb(255, 255, 255)", theme == std::string("light"));
    EXPECT_THAT(list(colours + "return [...used.keys()].filter(v => !v.startsWith('var(--') && v "
                               "!== 'of a text')"),
                ElementsAre());
    EXPECT_THAT(
        list(colours + "return [...used].filter(([v, c]) => !['var(--page)', 'var(--line)']"
                       ".includes(v) && contrast(c, page) < 3).map(([v, c]) => v + ' ' + c)"),
        ElementsAre());
    EXPECT_EQ(list(colours + "return [...used.keys()].filter(v => v === 'var(--grey)')").size(), 1U)
        << "the bars of cu-split:8 are asked about as well";
    EXPECT_THAT(list(colours + "const text = getComputedStyle(document.body).color;"
                               "return contrast(text, page) < 7 ? [text] : []"),
                ElementsAre());
  }
  browser_.show(1280, 900, "print", "dark");
  EXPECT_EQ(text(background), "rgb(255, 255, 255)");
}

TEST_F(ReportPage, SortsATableByTheColumnThatIsClickedAndNeedsNoScriptToBeRead) {
  const std::string table = "document.querySelector('#runs ~ details table')";
  const auto values = [&] {
    std::vector<double> numbers;
    const json::value found =
        browser_.evaluate("[..." + table +
                          ".tBodies[0].rows].map(r => Number(r.querySelectorAll('td')[0]"
                          ".textContent))");
    for (const json::value& value : found.as_array()) numbers.push_back(value.to_number<double>());
    return numbers;
  };
  const std::vector<double> unsorted = values();
  EXPECT_GT(unsorted.size(), 50U);
  EXPECT_FALSE(std::ranges::is_sorted(unsorted));
  const std::string click = "(() => { const r = " + table +
                            "; const h = r.tHead.rows[0].cells[r.tBodies[0].rows[0]"
                            ".querySelectorAll('th').length]; h.querySelector('button').click(); "
                            "return h.ariaSort; })()";
  EXPECT_EQ(text(click), "ascending");
  EXPECT_TRUE(std::ranges::is_sorted(values()));
  EXPECT_EQ(text(click), "descending");
  EXPECT_TRUE(std::ranges::is_sorted(values(), std::ranges::greater{}));
  // The policy of the page lets no other script run; then its tables are as they were written.
  std::string page = test::readFile(directory->path("report.html"));
  page.insert(page.find("</script>"), " ");
  const TemporaryDirectory changed;
  browser_.open("file://" + changed.write("changed.html", page));
  EXPECT_THAT(browser_.complaints(), ElementsAre(HasSubstr("Content Security Policy")));
  EXPECT_EQ(browser_.evaluate("document.querySelectorAll('thead button').length"), 0);
  EXPECT_EQ(values(), unsorted);
}

}  // namespace
}  // namespace t3::report_page_test
