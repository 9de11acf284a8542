// SPDX-License-Identifier: Apache-2.0
// How the page of `t3sim reproduce` looks. Method: the page of a whole evaluation, made up without
// a simulation, with all figures drawn by gnuplot, is opened in headless Chromium, on a telephone
// and on a desk, in both themes; scripts of the test ask for places and colours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "testbench/reproduce/figures.h"
#include "testbench/reproduce/gnuplot.h"
#include "testbench/reproduce/html_report.h"
#include "tests/testbench/browser.h"
#include "tests/testbench/made_evaluation.h"
#include "tests/testbench/temporary_directory.h"

namespace t3 {
namespace {

namespace json = boost::json;

using test::Browser;
using test::TemporaryDirectory;
using testing::ElementsAre;

/// A browser with the page.
class ReportPage : public testing::Test {
 protected:
  ReportPage() {
    const auto points = test::madeEvaluation();
    std::vector<std::pair<Figure, FigureSvg>> figures;
    for (Figure& figure : figuresOf(points)) {
      FigureSvg svg = renderFigure(figure, directory_.path());
      figures.emplace_back(std::move(figure), std::move(svg));
    }
    figures_ = figures.size();
    const ReportOrigin origin = {.command = "t3sim reproduce --made-up"};
    browser_.show(1400, 900);
    browser_.open("file://" + directory_.write("report.html", htmlReport(points, figures, origin)));
  }

  /// What a script returns: a list of texts.
  std::vector<std::string> list(const std::string& body) {
    std::vector<std::string> texts;
    const json::value found = browser_.evaluate("(() => {" + body + "})()");
    for (const json::value& text : found.as_array()) texts.emplace_back(text.as_string());
    return texts;
  }

  const TemporaryDirectory directory_;
  Browser browser_;
  std::size_t figures_ = 0;
};

TEST_F(ReportPage, TheFirstScreenSaysWhatCameOutAgainstThePaper) {
  for (const int width : {1400, 400}) {
    browser_.show(width, 900);
    const auto sentences = list(
        "return [...document.querySelectorAll('li')].filter(l => l.getBoundingClientRect().bottom "
        "< innerHeight && /the paper says [\\d.]+( %)?: [+-]?[\\d.]+ points\\./.test(l.innerText))"
        ".map(l => l.innerText)");
    EXPECT_GE(sentences.size(), width == 400 ? 4U : 9U) << "at " << width;
    EXPECT_THAT(sentences, testing::Each(testing::ContainsRegex("^(t3|ideal)")));
  }
  EXPECT_THAT(list("return [...document.querySelectorAll('h2')].map(h => h.id).slice(-2)"),
              ElementsAre("runs", "origin"))
      << "where it comes from is at the end";
  EXPECT_EQ(browser_.evaluate("document.body.innerText.indexOf('--made-up') > "
                              "document.querySelector('#origin').innerText.length"),
            true);
  EXPECT_EQ(browser_.evaluate("document.querySelector('#origin').closest('section')"
                              ".innerText.includes('--made-up')"),
            true);
}

TEST_F(ReportPage, NothingIsCutAndNothingOverlaps) {
  browser_.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)");
  for (const int width : {1400, 800, 400}) {
    SCOPED_TRACE(width);
    browser_.show(width, 900);
    EXPECT_LE(browser_.evaluate("document.documentElement.scrollWidth").to_number<int>(), width);
    EXPECT_THAT(list("return [...document.querySelectorAll('body *')].filter(e => "
                     "!e.closest('.wide') && !e.closest('svg') && "
                     "e.getBoundingClientRect().right > innerWidth + 0.5)"
                     ".map(e => e.outerHTML.slice(0, 80))"),
                ElementsAre())
        << "only tables of many rows scroll, in frames of their own";
    const std::string drawings =
        "const shown = [...document.querySelectorAll('figure svg')].filter(s => "
        "s.getBoundingClientRect().width > 0);"
        "const name = s => s.closest('section').querySelector('h2').id;"
        "const texts = s => [...s.querySelectorAll('text')].filter(t => t.textContent.trim())"
        ".map(t => ({text: t.textContent.trim(), box: t.getBoundingClientRect()}));";
    EXPECT_EQ(list(drawings + "return shown.map(name)").size(), figures_)
        << "one drawing of each figure";
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
                     "return [...s.querySelectorAll('[font-size]')].map(g => "
                     "parseFloat(g.getAttribute('font-size')) * scale).filter(size => size < 7.5)"
                     ".map(size => name(s) + ': ' + size); })"),
                ElementsAre())
        << "letters large enough to be read";
  }
  EXPECT_THAT(browser_.complaints(), ElementsAre());
}

TEST_F(ReportPage, EverySeriesStandsOutFromThePageInBothThemes) {
  for (const char* theme : {"light", "dark"}) {
    SCOPED_TRACE(theme);
    browser_.show(1400, 900, "screen", theme);
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
        "for (const name of ['fill', 'stroke', 'color']) {"
        "const value = (e.getAttribute(name) || '').trim();"
        "if (value && !['none', 'currentColor'].includes(value))"
        "used.set(value, getComputedStyle(e)[name]); }";
    EXPECT_THAT(list(colours + "return [...used.keys()].filter(v => !v.startsWith('var(--'))"),
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
}

}  // namespace
}  // namespace t3
