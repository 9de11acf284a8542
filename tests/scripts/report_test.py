# SPDX-License-Identifier: Apache-2.0
"""scripts/report on results of a small evaluation, whole and damaged.

Method: t3sim runs one part of the evaluation with --quick. Files and messages are judged from outside; how far a GEMM is behind
is compared with what follows from made windows. What the page looks like is tested in a browser (tests/testbench).
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
T3SIM = sys.argv[1]


def report(directory):
    done = subprocess.run([ROOT / "scripts" / "report", directory], capture_output=True, text=True)
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
        before = sorted(self.folder.iterdir())
        code, output, error = report(self.folder)
        self.assertEqual((code, output, error.count("\n")), (2, "", 1), error)
        for part in parts:
            self.assertIn(part, error)
        self.assertEqual(sorted(self.folder.iterdir()), before)

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
        for text, part in ((self.text[:len(self.text) // 2], "damaged"), ("", "damaged"), ("[1]", "expected schema"),
                           ("\ufeff{}", "damaged"), ('{"schema": "t3sim-sweep/1"}', "got 't3sim-sweep/1'"),
                           (self.text.replace('"speedup": 1', '"speedup": NaN', 1), "NaN is no number"),
                           ("[" * 100_000, "damaged")):
            self.write(text)
            self.refused("reproduce.json", part)
        (self.folder / "reproduce.json").unlink()
        self.refused("reproduce.json", "No such file", "t3sim reproduce --out")

    def test_members_that_are_missing_or_of_another_kind_are_refused(self):
        for path in (("summary", "ranges"), ("host",), ("points", 0, "model"), ("points", 0, "runs", 1, "phase_ns", "gemm"),
                     ("points", 0, "runs", 0, "memory", "bytes_over_time", 0, "rs_read")):
            for change in (None, "text"):
                changed = json.loads(self.text)
                part = changed
                for step in path[:-1]:
                    part = part[step]
                if change is None:
                    del part[path[-1]]
                elif path[-1] != "model":
                    part[path[-1]] = change
                else:
                    part[path[-1]] = 7
                self.write(json.dumps(changed))
                self.refused("reproduce.json", f"has no '{path[-1]}'; if an older t3sim" if change is None else "damaged")

    def test_a_page_of_somebody_else_stays(self):
        (self.folder / "report.html").write_text("<p>mine</p>")
        self.refused("report.html", "expected no file of this name but a report")
        self.assertEqual((self.folder / "report.html").read_text(), "<p>mine</p>")

    @unittest.skipIf(os.geteuid() == 0, "root writes everywhere")
    def test_a_directory_that_cannot_be_written_is_said(self):
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        code, _, error = report(self.folder)
        self.assertEqual((code, error.count("\n")), (1, 1), error)

    def test_the_curve_says_how_far_the_gemm_is_behind(self):
        """Alone, the GEMM reads 100 bytes in each of 4 windows; in t3 it takes 8 windows of 50. At the end of window w of t3 it
        has read w/8 of all, which alone took w/2 windows: it is w/2 windows of 5 us behind."""
        made = ("import sys; sys.path.insert(0, 'scripts'); from types import SimpleNamespace as Run; "
                "from reports.over_time import behind; "
                "run = lambda n: Run(window_ns=5000, windows=[{'gemm_read': 400 // n}] * n); print(behind(run(8), run(4)))")
        done = subprocess.run(["/usr/bin/python3", "-c", made], cwd=ROOT, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout.replace("(", "[").replace(")", "]")), [[5 * w, 2.5 * w] for w in range(8)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
