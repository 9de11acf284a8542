# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/ as a book: the start page lists every page once, no page is long, every page of
measurements names the commit of its figures, every link leads somewhere, and every command that a
page shows is accepted by the program.

Method of the last: the commands of a page are run by a shell, in their order and in one directory.
One that takes long is interrupted; it must not have been refused. Commands with words in capitals
(FILE, PRESET) are for the reader to complete. What the examples that begin with "$" print is compared
by tests/testbench/documented_test.cpp.

  pages_test.py T3SIM [Book.test_…]
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

T3SIM = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parents[2]
MEASUREMENTS = sorted((ROOT / "docs" / "measurements").glob("*.md"))
PAGES = sorted((ROOT / "docs").glob("*.md")) + MEASUREMENTS
LINES = 450  # of a page, at most
LONGEST = 2  # seconds, then a command is interrupted
# What the text of a page tells the reader to write first.
FILES = {"rows": "0x0 READ 0\n"}


def anchors(page):
    """Of the headings, as the usual renderers make them."""
    found = set()
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            text = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(text.replace(" ", "-"))
    return found


def links(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    return re.findall(r"\]\(([^)\s]+)\)", text)


def commands(page):
    """(line, command) of every t3sim command in a block of code."""
    block, goes_on = False, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            block = not block
            continue
        if not block and not line.startswith("    "):
            continue
        line = goes_on + line.strip()
        goes_on = ""
        if line.endswith("\\"):
            goes_on = line[:-1]
            continue
        if line.startswith("t3sim "):
            yield number, re.sub(r"\s+#.*", "", line)


class Book(unittest.TestCase):
    def test_the_start_page_lists_every_page_once(self):
        start = ROOT / "docs" / "book.md"
        listed = [link for link in links(start) if not link.startswith("..")]
        pages = [str(page.relative_to(start.parent)) for page in PAGES if page != start]
        self.assertEqual(sorted(listed), sorted(pages))

    def test_no_page_is_long(self):
        for page in PAGES:
            with self.subTest(page=page.name):
                self.assertLessEqual(len(page.read_text().splitlines()), LINES)

    def test_measurements_name_their_commits(self):
        self.assertTrue(MEASUREMENTS)
        for page in MEASUREMENTS:
            with self.subTest(page=page.name):
                self.assertTrue(re.search(r"\bcommits?[ |`]+[0-9a-f]{7}\b", page.read_text(), re.I))

    def test_every_link_leads_somewhere(self):
        for page in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
            for link in links(page):
                if re.match(r"[a-z]+:", link):
                    continue  # on other sites
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(target.exists())
                    if anchor and target.suffix == ".md":
                        self.assertIn(anchor, anchors(target))

    def test_every_command_is_accepted(self):
        tried = 0
        for page in PAGES:
            with tempfile.TemporaryDirectory() as directory:
                for shipped in ("collectives", "workloads"):
                    os.symlink(ROOT / shipped, Path(directory) / shipped)
                os.symlink(T3SIM, Path(directory) / "t3sim")
                for name, text in FILES.items():
                    (Path(directory) / name).write_text(text)
                for number, command in commands(page):
                    if re.search(r"\b[A-Z]{4,}\b", command):
                        continue
                    with self.subTest(page=page.name, line=number, command=command):
                        tried += 1
                        code, error = self.run_briefly("./" + command, directory)
                        self.assertIn(code, (0, 1, 130), error)
        self.assertGreater(tried, 20)

    @staticmethod
    def run_briefly(command, directory):
        process = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=directory, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            error = process.communicate(timeout=LONGEST)[1]
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=60)[1]
        return process.returncode, error


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
