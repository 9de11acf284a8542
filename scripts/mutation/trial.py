# SPDX-License-Identifier: Apache-2.0
"""The copy of a source tree with faults: how it is built, and how its tests try one of them."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from faults import with_faults

HEADER = "t3_mutant.h"
# Of tests/, what needs a build of its own or tests nothing of tlm/ or testbench/.
LEFT_OUT = ("rtl", "consumer", "scripts")
# Tests, or whole suites, that cannot run under the limits of a trial. Under a limit of processor
# time Linux counts it in ticks, too coarse for a measured speed; a browser reserves more than MEMORY.
UNFIT = ("testbench/BenchCommand.ReportsEveryFigureOfTheMemoryWithItsUnit",
         "testbench/BenchCommand.MeasuresAllPartsUnlessSomeAreNamed",
         "testbench/ReportPage", "testbench/Viewer.")
MEMORY = 6 << 30      # bytes of address space for one test
FILE_SIZE = 1 << 30   # bytes of one file that a test writes


class Failure(Exception):
    pass


@dataclass
class Test:
    name: str
    command: list
    environment: dict
    cpu: float = 0.0             # seconds without a fault
    wall: float = 0.0
    reaches: frozenset = frozenset()


def write_if_changed(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or not path.exists() or path.read_bytes() != data:
        path.unlink(missing_ok=True)
        path.write_bytes(data)


class Copy:
    """The tree with the faults in place: `folder`/src, built in `folder`/out."""

    def __init__(self, tree, sources, folder, jobs):
        self.tree, self.sources, self.folder, self.jobs = tree, sources, folder, jobs
        self.source, self.out = folder / "src", folder / "out"
        self.processes, self.lock, self.stopped = set(), threading.Lock(), False

    # ---- the copy ----
    def write(self, faults):
        """`faults` by file. The rest of the tree is linked, tests/ copied."""
        self.source.mkdir(parents=True, exist_ok=True)
        wanted = {HEADER}
        write_if_changed(self.source / HEADER, (Path(__file__).parent / HEADER).read_bytes())
        for entry in sorted(self.tree.iterdir()):
            if entry.name.startswith(".") or entry.name == "build":
                continue
            wanted.add(entry.name)
            if entry.name in ("tlm", "testbench", "tests"):
                self.copy(entry, faults)
                continue
            link = self.source / entry.name
            if not link.is_symlink():
                link.symlink_to(os.path.relpath(entry, self.source))
        for entry in self.source.iterdir():
            if entry.name not in wanted:
                entry.unlink() if entry.is_symlink() or entry.is_file() else shutil.rmtree(entry)

    def copy(self, room, faults):
        kept = set()
        for path in sorted(room.rglob("*")):
            part = path.relative_to(self.tree)
            if not path.is_file() or (part.parts[0] == "tests" and part.parts[1] in LEFT_OUT):
                continue
            kept.add(part)
            if found := faults.get(str(part)):  # at places of the text as it was read
                data = with_faults(self.sources[str(part)].text, found, HEADER).encode()
            else:
                data = path.read_bytes()
            write_if_changed(self.source / part, data)
        for path in sorted((self.source / room.name).rglob("*")):
            if path.is_file() and path.relative_to(self.source) not in kept:
                path.unlink()

    # ---- the build ----
    def call(self, command, log):
        with open(log, "w") as file:
            return subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode

    def configure(self):
        log = self.folder / "configure.log"
        if self.call(["cmake", "-S", str(self.source), "-B", str(self.out), "-G", "Ninja",
                      "-DCMAKE_BUILD_TYPE=Mutants", "-DCMAKE_CXX_FLAGS_MUTANTS=-O1 -w"], log):
            raise Failure(tail("cmake failed", log))

    def build(self, folders):
        """Builds the tests of `folders` of tests/; returns the log, or None if all is well."""
        lists = [p.parent.relative_to(self.source)
                 for f in folders for p in (self.source / "tests" / f).rglob("CMakeLists.txt")]
        log = self.folder / "build.log"
        status = self.call(["ninja", "-C", str(self.out), f"-j{self.jobs}", "-k", "0",
                            *sorted({f"{f}/all" for f in lists})], log)
        return log if status else None

    def refused(self, log, faults):
        """The faults that the compiler's messages name, by whole paths or, as ccache has it, by paths
        from the folder of the build."""
        starts = (str(self.source), os.path.relpath(self.source, self.out))
        place = re.compile(f"(?:{'|'.join(map(re.escape, starts))})" +
                           r"/([^:\s]+):(\d+):(?:\d+:)? *(.*)")
        found = set()
        for block in log.read_text(errors="replace").split("FAILED: ")[1:]:
            named = {True: set(), False: set()}
            for match in place.finditer(block):
                line = int(match[2])
                for fault in faults.get(match[1], []):
                    source = self.sources[fault.file]
                    if source.line_of(fault.start) <= line <= source.line_of(fault.end):
                        named["error" in match[3].split(":")[0]].add(fault.id)
            found |= named[True] or named[False]
        if not found:
            raise Failure(tail("the build failed, and not by a fault", log))
        return found

    # ---- the tests ----
    def tests(self, folders):
        """The tests of `folders` of tests/, without the long ones."""
        listing = subprocess.run(["ctest", "--test-dir", str(self.out), "--show-only=json-v1"],
                                 stdout=subprocess.PIPE, text=True)
        if listing.returncode:
            raise Failure("ctest cannot list the tests")
        found = []
        for test in json.loads(listing.stdout)["tests"]:
            properties = {p["name"]: p["value"] for p in test.get("properties", [])}
            if not any(test["name"].startswith(f + "/") for f in folders) or \
                    "long" in properties.get("LABELS", []) or "command" not in test or \
                    test["name"].startswith(UNFIT):
                continue
            pairs = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
            found.append(Test(test["name"], test["command"], pairs))
        return found

    def run(self, test, fault, cpu_limit, wall_limit, reached=None):
        """('' if the test passes, else how it was noticed; CPU seconds; wall seconds)"""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = {k: v for k, v in os.environ.items() if not k.startswith("T3_")}
        environment |= test.environment
        if fault:
            environment["T3_MUTANT"] = f"{fault:x}"
        if reached:
            environment["T3_MUTANTS_REACHED"] = str(reached)
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="t3-mutate-", ignore_cleanup_errors=True) as place, \
                tempfile.TemporaryFile() as output:
            with self.lock:
                if self.stopped:
                    raise Failure("interrupted")
                process = subprocess.Popen(
                    test.command, cwd=place, env=environment | {"TMPDIR": place},
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                    preexec_fn=limit, start_new_session=True)
                self.processes.add(process.pid)
            timer = threading.Timer(wall_limit, self.kill, [process.pid])
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            with self.lock:
                self.processes.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.kill(process.pid)  # what it has started and left behind
            wall, cpu = time.monotonic() - start, usage.ru_utime + usage.ru_stime
            if process.returncode == 0:
                return "", cpu, wall
            if process.returncode == -signal.SIGXCPU or cpu >= cpu_limit or wall >= wall_limit:
                return f"{test.name}: out of time", cpu, wall
            output.seek(max(0, output.seek(0, 2) - 4000))
            text = output.read().decode(errors="replace")
        if process.returncode < 0:
            return f"{test.name}: signal {-process.returncode}", cpu, wall
        return test.name if "FAILED" in text else f"{test.name}: {last_line(text)}", cpu, wall

    def kill(self, group):
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def stop(self):
        """Ends everything that runs; run() raises from now on."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                self.kill(process)

    def baseline(self, tests):
        """Runs every test without a fault: its time, and the faults whose places it comes to."""
        cache = self.folder / "baseline.json"
        known = json.loads(cache.read_text()) if cache.exists() else {}
        programs, failing = {}, []

        def stamp(test):
            files = [Path(test.command[0]), self.out / "t3sim"]
            for file in files:
                if file not in programs:
                    programs[file] = file.stat().st_mtime_ns if file.exists() else 0
            return [programs[file] for file in files]

        def work(test):
            old = known.get(test.name)
            if old is None or old["stamp"] != stamp(test):
                with tempfile.NamedTemporaryFile(prefix="t3-mutate-") as reached:
                    noticed, cpu, wall = self.run(test, 0, 3600, 3600, reached.name)
                    ids = sorted({int(line, 16) for line in Path(reached.name).read_text().split()})
                if noticed:
                    failing.append(noticed)
                    return
                old = {"stamp": stamp(test), "cpu": cpu, "wall": wall, "reaches": ids}
                known[test.name] = old
            test.cpu, test.wall, test.reaches = old["cpu"], old["wall"], frozenset(old["reaches"])

        try:
            with ThreadPoolExecutor(self.jobs) as pool:
                list(pool.map(work, tests))
        finally:
            cache.write_text(json.dumps(known))
        if failing:
            raise Failure("fail without a fault: " + ", ".join(sorted(failing)))

    def attempt(self, fault, tests, effort):
        """How the first of `tests` that notices the fault does, or ''. Quick tests come first, and
        those that together take more than `effort` seconds of CPU time without a fault are left out."""
        spent = 0.0
        for test in sorted(tests, key=lambda t: t.cpu):
            if spent and spent + test.cpu > effort:
                break
            spent += test.cpu
            noticed, _, _ = self.run(test, fault.id, int(10 * test.cpu) + 2,
                                     40 * test.wall + 120)
            if noticed:
                return noticed
        return ""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:100] if lines else "no output"


def tail(what, log):
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if "error" in line][:10]
    return "\n".join([f"{what}, see {log}:", *("  " + line for line in errors or lines[-15:])])
