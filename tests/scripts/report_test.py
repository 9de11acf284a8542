# SPDX-License-Identifier: Apache-2.0
"""scripts/report on results of a small evaluation, whole and damaged.

Method: t3sim runs one part of the evaluation with --quick. Files and messages are judged from outside. What is drawn is tested
by report_drawing_test.py, what the page looks like in a browser (tests/testbench).
"""
import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
T3SIM = sys.argv[1]
sys.path.insert(0, str(ROOT / "scripts"))
from reports import files  # noqa: E402


def report(directory, **environment):
    done = subprocess.run([ROOT / "scripts" / "report", directory], capture_output=True, text=True, env=os.environ | environment)
    return done.returncode, done.stdout, done.stderr


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([T3SIM, "reproduce", "--quick", "--only", "traffic", "--tracker", "model", "--quiet", "--out", folder],
                           check=True)
            cls.text = (Path(folder) / "reproduce.json").read_text()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.results = json.loads(self.text)
        self.write(self.text)

    def write(self, text):
        (self.folder / "reproduce.json").write_text(text)

    def refused(self, *parts):
        """In one line that has these parts, and nothing is written."""
        before = sorted(self.folder.rglob("*"))
        code, output, error = report(self.folder)
        self.assertEqual((code, output, error.count("\n")), (2, "", 1), error)
        for part in parts:
            self.assertIn(part, error)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_a_part_alone_gives_a_page_with_what_is_there(self):
        code, output, error = report(self.folder)
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(output, f"{self.folder / 'report.html'}\n")
        page = (self.folder / "report.html").read_text()
        self.assertEqual(re.findall('<h2 id="(.*?)"', page), ["traffic", "runs", "origin"])
        self.assertIn("None of the runs of this page belongs to a headline", page)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"reproduce.json", "report.html", "figures"})
        self.assertEqual({path.name for path in (self.folder / "figures").iterdir()},
                         {"traffic.svg", "traffic.png", "traffic.csv"})
        self.assertEqual(page.count("<title>"), 1)
        self.assertNotIn("<title>", (self.folder / "figures" / "traffic.svg").read_text())
        # Figures of --quick say what they are worth wherever they are seen.
        self.assertIn("These figures say nothing about the paper.", page)
        self.assertRegex(page, 'aria-label="[^"]*The outputs are tiny')
        self.assertIn("tiny outputs (--quick)", (self.folder / "figures" / "traffic.svg").read_text())
        # Again, in place of what is there: the same.
        self.assertEqual(report(self.folder)[0], 0)
        self.assertEqual((self.folder / "report.html").read_text(), page)

    def test_data_of_the_traffic_are_those_of_the_results(self):
        self.assertEqual(report(self.folder)[0], 0)
        with (self.folder / "figures" / "traffic.csv").open() as text:
            rows = list(csv.DictReader(text))
        for run in self.results["points"][0]["runs"]:
            self.assertEqual([int(row["RS_writes_bytes"]) for row in rows if row["mode"] == run["mode"]],
                             [window["rs_write"] for window in run["memory"]["bytes_over_time"]])

    def test_a_failed_run_is_named_and_drawn_nowhere(self):
        self.results["points"][0]["runs"][1] |= {"status": "failed", "error": "GPU 1 is <stuck>"}
        self.results["quick"] = False
        self.write(json.dumps(self.results))
        self.assertEqual(report(self.folder)[0], 0)
        page = (self.folder / "report.html").read_text()
        self.assertIn("FAILED t-nlg-fc2-tp8, t3: GPU 1 is &lt;stuck&gt;", page)
        self.assertNotIn("us in t3,", page)
        self.assertNotIn("tiny", page)

    def test_bad_input_is_refused_in_a_line(self):
        speedup = "points[0].runs[0].speedup: expected a number from 1e-9 to 1e18, got "
        for text, part in ((self.text[:len(self.text) // 2], "damaged"), ("", "damaged"), ("[1]", "expected schema"),
                           ("\ufeff{}", "damaged"), ('{"schema": "t3sim-sweep/1"}', "got 't3sim-sweep/1'"),
                           (self.text.replace('"speedup": 1.0', '"speedup": NaN', 1), speedup + "NaN"),
                           (self.text.replace('"speedup": 1.0', '"speedup": 1e400', 1), speedup + "Infinity"),
                           (self.text.replace('"speedup": 1.0', '"speedup": ' + 400 * "9", 1), speedup + "9999"),
                           (self.text.replace('"speedup": 1.0', '"speedup": ' + 5000 * "9", 1), "damaged"),
                           ("[" * 100_000, "damaged")):
            self.write(text)
            self.refused("reproduce.json", part)
        (self.folder / "reproduce.json").unlink()
        self.refused("reproduce.json", "No such file", "t3sim reproduce --out")

    def with_member(self, path, change=None):
        """The results with another value at a path; without the member if there is no other value."""
        changed = json.loads(self.text)
        part = changed
        for step in path[:-1]:
            part = part[step]
        if change is None:
            del part[path[-1]]
        else:
            part[path[-1]] = change
        return json.dumps(changed)

    def test_members_that_are_missing_or_of_another_kind_are_refused(self):
        run = ("points", 0, "runs", 0)
        for path, where in ((("summary", "ranges"), "summary.ranges"), (("host",), "host"),
                            (("points", 0, "model"), "points[0].model"),
                            ((*run, "phase_ns", "gemm"), "points[0].runs[0].phase_ns.gemm"),
                            ((*run, "memory", "bytes_over_time", 0, "rs_read"),
                             "points[0].runs[0].memory.bytes_over_time[0].rs_read")):
            self.write(self.with_member(path))
            self.refused("reproduce.json", f"{where.rpartition('.')[0] or 'all of it'}: has no '{path[-1]}'; if an older t3sim")
            self.write(self.with_member(path, "text" if path[-1] != "model" else 7))
            self.refused("reproduce.json", f"{where}: expected ", ", got ")

    def test_values_that_cannot_be_drawn_are_refused(self):
        run = ("points", 0, "runs", 1)
        for path, change, part in (
                ((*run, "memory", "window_ns"), 0, "points[0].runs[1].memory.window_ns: expected a number from 1e-9 to 1e18, got 0"),
                ((*run, "per_gpu", 0, "gemm_end_ps"), 0, "runs[1].per_gpu[0].gemm_end_ps: expected a number from 1e-9"),
                ((*run, "time_ps"), 10**400, "runs[1].time_ps: expected a whole number from 0 to 1e18, got 1000"),
                ((*run, "time_ps"), -1, "got -1"), ((*run, "time_ps"), True, "got true"),
                ((*run, "host", "wall_s"), float("inf"), "got Infinity"),
                (("points", 0, "model"), "\ud800", "points[0].model: expected text without control characters"),
                (("points", 0, "settings"), {"gpus": "\0"}, "points[0].settings.gpus: expected text"),
                (("summary", "headlines", 0), {**self.results["summary"]["headlines"][0], "ours": 1.0, "difference_points": None},
                 "summary.headlines[0].difference_points: expected a number from -1e15 to 1e15, got null")):
            self.write(self.with_member(path, change))
            self.refused("reproduce.json", part)

    def test_files_of_somebody_else_stay(self):
        (self.folder / "figures").mkdir()
        for name in ("report.html", "figures/traffic.svg", "figures/traffic.png", "figures/traffic.csv"):
            (self.folder / name).write_text("<p>mine</p>")
            self.refused(name, "expected no file of this name but one of scripts/report")
            self.assertEqual([path.read_text() for path in self.folder.rglob("*.*") if path.name != "reproduce.json"], ["<p>mine</p>"])
            (self.folder / name).unlink()
        (self.folder / "figures" / "other.svg").write_text("<p>mine</p>")
        self.assertEqual(report(self.folder)[0], 0)
        self.assertEqual((self.folder / "figures" / "other.svg").read_text(), "<p>mine</p>")

    def test_files_appear_together_whatever_happens(self):
        contents = {self.folder / name: name.encode() for name in ("one", "two")}
        replace = os.replace

        def interrupted(*names):
            signal.raise_signal(signal.SIGINT)
            replace(*names)

        with unittest.mock.patch("os.replace", interrupted), self.assertRaises(KeyboardInterrupt):
            files.write(contents)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"reproduce.json", "one", "two"})
        with self.assertRaises(OSError):
            files.write({self.folder / "three": b"", self.folder / "one" / "four": b""})
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"reproduce.json", "one", "two"})

    def test_an_interrupt_leaves_all_or_nothing(self):
        # Before Python has begun the script, its own answer to an interrupt is a traceback.
        begin = time.monotonic()
        subprocess.run([ROOT / "scripts" / "report", "--help"], stdout=subprocess.DEVNULL, check=True)
        started = 2 * (time.monotonic() - begin)
        for seconds in (started, started + 0.5):
            drawing = subprocess.Popen([ROOT / "scripts" / "report", self.folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(seconds)
            drawing.send_signal(signal.SIGINT)
            _, error = drawing.communicate()
            self.assertIn(drawing.returncode, (0, 130), error)
            self.assertEqual(error, "")
            names = {path.name for path in self.folder.rglob("*")} - {"reproduce.json"}
            self.assertIn(names, (set(), {"report.html", "figures", "traffic.svg", "traffic.png", "traffic.csv"}))

    def test_nothing_is_said_without_a_home(self):
        code, _, error = report(self.folder, HOME="/dev/null/home", XDG_CACHE_HOME="", MPLBACKEND="nonsense")
        self.assertEqual((code, error), (0, ""))

    def test_an_output_that_cannot_be_written_is_said(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([ROOT / "scripts" / "report", self.folder], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "scripts/report: cannot be written: No space left on device\n"))

    def test_a_package_that_is_missing_is_named(self):
        (self.folder / "jinja2.py").write_text("raise ImportError('broken')")
        code, _, error = report(self.folder, PYTHONPATH=str(self.folder))
        self.assertEqual(code, 1)
        self.assertEqual(error, "scripts/report: broken; it needs the Debian packages python3-matplotlib, python3-jinja2 and "
                                "fonts-dejavu-core\n")

    @unittest.skipIf(os.geteuid() == 0, "root writes everywhere")
    def test_a_directory_that_cannot_be_written_is_said(self):
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        code, _, error = report(self.folder)
        self.assertEqual((code, error.count("\n")), (1, 1), error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
