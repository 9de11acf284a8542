# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/fuzz: programs that misbehave in one way each, in place of t3sim, must be found out,
and one that behaves must not. Each takes its schema and its scenario from the real program.

  fuzz_test.py T3SIM
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

T3SIM = Path(sys.argv[1]).resolve()
FUZZ = Path(__file__).resolve().parents[2] / "scripts" / "fuzz"


class Fuzz(unittest.TestCase):
    def fuzz(self, body, *words, runs=5):
        """Runs scenarios with a shell script that does `body` in place of `t3sim run`."""
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "program"
            program.write_text("#!/bin/bash\n"
                               f'case "$1" in schema | presets) exec {T3SIM} "$@" ;; esac\n{body}\n')
            os.chmod(program, 0o755)
            return subprocess.run([FUZZ, "--program", program, "--jobs", "1", "--runs", str(runs),
                                   "--kind", "scenario", *words], capture_output=True, text=True)

    def found(self, reason, body, *words, runs=5):
        done = self.fuzz(body, *words, runs=runs)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(reason, done.stdout)
        # One of five may have planted a fault.
        self.assertRegex(done.stdout, "[45] finding" if runs == 5 else f"{runs} finding")

    def test_the_real_program_behaves(self):
        done = self.fuzz(f'exec {T3SIM} "$@"')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("fuzz: 5 runs", done.stdout)

    def test_a_signal_is_found(self):
        self.found("signal: SIGSEGV", "kill -SEGV $$")

    def test_a_message_from_inside_is_found(self):
        self.found("message from inside", "echo 't3sim: std::out_of_range' >&2; exit 1")

    def test_a_failure_without_a_planted_fault_is_found(self):
        self.found("failed:", "echo 't3sim: t3: bytes are missing' >&2; exit 1")

    def test_a_failure_without_a_word_is_found(self):
        self.found("failed without a word", "exit 1")

    def test_two_lines_of_refusal_are_found(self):
        self.found("no one line", "echo 't3sim: a' >&2; echo 'b' >&2; exit 2")

    def test_a_file_beside_a_refusal_is_found(self):
        self.found("left behind", "echo > result.json.t3-x; echo 't3sim: a' >&2; exit 2")

    def test_a_missing_result_is_found(self):
        self.found("missing: ['result.json']", "exit 0")

    def test_words_in_spite_of_quiet_are_found(self):
        self.found("not quiet", "echo done")

    def test_figures_that_are_not_numbers_are_found(self):
        self.found("nonsense: NaN", """echo '{"schema": "t3sim/1", "runs": [{"time_ps": NaN}]}' > result.json""")

    def test_a_result_below_its_bound_is_found(self):
        self.found("faster than its bound",
                   """echo '{"schema": "t3sim/1", "runs": [{"status": "ok", "error": null, "time_ps": 5,
"time_ns": 0.005, "bound_ns": {"total": 1}, "phase_ns": {"gemm": 1}}]}' > result.json""")

    # A hang takes its limit and its patience each time that it is made smaller: one of them, with one
    # setting to leave out, is enough. A second is time for a shell to begin on a busy machine.
    HANG = ("--limit", "1", "--patience", "0.2", "--seed", "5")

    def test_a_hang_is_found(self):
        self.found("hang", "trap '' INT; while :; do sleep 0.1; done", *self.HANG, runs=1)

    def test_so_is_one_that_works_for_ever(self):
        self.found("hang", "trap '' INT; while :; do :; done", *self.HANG, runs=1)

    def test_what_ends_when_interrupted_is_no_hang(self):
        done = self.fuzz("trap 'exit 130' INT; while :; do sleep 0.1; done", "--limit", "0.2")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("5 interrupted", done.stdout)

    def test_a_finding_is_made_small_and_can_be_repeated(self):
        body = 'case "$*" in *topology=switch*) kill -SEGV $$ ;; esac; echo "t3sim: no" >&2; exit 2'
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "program"
            program.write_text("#!/bin/bash\n"
                               f'case "$1" in schema | presets) exec {T3SIM} "$@" ;; esac\n{body}\n')
            os.chmod(program, 0o755)
            words = [FUZZ, "--program", program, "--jobs", "1", "--kind", "scenario"]
            done = subprocess.run([*words, "--runs", "100"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            command = next(line for line in done.stdout.splitlines() if line.startswith("  t3sim"))
            self.assertEqual(re.findall(r"--set (\S+)", command), ["fabric.topology=switch"])
            index = re.search(r"--only (\d+)", done.stdout).group(1)
            again = subprocess.run([*words, "--only", index], capture_output=True, text=True)
            self.assertEqual(again.returncode, 1)
            self.assertIn("signal: SIGSEGV", again.stdout)

    def test_a_run_of_a_seed_is_always_the_same(self):
        body = 'echo "t3sim: $*" >&2; exit 1'
        first, second = (self.fuzz(body, "--seed", "7").stdout for _ in range(2))
        strip = re.compile(r"in \d+ s")
        self.assertEqual(strip.sub("", first), strip.sub("", second))
        self.assertNotEqual(strip.sub("", first), strip.sub("", self.fuzz(body, "--seed", "8").stdout))

    def test_a_program_that_is_not_there_is_refused(self):
        done = subprocess.run([FUZZ, "--program", "/none"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
