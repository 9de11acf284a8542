#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the unit's RTL with the mistakes of planted.toml in it, one of which is chosen when it runs.

  plant.py LIST OUT    reads the file list LIST, writes the copies and their list, OUT/planted.f

Each mistake has a place: `file`, and `before`, a text that is there once. `after` stands there instead, where
ON is true if this mistake is chosen: `(t3_planted_pkg::chosen == N)`, N counts from 1 in the order of the file.
"""
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = """// Which mistake of this copy is at work; 0 is none.
package t3_planted_pkg;
  import "DPI-C" function int t3_planted_mistake();
  int chosen = t3_planted_mistake();
endpackage
"""


def main():
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run([HERE.parents[1] / "hw" / "filelist.py", source], check=True, text=True,
                            stdout=subprocess.PIPE, cwd=HERE.parents[1]).stdout.split()
    texts = {Path(name).name: (HERE.parents[1] / name).read_text() for name in listed}
    mistakes = tomllib.loads((HERE / "planted.toml").read_text())
    for number, (name, mistake) in enumerate(mistakes.items(), 1):
        text = texts[mistake["file"]]
        if text.count(mistake["before"]) != 1:
            sys.exit(f"planted.toml: {name}: {mistake['file']} has {text.count(mistake['before'])} times: "
                     f"{mistake['before']}")
        after = re.sub(r"\bON\b", f"(t3_planted_pkg::chosen == {number})", mistake["after"])
        texts[mistake["file"]] = text.replace(mistake["before"], after)
    (out / "t3_planted_pkg.sv").write_text(PACKAGE)
    for name, text in texts.items():
        (out / name).write_text(text)


if __name__ == "__main__":
    main()
