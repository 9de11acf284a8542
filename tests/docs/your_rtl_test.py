# SPDX-License-Identifier: Apache-2.0
"""docs/your-rtl.md: every command with a "$" is run, in the order of the page, in a copy of the project, and must
print what the page shows: line by line, where "…" stands for any text and, alone on a line, for any lines. A
command fails if and only if the page shows a failure. Each `sed` must change its file.

  your_rtl_test.py           up to the build, which takes minutes
  your_rtl_test.py --build   all of them
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "your-rtl.md"
FAILURE = re.compile(r"^t3sim: |FAILED")


def commands():
    """(command, lines shown) of every example."""
    found = []
    for block in re.findall(r"^```\n(.*?)^```", PAGE.read_text(), re.M | re.S):
        shown = []
        for line in block.splitlines():
            if line.startswith("$ "):
                shown = []
                found.append((line[2:], shown))
            else:
                shown.append(line)
    return found


def pattern(shown):
    """What is printed, as a regular expression; it may begin with lines that the page leaves out."""
    lines = ["(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + "[ ]*\n" for line in shown]
    return "(?:.*\n)*" + "".join(lines)


def main():
    everything = sys.argv[1:] == ["--build"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("T3_", "GTEST_"))}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "t3"
        shutil.copytree(ROOT, copy, symlinks=True, ignore=lambda path, names: [
            name for name in names if Path(path) == ROOT and name in (".git", "build", "my-rtl")])
        count = 0
        for command, shown in commands():
            where = f"docs/{PAGE.name}: {command}"
            edits = command.startswith("sed -i ")
            if not everything and re.match(r"cmake --build|build/|ctest", command):
                continue
            file = copy / command.split()[-1]
            before = file.read_text() if edits else ""
            done = subprocess.run(["bash", "-c", command], cwd=copy, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            said = done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"
            fails = any(FAILURE.search(line) for line in shown)
            if (done.returncode != 0) != fails:
                sys.exit(f"{where}\nended with {done.returncode}:\n{said}")
            if shown and not re.search(pattern(shown), said):
                sys.exit(f"{where}\nprinted\n{said}")
            if edits and file.read_text() == before:
                sys.exit(f"{where}\nchanged nothing")
            count += 1
        if count == 0:
            sys.exit(f"{PAGE}: no commands")
        print(f"{count} commands of docs/{PAGE.name}")


if __name__ == "__main__":
    main()
