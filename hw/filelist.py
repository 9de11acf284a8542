#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a list of RTL sources, for every tool of hw/.

  hw/filelist.py FILE…                   the sources that the lists name, in order
  hw/filelist.py --include-dirs FILE…    their folders of headers
  hw/filelist.py --headers FILE…         the headers in these
  --unit NAME                            the first list has to declare the module NAME

A line is a path, or +incdir+ and a folder, relative to the list's own folder or to the one above it:
simulators read rtl/t3_track_trigger.f with -f in the top folder. `//` and `#` begin a comment. A list is
refused, with one line and exit code 2, if it is not there, names nothing, names what is not there, names
two files that are called the same (tools work on copies in one folder), has no module NAME, or is none of the
lists in rtl/ and names files of rtl/ alone, as one that was copied with rtl/ does.
cmake/T3Verilate.cmake and cmake/T3TrackerList.cmake read the same for CMake.
"""
import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OURS = ROOT / "rtl" / "t3_track_trigger.f"
# The lists in rtl/, by the module on top.
UNITS = {"t3_track_trigger": OURS} | {
    name: ROOT / "rtl" / f"{name}.f" for name in ("t3_tracker", "t3_switch_merge", "t3_stack_join", "t3_block_codec")}


@dataclass
class FileList:
    """Paths are relative to the project where they are inside: tools run there."""
    files: list = field(default_factory=list)
    include_dirs: list = field(default_factory=list)

    def words(self, project=""):
        """As arguments of Yosys and Icarus, which run in the project, or where `project` leads to it."""
        return " ".join([*(f"-I{Path(project) / directory}" for directory in self.include_dirs),
                         *(str(Path(project) / file) for file in self.files)])

    def headers(self):
        """.vh and .svh"""
        return [directory / header.name for directory in self.include_dirs
                for header in sorted((ROOT / directory).glob("*.*vh"))]

    def copy_to(self, folder):
        """All files and headers, side by side in a new folder."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in (*self.headers(), *self.files):
            shutil.copy(ROOT / file, folder)


def refuse(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def read(path, unit=None):
    """The list in `path`, which has to declare the module `unit`."""
    path = Path(path)
    if not path.is_file():
        refuse(f"{path}: no such file list")
    found = FileList()
    for line in path.read_text().splitlines():
        line = re.sub(r"(//|#).*", "", line).strip()
        if not line:
            continue
        name = line.removeprefix("+incdir+")
        folders = (path.parent, path.parent / "..")
        target = next((Path(os.path.abspath(folder / name)) for folder in folders if (folder / name).exists()), None)
        if target is None:
            refuse(f"{path}: no such file: {name}")
        if target.is_relative_to(ROOT):
            target = target.relative_to(ROOT)
        if name != line:
            found.include_dirs.append(target)
        elif any(target.name == other.name for other in found.files):
            refuse(f"{path}: two files are called {target.name}")
        else:
            found.files.append(target)
    if not found.files:
        refuse(f"{path}: names no file")
    if all(file.is_relative_to("rtl") for file in found.files) and not any(map(path.samefile, UNITS.values())):
        refuse(f"{path}: names files of rtl/ alone: the list of a copy names the copy's")
    if unit and not any(re.search(rf"^\s*module\s+{unit}\b", (ROOT / file).read_text(), re.M) for file in found.files):
        refuse(f"{path}: has no module {unit}")
    return found


def main():
    words = sys.argv[1:]
    unit = None
    if words[:1] == ["--unit"]:
        unit, words = words[1:2], words[2:]
        unit = unit[0] if unit else refuse("--unit: expected the name of a module")
    what = words.pop(0) if words[:1] in (["--include-dirs"], ["--headers"]) else ""
    if not words or words[0] == "--help":
        print(__doc__.strip())
        sys.exit(0 if words == ["--help"] else 2)
    for name in words:
        found = read(name, unit)
        unit = None
        chosen = {"--include-dirs": found.include_dirs, "--headers": found.headers()}.get(what, found.files)
        print("\n".join(map(str, chosen)))


if __name__ == "__main__":
    main()
