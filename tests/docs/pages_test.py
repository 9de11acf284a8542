# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/ as a book: the start page lists every page once, no page is long, every page of
measurements names the commit of its figures, every link leads somewhere, and every command that a
page shows is accepted by the program.

Method of the last: a shell runs each command, after those earlier ones of the page that write the
files it reads, and beside the files that the page shows. On the pages for a first hour most commands
end; one that takes long, in processor time, is interrupted, and must not have been refused. scripts/run
stands for the comparison that it ends with.
Commands with words in capitals (FILE, PRESET) are for the reader to complete. What the examples that
begin with "$" print is compared by tests/testbench/documented_test.cpp.

The program under test is built as scripts/run builds it: only the tests are more.

  pages_test.py T3SIM             pages and links
  pages_test.py T3SIM PART PARTS  every PARTSth command, from number PART on
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

T3SIM = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parents[2]
MEASUREMENTS = sorted((ROOT / "docs" / "measurements").glob("*.md"))
PAGES = sorted((ROOT / "docs").glob("*.md")) + MEASUREMENTS
LINES = 450  # of a page, at most
FIRST_HOUR = ("README.md", "getting-started.md", "debugging.md", "evaluation.md")
LONGEST, LONG_ENOUGH = 2.5, 0.5  # seconds of processor time, then a command is interrupted; of those pages, and of others
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
    """(line, command) of every t3sim command in a block of code; the program is ./t3sim."""
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
        line = re.sub(r"\s+#.*", "", line)
        if line.startswith("scripts/run"):
            scenario = "" if "--preset" in line else " --preset t-nlg-fc2-tp8"
            if scenario and "--gpus" not in line:
                scenario += " --gpus symmetric"
            line = f"t3sim compare{scenario}" + line.removeprefix("scripts/run")
        line = line.removeprefix("build/release/")
        if line.startswith("t3sim ") and not re.search(r"\b[A-Z]{4,}\b", line):
            yield number, "./" + line


def files_of(command):
    """What it writes."""
    found = re.findall(r"> *(\S+)|--(?:json|csv|out|wave) (\S+)", command)
    return {name for names in found for name in names if name}


def with_preparation(listed):
    """(line, commands) of every command: it, after those before it that write what it reads."""
    for at, (number, command) in enumerate(listed):
        words = set(re.split(r"[\s=]+", command)) - files_of(command)
        yield number, [before for _, before in listed[:at] if files_of(before) & words] + [command]


def shown_files(page):
    """Name and text of files that a page shows in a block behind a line that begins with "This is"."""
    return re.findall(r"^This is `([\w.]+)`[^\n]*\n\n```\w+\n(.*?)```", page.read_text(), flags=re.M | re.S)


def processor_seconds(session):
    """Of all processes of a session that are alive, and of those that these have waited for."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


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


class Commands(unittest.TestCase):
    part = parts = 0

    def test_every_command_is_accepted(self):
        every = [(page, *one) for page in [ROOT / "README.md", *PAGES]
                 for one in with_preparation(list(commands(page)))]
        pages = {page.name for page, *_ in every}
        self.assertLessEqual(set(FIRST_HOUR), pages)
        mine = every[self.part - 1::self.parts]
        self.assertTrue(mine)
        for page, number, sequence in mine:
            longest = LONGEST if page.name in FIRST_HOUR else LONG_ENOUGH
            with self.subTest(page=page.name, line=number, command=sequence[-1]), \
                    tempfile.TemporaryDirectory() as directory:
                os.symlink(ROOT / "data", Path(directory) / "data")
                os.symlink(T3SIM, Path(directory) / "t3sim")
                for name, text in [*FILES.items(), *shown_files(page)]:
                    (Path(directory) / name).write_text(text)
                for command in sequence:
                    code, error = self.run_briefly(command, directory, longest)
                self.assertIn(code, (0, 130), error)

    @staticmethod
    def run_briefly(command, directory, longest):
        with tempfile.TemporaryFile("w+") as error:
            process = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=directory, start_new_session=True,
                                       stdout=subprocess.DEVNULL, stderr=error)
            while process.poll() is None:
                if processor_seconds(process.pid) >= longest:
                    process.send_signal(signal.SIGINT)
                    process.wait(timeout=600)
                time.sleep(0.02)
            error.seek(0)
            return process.returncode, error.read()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        Commands.part, Commands.parts = int(sys.argv[2]), int(sys.argv[3])
    unittest.main(argv=[sys.argv[0], "Commands" if Commands.parts else "Book"])
