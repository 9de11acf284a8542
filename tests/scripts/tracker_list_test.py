# SPDX-License-Identifier: Apache-2.0
"""Another unit than rtl/, from a list of one's own: T3_TRACKER_LIST of CMake, --list and --unit of the programs of hw/.

Method: lists with a mistake, which each reader must refuse with the same line; and a unit that has all
files of rtl/ in their place but one, a changed copy in another folder. What reads the list must see the
change, and only there. The build of such a unit is tested by tests/docs/your_rtl_test.py.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hw"))
import filelist  # noqa: E402

PROGRAMS = ("lint/run", "icarus/run", "formal/run", "synth/run", "synth/state", "example/run")
# Those of them that know both units.
OF_BOTH = ("lint/run", "icarus/run", "formal/run", "synth/run")
# A small module of the tracker, and one of the merge unit, that have a proof of their own.
CHANGED = "t3_arb_rr.sv"
OF_MERGE = "switch/t3_multicast.sv"


def call(*command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Lists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build = tempfile.TemporaryDirectory()
        cls.addClassCleanup(build.cleanup)
        cls.build = Path(build.name)  # in which CMake looks for compilers once

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, *lines):
        path = self.folder / "my.f"
        path.write_text("\n".join(lines) + "\n")
        return path

    def changed(self, *edits, file=CHANGED, unit="t3_track_trigger"):
        """A list of a unit of rtl/ with a changed copy of one file."""
        text = (ROOT / "rtl" / file).read_text()
        for old, new in edits:
            self.assertEqual(text.count(old), 1, f"{file} has not one '{old}'")
            text = text.replace(old, new)
        name = Path(file).name
        (self.folder / name).write_text(text)
        found = filelist.read(filelist.UNITS[unit])
        return self.write(*(f"+incdir+{ROOT / d}" for d in found.include_dirs),
                          *(f.name if f.name == name else os.path.relpath(ROOT / f, self.folder)
                            for f in found.files))

    def configured(self, path):
        return call("cmake", "-S", ROOT, "-B", self.build, "-G", "Ninja", "-DT3_RTL_ONLY=ON",
                    f"-DT3_TRACKER_LIST={path}")


class Refused(Lists):
    def refused_by_programs(self, path, text, readers, *options):
        for program in readers:
            with self.subTest(program=program):
                code, said = call(ROOT / "hw" / program, "--list", path, *options)
                self.assertEqual((code, said.removeprefix(f"{ROOT}/")), (2, f"{path}: {text}\n".removeprefix(f"{ROOT}/")))

    def refused(self, path, text, readers):
        line = f"{path}: {text}"
        self.refused_by_programs(path, text, readers)
        with self.subTest(program="cmake"):
            code, said = self.configured(path)
            self.assertEqual(code, 1, said)
            self.assertIn("\n   " + line + "\n", said)

    def test_a_list_with_a_file_that_is_not_there_by_every_program(self):
        path = self.write("// mine", "+incdir+.", "my.f", "nowhere/t3_pkg.sv")
        self.refused(path, "no such file: nowhere/t3_pkg.sv", PROGRAMS)

    def test_a_list_that_is_not_there(self):
        self.refused(self.folder / "your.f", "no such file list", PROGRAMS[:1])

    def test_a_list_that_names_nothing(self):
        self.refused(self.write("// later", "+incdir+.", ""), "names no file", PROGRAMS[:1])

    def test_two_files_of_one_name_because_tools_copy_them_into_one_folder(self):
        ours = ROOT / "rtl" / CHANGED
        (self.folder / CHANGED).write_text("")
        self.refused(self.write(CHANGED, str(ours)), f"two files are called {CHANGED}", PROGRAMS[:1])


    def test_the_list_of_a_copy_that_names_our_files_still(self):
        unit = filelist.read(filelist.OURS)
        self.refused(self.write("+incdir+" + str(ROOT / "rtl"), *(str(ROOT / f) for f in unit.files)),
                     "names files of rtl/ alone: the list of a copy names the copy's", PROGRAMS)
        unit = filelist.read(filelist.UNITS["t3_switch_merge"])
        self.refused_by_programs(self.write(*(str(ROOT / f) for f in unit.files)),
                                 "names files of rtl/ alone: the list of a copy names the copy's", OF_BOTH,
                                 "--unit", "t3_switch_merge")

    def test_a_list_of_the_other_unit(self):
        self.refused_by_programs(filelist.OURS, "has no module t3_switch_merge", OF_BOTH, "--unit", "t3_switch_merge")
        self.refused_by_programs(filelist.UNITS["t3_switch_merge"], "has no module t3_track_trigger", PROGRAMS)

    def test_a_proof_of_the_other_unit(self):
        for options in (("--unit", "t3_switch_merge", "--proof", CHANGED[3:-3]),
                        ("--list", filelist.OURS, "--proof", "multicast")):
            code, said = call(ROOT / "hw/formal/run", *options)
            self.assertEqual(code, 2, said)
            self.assertIn(f"--proof {options[3]}: is one of ", said)

class Ours(Lists):
    def test_simulators_read_it_in_the_top_folder(self):
        for command in (("verilator", "--lint-only", "--top-module", "t3_track_trigger"),
                        ("iverilog", "-g2012", "-t", "null", "-s", "t3_track_trigger")):
            with self.subTest(command=command[0]):
                done = subprocess.run([*command, "-f", "rtl/t3_track_trigger.f"], cwd=ROOT, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_list_may_name_files_from_the_folder_above_as_ours_does(self):
        below = self.folder / "unit"
        below.mkdir()
        (below / "my.sv").write_text("module my; endmodule\n")
        (below / "my.f").write_text("+incdir+unit\nunit/my.sv\n")
        found = filelist.read(below / "my.f")
        self.assertEqual((found.files, found.include_dirs), ([below / "my.sv"], [below]))


class Changed(Lists):
    def test_lint_complains_of_the_copy_in_all_three_tools(self):
        path = self.changed(("endmodule", "  assign grant_o = nobody_knows;\nendmodule"))
        code, said = call(ROOT / "hw/lint/run", "--list", path)
        self.assertEqual(code, 1, said)
        for tool in re.split(r"^(?=verilator|iverilog|yosys)", said, flags=re.M)[1:]:
            self.assertIn(str(self.folder / CHANGED) + ":", tool)
            self.assertNotIn(f" rtl/{CHANGED}", tool)
        self.assertEqual({line.split()[0].rstrip(":") for line in said.splitlines()
                          if re.match(r"(verilator|iverilog|yosys)[ :]", line)}, {"verilator", "iverilog", "yosys"})

    def test_a_proof_fails_for_a_wrong_copy_and_holds_for_one_that_is_only_written_differently(self):
        arguments = ("--proof", "arb_rr", "--out", self.folder / "formal")
        wrong = self.changed(("pick & (~pick + Count'(1))", "pick"))
        code, said = call(ROOT / "hw/formal/run", *arguments, "--list", wrong)
        self.assertEqual(code, 1, said)
        self.assertIn("FAILED", said)
        right = self.changed(("pick & (~pick + Count'(1))", "pick & -pick"))
        code, said = call(ROOT / "hw/formal/run", *arguments, "--list", right)
        self.assertEqual(code, 0, said)
        self.assertIn("left out for another list", said)

    def test_proofs_and_lint_of_the_merge_unit_read_its_list(self):
        unit = ("--unit", "t3_switch_merge")
        wrong = self.changed(("open = mask_i & ~taken_q", "open = mask_i"), file=OF_MERGE, unit=unit[1])
        code, said = call(ROOT / "hw/formal/run", "--quick", "--proof", "multicast", "--list", wrong, *unit,
                          "--out", self.folder / "formal")
        self.assertEqual(code, 1, said)
        self.assertIn("FAILED", said)
        early = self.changed(("assign open =", "logic [Ports-1:0] early;\n  assign early = late;\n"
                              "  logic [Ports-1:0] late;\n  assign late = early;\n  assign open ="),
                             file=OF_MERGE, unit=unit[1])
        code, said = call(ROOT / "hw/lint/run", "--list", early, *unit)
        self.assertEqual(code, 1, said)
        self.assertRegex(said, rf"{self.folder}/t3_multicast.sv:\d+: late is used before it is declared")

    def test_synthesis_reads_the_copy(self):
        path = self.changed(("endmodule", ""))  # reading it fails, which takes no time
        for program in ("synth/state", "synth/run"):
            with self.subTest(program=program):
                code, said = call(ROOT / "hw" / program, "--list", path,
                                  *(["--out", self.folder / "out"] if program == "synth/run" else []))
                self.assertEqual(code, 1, said)
                self.assertIn(f"{self.folder / CHANGED}:", said)

    def test_a_build_has_its_tests_but_those_of_our_own_text(self):
        code, said = self.configured(self.changed())
        self.assertEqual(code, 0, said)
        self.assertIn("my.f: without the tests of what is said about rtl/ alone", said)
        _, tests = call("ctest", "--test-dir", self.build, "-N")
        for name in ("rtl/lint", "rtl/formal", "rtl/icarus", "rtl/synthesis"):
            self.assertRegex(tests, rf" {name}\n")
        for name in ("rtl/mutation", "rtl/plan_names_tests", "rtl/packages_agree"):
            self.assertNotIn(name, tests)


if __name__ == "__main__":
    unittest.main()
