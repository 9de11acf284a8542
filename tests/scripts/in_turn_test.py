# SPDX-License-Identifier: Apache-2.0
"""scripts/in-turn on commands of known cost.

Method: one command computes a sum ten times as long as the other. The order of the runs is read from a file that both append
to; ratios and failures from what it prints and writes.
"""
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONG = "for ((i = 0; i < 200000; ++i)); do :; done"


class InTurn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def call(self, *arguments):
        done = subprocess.run([ROOT / "scripts" / "in-turn", *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_commands_run_in_turn(self):
        log = self.folder / "log"
        self.assertEqual(self.call("--runs", "3", f"echo a >>{log}", f"echo b >>{log}")[0], 0)
        self.assertEqual(log.read_text().split(), ["a", "b"] * 3)

    def test_processor_time_is_that_of_all_processes(self):
        file = self.folder / "figures.json"
        code, text = self.call("--runs", "3", "--json", str(file), ":", f"bash -c '{LONG}'; :")
        self.assertEqual(code, 0)
        first, second = json.loads(file.read_text())
        self.assertEqual(first["cpu_ratio"], {"median": 1, "least": 1, "most": 1})
        self.assertGreater(second["cpu_ratio"]["least"], 2)
        self.assertGreater(second["cpu_s"]["least"], first["cpu_s"]["least"])
        self.assertIn("x the first", text)

    def test_a_command_that_fails_ends_it(self):
        code, text = self.call(":", "exit 3")
        self.assertEqual(code, 1)
        self.assertIn("exit 3: ends with 3", text)

    def test_wrong_usage(self):
        self.assertEqual(self.call("--runs", "0", ":")[0], 2)
        self.assertEqual(self.call()[0], 2)


if __name__ == "__main__":
    unittest.main()
