#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a list of RTL sources, for every tool of hw/.

  hw/filelist.py FILE…                   the sources that the lists name, in order
  hw/filelist.py --include-dirs FILE…    their folders of headers

A line is a path, or +incdir+ and a folder, relative to the list's own folder or to the one above it:
simulators read rtl/t3_track_trigger.f with -f in the top folder. `//` and `#` begin a comment. A list is
refused, with one line and exit code 2, if it is not there, names nothing, names what is not there, names
two files that are called the same (tools work on copies in one folder), or is another list than
rtl/t3_track_trigger.f and names files of rtl/ alone, as one that was copied with rtl/ does.
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


@dataclass
class FileList:
    """Paths are relative to the project where they are inside: tools run there."""
    files: list = field(default_factory=list)
    include_dirs: list = field(default_factory=list)

    def words(self, project=""):
        """As arguments of Yosys and Icarus, which run in the project, or where `project` leads to it."""
        return " ".join([*(f"-I{Path(project) / directory}" for directory in self.include_dirs),
                         *(str(Path(project) / file) for file in self.files)])

    def copy_to(self, folder):
        """All files and headers, side by side in a new folder."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for directory in self.include_dirs:
            for header in (ROOT / directory).glob("*.*vh"):  # .vh and .svh
                shutil.copy(header, folder)
        for file in self.files:
            shutil.copy(ROOT / file, folder)


def refuse(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def read(path):
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
    if all(file.parent == Path("rtl") for file in found.files) and not path.samefile(OURS):
        refuse(f"{path}: names files of rtl/ alone: the list of a copy names the copy's")
    return found


def main():
    words = sys.argv[1:]
    dirs = words[:1] == ["--include-dirs"]
    if not words[dirs:] or words[0] == "--help":
        print(__doc__.strip())
        sys.exit(0 if words == ["--help"] else 2)
    for name in words[dirs:]:
        found = read(name)
        print("\n".join(map(str, found.include_dirs if dirs else found.files)))


if __name__ == "__main__":
    main()
