#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/report draws is what the results say.

Method: results of a small evaluation are made up, so that every number of a run is another one; their figures are drawn, and
bars, lines, marks and texts are read back from matplotlib, in units of the axes. One run failed, and is drawn nowhere. It
runs in the Python that scripts/report runs in.
"""
import itertools
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

warnings.simplefilter("error")  # of matplotlib: what it warns of is drawn wrongly
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from reports import drawing, evaluation, over_time, page  # noqa: E402
from reports.drawing import INK  # noqa: E402

NUMBERS = itertools.count(1)  # no two of these are equal
KINDS = ("gemm_read", "gemm_write", "rs_read", "rs_write", "ag_read", "ag_write")
MODES = {"sublayers": ("sequential", "cu-split:8", "cu-split:16", "t3", "t3-mca", "ideal-overlap", "ideal-rs-nmc"),
         "data-movement": ("sequential", "t3-mca"), "traffic": ("sequential", "t3", "t3-mca", "ideal-rs-nmc"),
         "contention": ("t3", "t3-mca", "ideal-rs-nmc"), "future": ("t3", "t3-mca", "ideal-overlap"),
         "sensitivity": ("t3", "t3-mca", "ideal-overlap"), "switch": ("nvls",), "models": ("sequential", "nvls", "t3-ag"),
         "all-gather": ("sequential", "t3-mca", "t3-ag", "ideal-ag", "ideal-rs-nmc"),
         "pairs": ("ag-split:2", "t3-mca", "t3-ag", "ideal-ag", "ideal-rs-nmc")}
FAILED = ("T-NLG", "t3")  # of the sublayers


def made_run(point, mode):
    n = next(NUMBERS)
    if (point["part"], point["model"], mode) == ("sublayers", *FAILED):
        return {"mode": mode, "status": "failed", "error": "stuck", "time_ps": 0}
    ends = [10**6 * (20 + n), 10**6 * (40 + n), 10**6 * (70 + n)]
    run = {"mode": mode, "status": "ok", "error": None, "time_ps": ends[-1], "speedup": 1 + n / 256, "derived_from": None,
           "prefill_ns": 10**6 * n if point["part"] == "models" else None,
           "host": {"wall_s": 1}, "phase_ns": {"gemm": 20 + n, "reduce_scatter": 20, "all_gather": 30, "norm": 0, "consumer": 0},
           "phases": [{"name": name, "start_ps": begin, "end_ps": end} for name, begin, end in
                      zip(("gemm", "reduce_scatter", "all_gather"), [0, *ends], ends)],
           "dram_bytes": {kind: 1000 * (i + 1) + n for i, kind in enumerate(KINDS)}, "per_gpu": [{"gemm_end_ps": 15 * 10**6 + n}]}
    if point["part"] == "traffic" or point["label"] == "row by row":
        run["memory"] = {"window_ns": 5000, "bytes_over_time": [{kind: 5000 * (n + w + i) for i, kind in enumerate(KINDS)}
                                                               for w in range(3)]}
    return run


def made_results():
    points = []
    for part, study, label in (
            ("sublayers", "", ""), ("data-movement", "", ""), ("traffic", "", ""), ("contention", "walk", "row by row"),
            ("contention", "walk", "8 rows"), ("contention", "MCA", "$on$"), ("future", "faster", "2 x compute"), ("future", "faster", "4"),
            ("sensitivity", "memory channels", "8"), ("sensitivity", "memory channels", "16"), ("sensitivity", "tile", "64"),
            ("all-gather", "", ""), ("all-gather", "links", "75"), ("all-gather", "links", "150"), ("pairs", "", ""), ("switch", "", ""),
            ("models", "H100, none", "256"), ("models", "H100, dense", "256"), ("models", "H100, dense, switch that adds", "256"),
            ("models", "H100, ladder", "256"), ("models", "H100, ladder", "1024"), ("models", "H100, ladder, room for stores", "256")):
        for model in ("Mega-GPT-2", "T-NLG", "PALM") if part in ("sublayers", "data-movement") else ("T-NLG",):
            point = {"part": part, "preset": "t-nlg-fc2-tp8", "model": model, "sublayer": "FC-2", "gpus": 8, "study": study, "label": label,
                     "settings": {}}
            points.append({**point, "runs": [made_run(point, mode) for mode in MODES[part]]})
    phase = {"sequential_ms": 10, "rest_ms": 4, "speedup_t3": 1.25, "speedup_t3_mca": 1.5}
    gain = {"points": 2, "mean": 1.125, "least": 0.75, "most": 1.375}
    headline = {"name": "moved", "part": "data-movement", "mode": "t3-mca", "models": "Mega-GPT-2, T-NLG", "statistic": "least",
                "paper": 0.64, "ours": 0.719, "default_machine": None, "difference_points": 7.9}
    return {
        "schema": "t3sim-reproduce/1", "points": points,
        "build": {"version": "1", "commit": "0123456789abcdef", "dirty": False, "rtl_sha256": "0"},
        "host": {"command": "t3sim reproduce", "date": "today", "machine": "a machine", "elapsed_s": 75, "jobs": 2},
        "summary": {
            "headlines": [headline, {**headline, "name": "mean", "part": "sublayers", "statistic": "geomean", "paper": 1.3,
                                     "ours": 1.2999, "difference_points": -0.01},
                          {**headline, "name": "nothing", "ours": None, "difference_points": None}],
            "ranges": [{"part": "sublayers", "mode": "t3-mca", "models": "Mega-GPT-2, T-NLG", **gain},
                       {"part": "data-movement", "mode": "t3-mca", "models": "Mega-GPT-2, T-NLG", **gain}],
            "end_to_end": [{"model": "T-NLG", "gpus": 8, "training": phase, "prompt": {**phase, "speedup_t3": 1.0625},
                            "training_unfused": phase, "prompt_unfused": phase}],
            "sensitivity": [{"setting": "tile", "mode": "t3-mca", "low": {"value": "64", "speedup": 1.1, "change": -0.125},
                             "high": {"value": "256", "speedup": 1.3, "change": -0.0001}}],
            "symmetric_against_explicit": [{"preset": "p", "mode": "t3", "time_difference": -0.00001, "gemm_read_difference": 0.01,
                                            "link_bytes_equal": True}]}}


def heights(axes, ink):
    """Tops of its bars, from the left: of one that is not drawn, NaN."""
    return [bar.get_y() + bar.get_height() for bar in axes.patches if drawing.matplotlib.colors.to_hex(bar.get_facecolor()) == INK[ink]]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def marks(axes, look):
    return [value for line in axes.lines if line.get_marker() == drawing.LOOKS[look]["marker"] for value in line.get_ydata()]


class Drawing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results, cls.sheets = made_results(), {}
        finish = drawing.Sheet.finish

        def keep(sheet, figure, quick):
            cls.sheets[figure.name] = sheet
            return finish(sheet, figure, quick)

        drawing.Sheet.finish = keep
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "reproduce.json"
            path.write_text(json.dumps(cls.results))
            cls.found = evaluation.read(path)
        cls.figures = page.draw(cls.found)
        cls.page = page.render(cls.found, cls.figures)
        cls.panels = {name: sheet.panels for name, sheet in cls.sheets.items()}

    def speedups(self, part, mode, **which):
        runs = [next((run for run in point["runs"] if run["mode"] == mode), {}) for point in self.results["points"]
                if point["part"] == part and all(point[name] == value for name, value in which.items())]
        return [run.get("speedup", math.nan) for run in runs]

    def same(self, seen, expected):
        self.assertEqual(len(seen), len(expected), seen)
        for one, other in zip(seen, expected):
            if math.isnan(other):
                self.assertTrue(math.isnan(one), f"{one} is drawn, and nothing is known")
            else:
                self.assertAlmostEqual(one, other)

    def test_each_figure_is_on_the_page_once_with_words_for_who_cannot_see_it(self):
        names = ["headlines", "sublayers-speedup", "sublayers-phases", "data-movement", "traffic", "contention", "traffic-row-by-row",
                 "end-to-end", "future", "sensitivity", "sensitivity-curves", "all-gather-speedup", "all-gather-timeline",
                 "all-gather-sensitivity", "pairs-speedup", "models"]
        self.assertEqual([figure.name for figure in self.figures], names)
        self.assertEqual(re.findall('<h2 id="(.*?)"', self.page), [*names, "agreement", "runs", "origin"])
        alts = re.findall('<svg role="img" aria-label="([^"]*)"', self.page)
        self.assertEqual(len(alts), len(names))
        for alt in alts:
            self.assertRegex(alt, r"^.{80,}\d")
        self.assertEqual(re.findall(r'href="figures/([a-z-]*)\.svg"', self.page), names)
        drawings = re.findall("<svg.*?</svg>", self.page, flags=re.S)
        for figure, shown in zip(self.figures, drawings):
            ElementTree.fromstring(figure.files[f"{figure.name}.svg"])
            ids = re.findall(' id="(.*?)"', shown)
            self.assertEqual(len(ids), len(set(ids)))
            self.assertTrue(all(name.startswith(f"{figure.name}-") for name in ids))
            self.assertNotRegex(shown, "#[0-9a-f]{6}|nan", "colours are the page's, places are numbers")

    def test_bars_of_sublayers_have_their_speedups_and_one_that_failed_has_none(self):
        small, large = self.panels["sublayers-speedup"]
        for mode, ink in (("cu-split:8", "grey"), ("cu-split:16", "orange"), ("t3", "blue"), ("t3-mca", "navy")):
            common = [1.125, 1.375] if mode == "t3-mca" else [math.nan, math.nan]
            known = self.speedups("sublayers", mode)
            self.same(heights(small, ink), known[:2] + common)
            self.same(heights(large, ink), known[2:])
        self.assertEqual(sum(math.isnan(value) for value in heights(small, "blue")), 3)
        self.assertEqual({bar.get_y() for bar in small.patches}, {1}, "they stand on 1")
        self.same(marks(small, "bound"), [*self.speedups("sublayers", "ideal-rs-nmc")[:2], math.nan, math.nan])
        self.same(marks(small, "paper"), [1.3])
        lines = small.collections[0].get_segments()
        self.same([line[0][1] for line in lines if len(line)], self.speedups("sublayers", "ideal-overlap")[:2])
        self.assertEqual(ticks(small.xaxis), ["FC-2", "FC-2", "mean", "largest"])
        self.assertEqual(texts(small), ["Mega-GPT-2, TP 8", "T-NLG, TP 8", "all of these"])
        self.assertIn("t3 1.016 to 1.070,", self.figures[1].alt)

    def test_bars_of_the_all_gather_and_of_pairs_have_their_speedups(self):
        for part, name, looks in (("all-gather", "all-gather-speedup", {"t3-mca": "blue", "t3-ag": "navy"}),
                                  ("pairs", "pairs-speedup", {"ag-split:2": "orange", "t3-mca": "blue", "t3-ag": "navy"})):
            for mode, ink in looks.items():
                self.same(heights(self.panels[name][0], ink), self.speedups(part, mode, study=""))
            self.same(marks(self.panels[name][0], "bound"), self.speedups(part, "ideal-rs-nmc", study=""))

    def test_shares_are_stacked(self):
        axes = self.panels["sublayers-phases"][0]
        points = [point for point in self.results["points"] if point["part"] == "sublayers"][:2]
        gemm = [point["runs"][0]["phase_ns"]["gemm"] for point in points]
        self.same(heights(axes, "navy"), [100 * ns / (ns + 50) for ns in gemm])
        self.same(heights(axes, "blue"), [100 * (ns + 20) / (ns + 50) for ns in gemm])
        self.same(heights(axes, "grey"), [100, 100])
        axes = self.panels["data-movement"][0]
        moved = [[run["dram_bytes"] for run in point["runs"]] for point in self.results["points"] if point["part"] == "data-movement"][:2]
        for at, ink in enumerate(("navy", "blue", "brown", "orange", "slate", "grey")):
            self.same(heights(axes, ink), [100 * sum(list(point[run].values())[:at + 1]) / sum(point[0].values())
                                           for run in (0, 1) for point in moved])
        self.same(heights(axes, "text"), [112.5, 75])
        self.same(marks(axes, "paper"), [64])

    def test_curves_go_through_the_points_of_their_study_and_break_where_one_is_missing(self):
        for name, part, modes in (("contention", "contention", ("ideal-rs-nmc", "t3-mca", "t3")),
                                  ("sensitivity-curves", "sensitivity", ("ideal-overlap", "t3-mca", "t3")),
                                  ("all-gather-sensitivity", "all-gather", ("ideal-ag", "t3-ag", "t3-mca"))):
            axes = self.panels[name][0]
            study = axes.get_title(loc="left")
            for mode, line in zip(modes, axes.lines):
                self.same(line.get_ydata(), self.speedups(part, mode, study=study))
                self.assertEqual(list(line.get_xdata()), [0, 1])
        self.assertEqual([axes.get_title(loc="left") for axes in self.panels["contention"]], ["walk", "MCA"])
        self.assertEqual(ticks(self.panels["contention"][0].xaxis), ["row by row", "8 rows"])
        self.assertIn(">$on$<", self.page)
        points = self.found.of("contention")
        points[1].runs = []
        axes = page.studies.contention(self.found) and self.sheets["contention"].panels[0]
        self.same(axes.lines[2].get_ydata(), [points[0].speedup("t3"), math.nan])

    def test_bars_of_models_and_machines(self):
        training, prompt = self.panels["end-to-end"]
        self.assertEqual((heights(training, "blue"), heights(training, "navy")), ([1.25], [1.5]))
        self.assertEqual((heights(prompt, "blue"), heights(prompt, "navy")), ([1.0625], [1.5]))
        axes = self.panels["future"][0]
        self.same(heights(axes, "blue"), self.speedups("future", "t3"))
        self.same(heights(axes, "navy"), self.speedups("future", "t3-mca"))
        self.same([line[0][1] for line in axes.collections[0].get_segments()], self.speedups("future", "ideal-overlap"))
        self.assertEqual(ticks(axes.xaxis), ["2 x\ncompute", "4"])

    def test_curves_of_models_are_prefills_over_that_of_the_dense_schedule(self):
        dense, ladder = self.panels["models"]
        self.assertEqual([axes.get_title(loc="left") for axes in (dense, ladder)], ["H100, dense", "H100, ladder"])
        self.assertEqual(ticks(ladder.xaxis), ["256", "1024"])

        def prefills(study, mode):
            return [run["prefill_ns"] for point in self.results["points"] if point["study"] == f"H100, {study}"
                    for run in point["runs"] if run["mode"] == mode]

        base = prefills("dense", "sequential")[0]
        looks = [drawing.LOOKS[look] for *_, look in page.studies.MODEL_CURVES]
        for line, study, mode in zip(ladder.lines, ("none", "ladder", "", "ladder", "ladder, room for stores", ""),
                                     ("sequential", "sequential", "nvls", "t3-ag", "t3-ag", "t3-ag")):
            ran = prefills(study, mode)[:1]
            self.same(line.get_ydata(), ([base / ran[0]] if ran else [math.nan]) + [math.nan])
        self.assertEqual([line.get_color() for line in ladder.lines[:6]], [look["color"] for look in looks])
        self.same(dense.lines[2].get_ydata(), [base / prefills("dense, switch that adds", "nvls")[0]])

    def test_rows_name_their_numbers_without_a_negative_zero(self):
        axes = self.panels["headlines"][0]
        self.assertEqual([list(line.get_xdata()) for line in axes.lines], [[0.64, 1.3], [0.719, 1.2999]])
        self.assertEqual((ticks(axes.yaxis), texts(axes)), (["moved", "mean"], ["points", "+7.9", "0.0"]))
        axes = self.panels["sensitivity"][0]
        self.same([axes.patches[0].get_x(), axes.patches[0].get_width()], [-12.5, 12.49])
        self.assertEqual(texts(axes), ["lowest", "highest", "64", "256", "-12.5", "0.0"])
        self.assertIn("<b>71.9</b> % of the DRAM bytes of sequential; the paper says 64 %: +7.9 points.", self.page)
        self.assertIn("the paper says 1.30: 0.0 points.", self.page)
        self.assertNotRegex(self.page, r">-0(\.0*)?[<%]")

    def test_areas_of_the_traffic_are_bytes_of_a_window(self):
        runs = next(point["runs"] for point in self.results["points"] if point["part"] == "traffic")
        for axes, run in zip(self.panels["traffic"], runs[:3]):
            self.assertEqual(axes.get_title(loc="left"), run["mode"])
            for at, area in enumerate(axes.collections):
                tops = [sum(list(window.values())[:at + 1]) / 5000 for window in run["memory"]["bytes_over_time"]]
                seen = {(round(x, 6), round(y, 6)) for x, y in area.get_paths()[0].vertices}
                for window, top in enumerate(tops):
                    self.assertLessEqual({(5 * window, round(top, 6)), (5 * window + 5, round(top, 6))}, seen)
            self.same(axes.lines[0].get_xdata(), [run["per_gpu"][0]["gemm_end_ps"] * 1e-6] * 2)

    def test_the_timeline_has_a_bar_for_each_phase(self):
        axes = self.panels["all-gather-timeline"][0]
        runs = [run for point in self.results["points"] if point["part"] == "all-gather" and not point["study"] for run in point["runs"]][:3]
        self.assertEqual(ticks(axes.yaxis), [run["mode"] for run in runs])
        self.same([value for bar in axes.patches for value in (bar.get_x(), bar.get_x() + bar.get_width())],
                  [phase[end] * 1e-6 for run in runs for phase in run["phases"] for end in ("start_ps", "end_ps")])

    def test_the_curve_says_how_far_the_gemm_is_behind(self):
        """Alone, the GEMM reads 100 bytes in each of 4 windows; in t3 it takes 8 windows of 50. At the end of window w of t3 it
        has read w/8 of all, which alone took w/2 windows: it is w/2 windows of 5 us behind."""
        def run(windows):
            return SimpleNamespace(window_ns=5000, windows=[{"gemm_read": 400 // windows}] * windows)
        self.assertEqual(over_time.behind(run(8), run(4)), [(5 * w, 2.5 * w) for w in range(8)])

    def test_tables_have_the_numbers_of_the_runs(self):
        table = page.runs_of(self.found, "sublayers")
        rows = {(row[0], row[1]): row[2:] for row in table.rows}
        self.assertEqual(rows["T-NLG FC-2 TP 8", "t3"][:8], ["FAILED"] * 8)
        run = self.results["points"][0]["runs"][1]
        self.assertEqual(rows["Mega-GPT-2 FC-2 TP 8", "cu-split:8"][:7],
                         [f"{run['time_ps'] / 1e6:.1f}", f"{run['speedup']:.3f}", "0.0", "0.0", "0.0", "0.0", "0.0"])
        self.assertEqual(page.agreement(self.found).rows, [["p", "t3", "0.00", "1.00", "equal"]])

    @unittest.skipIf(shutil.which("chromium") is None, "no browser")
    def test_a_column_of_numbers_and_words_sorts_numbers_first_and_nothing_last(self):
        cells = ["b", "10", "", "9", "FAILED", "-1"]
        html = ("<table><thead><tr><th>x</th></tr></thead><tbody>" + "".join(f"<tr><td>{cell}</td></tr>" for cell in cells) +
                f"</tbody></table><script>{(ROOT / 'scripts' / 'reports' / 'sort.js').read_text()}</script>"
                "<script>const seen = () => [...document.querySelectorAll('td')].map(cell => cell.textContent).join();"
                "const click = () => { document.querySelector('button').click(); return seen(); };"
                "document.title = click() + '|' + click();</script>")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "page.html").write_text(html)
            done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                                   "--dump-dom", f"file://{folder}/page.html"], capture_output=True, text=True)
        self.assertIn("<title>-1,9,10,b,FAILED,|10,9,-1,FAILED,b,</title>", done.stdout)


if __name__ == "__main__":
    unittest.main()
