# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/mutate: which faults it sees in a source, what becomes of them in the copy, and a
whole run on the tree mutate_sample, whose faults have a known fate.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAMPLE = HERE / "mutate_sample"
sys.path.insert(0, str(ROOT / "scripts" / "mutation"))
from faults import Source, with_faults  # noqa: E402
from trial import UNFIT, Copy  # noqa: E402


def faults(text, settings=False):
    return [(f.what, f.before, f.after) for f in Source("sample.h", text, settings).faults]


def in_function(statements):
    """The faults of the body of a function."""
    return faults(f"void f() {{\n  {statements}\n}}\n")


class Sees(unittest.TestCase):
    def test_the_operands_of_an_operator_by_its_precedence(self):
        self.assertEqual(in_function("return a + b * c < d;"), [
            ("- for +", "a + b * c", "a - b * c"),
            ("/ for *", "b * c", "b / c"),
            ("<= for <", "a + b * c < d", "a + b * c <= d")])
        self.assertEqual(in_function("return a - b - c;"), [
            ("+ for -", "a - b", "a + b"), ("+ for -", "a - b - c", "a - b + c")])

    def test_a_condition_and_what_is_in_it(self):
        self.assertEqual(in_function("if (a && !b) return;"), [
            ("never", "a && !b", "false"), ("always", "a && !b", "true"),
            ("negated", "a && !b", "!(a && !b)"), ("|| for &&", "a && !b", "a || !b"),
            ("no !", "!b", "static_cast<bool>(b)")])
        self.assertEqual(in_function("if (a == b) return;"), [
            ("never", "a == b", "false"), ("always", "a == b", "true"), ("!= for ==", "a == b", "a != b")])
        self.assertEqual(in_function("while (x) return;"), [("never", "x", "false")])
        self.assertEqual(in_function("if (auto* p = next()) return;"), [])

    def test_a_function_by_another_of_the_same_type(self):
        self.assertIn(("floor for llround", "std::llround(a)", "static_cast<long long>(std::floor(a))"),
                      in_function("x = std::llround(a);"))

    def test_the_choice_of_a_conditional_expression(self):
        self.assertIn(("other choice", "a", "!(a)"), in_function("x = a ? b : c;"))

    def test_constants_with_their_suffix_and_units(self):
        self.assertEqual(in_function("return 7u;"), [("8u for 7u", "7u", "8u"), ("6u for 7u", "7u", "6u")])
        self.assertEqual(in_function("return 0x1fu;"), [
            ("0x20u for 0x1fu", "0x1fu", "0x20u"), ("0x1eu for 0x1fu", "0x1fu", "0x1eu")])
        self.assertEqual(in_function("return 1'000'000;"), [("1000 for 1'000'000", "1'000'000", "1000")])
        self.assertEqual(in_function("return 1e-3;"), [("1e0 for 1e-3", "1e-3", "1e0")])
        self.assertEqual(in_function("return 0.5;"), [("1.5 for 0.5", "0.5", "1.5")])
        self.assertEqual(in_function("return true;"), [("false for true", "true", "false")])
        self.assertEqual(in_function("wait(x, sc_core::SC_NS);")[-1],
                         ("SC_US for SC_NS", "sc_core::SC_NS", "sc_core::SC_US"))

    def test_functions_with_a_counterpart(self):
        self.assertIn(("max for min", "std::min<int>(a, b)", "std::max<int>(a, b)"),
                      in_function("return std::min<int>(a, b);"))
        self.assertIn(("floor for ceil", "std::ceil(a)", "std::floor(a)"),
                      in_function("return std::ceil(a);"))

    def test_statements_that_can_be_left_out(self):
        for statement in ("call(a)", "x.y->z[i].call()", "++x", "x.y++", "a = b", "*p = b",
                          "std::sort(a.begin(), a.end())"):
            self.assertIn(("left out", statement, ""), in_function(statement + ";"), statement)
        self.assertEqual(in_function("a += b;"), [("left out", "a += b", ""), ("-= for +=", "a += b", "a -= b")])
        for statement in ("return call(a)", "Type name(a)", "const auto x = b", "Type* p = b",
                          "std::vector<int> x = b", "assert(a)", "SC_METHOD(a)", "throw call(a)"):
            self.assertNotIn("left out", [f[0] for f in in_function(statement + ";")], statement)

    def test_nothing_that_is_fixed_when_the_program_is_compiled(self):
        for text in ("enum class E { A = 1, B = 2 };\n", "static_assert(1 < 2);\n",
                     "std::array<int, 3> x;\n", "class C { virtual void f() = 0; };\n",
                     "#define X 3\n", "// 1 < 2\n", "const char* k = \"1 < 2\";\n",
                     "template <int N = 1>\nvoid f();\n", "void f(std::vector<int>* p);\n",
                     "void f() {\n  switch (x) {\n    case 1:\n      break;\n  }\n}\n",
                     "void f() {\n  if constexpr (1 < 2) return;\n}\n", "class C {\n  C(int x);\n};\n"):
            self.assertEqual(faults(text), [], text)

    def test_the_initial_value_of_a_member_but_not_of_a_setting(self):
        text = "DESCRIBE(T, (a))\n\nstruct S {\n  int limit = 7;\n  bool full() const { return a == 2; }\n};\n"
        self.assertIn("8 for 7", [f[0] for f in faults(text)])
        self.assertEqual([f[0] for f in faults(text, settings=True)],
                         ["!= for ==", "3 for 2", "1 for 2"])


class Names(unittest.TestCase):
    def test_an_id_stays_when_its_line_moves(self):
        text = "void f() {\n  if (a < b) return;\n}\n"
        before = Source("x.h", text).faults
        after = Source("x.h", "void g() {\n  ++x;\n}\n" + text).faults
        self.assertEqual([f.id for f in before], [f.id for f in after[1:]])
        self.assertEqual([f.line + 3 for f in before], [f.line for f in after[1:]])

    def test_equal_lines_have_ids_of_their_own(self):
        found = Source("x.h", "void f() {\n  ++x;\n  ++x;\n}\n").faults
        self.assertNotEqual(found[0].id, found[1].id)


class Copies(unittest.TestCase):
    """One program with every fault of this text, run with each of them."""
    TEXT = """// first line
#include <algorithm>
#include <cstdio>
constexpr int kLimit = 4;
inline int clip(int x, bool wide) {
  int calls = 0;
  const auto count = [&calls] { ++calls; };
  if (x > kLimit && !wide)
    count();
  else if (x < 0)
    x = 0;
  return std::min(x, wide ? 2 * kLimit : kLimit) * 10 +
         calls;  // a comment in an expression
}
int main() { std::printf("%d %d %d", clip(5, false), clip(9, true), clip(-1, false)); }
"""

    def test_every_fault_is_at_work_alone_and_no_line_moves(self):
        found = Source("sample.cpp", self.TEXT).faults
        copy = with_faults(self.TEXT, found, "t3_mutant.h")
        lines = copy.splitlines()
        self.assertEqual(lines[:2], ['#include "t3_mutant.h"', "#line 1"])
        self.assertEqual(len(lines) - 2, len(self.TEXT.splitlines()))
        self.assertEqual(lines[2], "// first line")
        with tempfile.TemporaryDirectory() as place:
            program = Path(place) / "sample"
            (Path(place) / "sample.cpp").write_text(copy)
            subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20",
                            f"-I{ROOT}/scripts/mutation", "-o", program, f"{place}/sample.cpp"],
                           check=True)

            def output(fault):
                environment = os.environ | {"T3_MUTANT": fault}
                return subprocess.run([program], env=environment, stdout=subprocess.PIPE,
                                      text=True).stdout

            self.assertEqual(output(""), "41 80 0")
            outputs = {(f.line, f.what): output(f.short_id) for f in found}
        self.assertEqual(outputs[4, "5 for 4"], "50 90 0")
        self.assertEqual(outputs[7, "left out"], "40 80 0")
        self.assertEqual(outputs[8, ">= for >"], "41 80 0")  # equal to the right one here
        self.assertEqual(outputs[8, "always"], "41 81 -9")
        self.assertEqual(outputs[8, "no !"], "40 81 0")
        self.assertEqual(outputs[9, "left out"], "40 80 0")
        self.assertEqual(outputs[11, "left out"], "41 80 -10")
        self.assertEqual(outputs[12, "max for min"], "51 90 40")
        self.assertEqual(outputs[12, "other choice"], "51 40 0")
        self.assertEqual(outputs[12, "- for +"], "39 80 0")
        self.assertEqual(outputs[12, "9 for 10"], "37 72 0")


class Refuses(unittest.TestCase):
    def test_the_faults_that_a_compiler_names_by_any_path(self):
        source = Source("tlm/a.h", "void f() {\n  g(1);\n  g(2);\n}\n")
        with tempfile.TemporaryDirectory() as place:
            copy = Copy(Path(place), {"tlm/a.h": source}, Path(place) / "build", 1)
            log = Path(place) / "log"
            for path in (f"{place}/build/src", "../src"):
                log.write_text(f"FAILED: a.o\n{path}/tlm/a.h:3:5: error: not a constant\n")
                found = copy.refused(log, {"tlm/a.h": source.faults})
                self.assertEqual({f.line for f in source.faults if f.id in found}, {3})


class LeavesOut(unittest.TestCase):
    def test_only_tests_that_there_are(self):
        for name in UNFIT:
            folder, test = name.split("/")
            suite, _, case = test.partition(".")
            begins = re.compile(rf"TEST(_F)?\({suite}, {case}")
            self.assertTrue(any(begins.search(file.read_text())
                                for file in (ROOT / "tests" / folder).glob("*_test.cpp")), name)


class Runs(unittest.TestCase):
    def run_it(self, *options, change=None):
        """Runs scripts/mutate on a copy of the sample; returns its status, output and results."""
        with tempfile.TemporaryDirectory() as place:
            tree = Path(place) / "tree"
            shutil.copytree(SAMPLE, tree)
            if change:
                change(tree)
            results = Path(place) / "results.txt"
            run = subprocess.run([ROOT / "scripts" / "mutate", "--tree", tree, "--build",
                                  f"{place}/build", "--out", results, "--jobs", "2", *options],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return run.returncode, run.stdout, results.read_text() if results.exists() else ""

    def fates(self, results):
        """{(line, what): (state, why)}"""
        found = {}
        lines = results.splitlines()
        for first, second in zip(lines[::2], lines[1::2]):
            match = re.match(r"(\w+) +\w+ tlm/pieces/pieces.h:(\d+): (.*?): ", first)
            found[int(match[2]), match[3]] = match[1], second.strip()
        return found

    def test_every_fault_of_the_sample_has_its_fate(self):
        total = len(Source("tlm/pieces/pieces.h", (SAMPLE / "tlm/pieces/pieces.h").read_text()).faults)
        status, output, results = self.run_it("--count", str(total))
        self.assertEqual(status, 1, output)  # under 90 % are noticed
        fates = self.fates(results)
        name = "tlm/pieces/Pieces.AreCutAtTheirLimit"
        self.assertEqual(fates[10, "7 for 8"][0], "noticed")
        self.assertEqual(fates[18, "one byte less in a piece"][0], "noticed")
        self.assertEqual(fates[17, "!= for =="] if (17, "!= for ==") in fates else None, None)
        self.assertEqual(fates[17, "== for !="][0], "noticed")
        self.assertEqual(fates[18, "left out"], ("noticed", f"{name}: out of time"))
        self.assertEqual(fates[19, "left out"][0], "noticed")
        self.assertEqual(fates[16, "always"][0], "noticed")
        self.assertEqual(fates[16, "never"], ("explained", "an example of an explanation"))
        self.assertEqual(fates[16, "left out"][0], "unreached")
        self.assertEqual(fates[26, "/ for *"][0], "unreached")
        self.assertNotIn((11, "4 for 3"), fates)  # does not compile
        self.assertIn("2 faults do not compile", output)
        self.assertIn("unreached: ", output)

    def test_a_named_fault_that_survives_fails_the_run(self):
        def change(tree):
            (tree / "scripts/mutation/named.toml").write_text(
                '[[fault]]\nname = "late"\nfolder = "tlm/pieces"\nfind = "bytes > 1000"\n'
                'put = "bytes > 1001"\n')

        status, output, _ = self.run_it("--count", "1", change=change)
        self.assertEqual(status, 1, output)
        self.assertRegex(output, r"survives: \w+ tlm/pieces/pieces.h:16: late: bytes > 1000")

    def test_a_named_fault_that_does_not_compile_fails_the_run(self):
        def change(tree):
            (tree / "scripts/mutation/named.toml").write_text(
                '[[fault]]\nname = "wrong"\nfolder = "tlm/pieces"\nfind = "bytes > 1000"\n'
                'put = "nothing > 1000"\n')

        status, output, _ = self.run_it("--count", "1", change=change)
        self.assertEqual(status, 1, output)
        self.assertIn("named.toml: wrong: does not compile", output)

    def test_a_run_without_faults_names_every_test_that_fails(self):
        def change(tree):
            with open(tree / "tests/tlm/pieces/CMakeLists.txt", "a") as file:
                for name in ("First", "Second"):
                    file.write(f"add_test(NAME tlm/pieces/{name} COMMAND false)\n")

        status, output, results = self.run_it("--count", "1", change=change)
        self.assertEqual(status, 1, output)
        self.assertRegex(output, "fail without a fault: tlm/pieces/First.*, tlm/pieces/Second")
        self.assertEqual(results, "")

    def test_a_fault_is_tried_with_quick_tests_first_and_within_the_effort(self):
        def change(tree):
            folder = tree / "tests/tlm/pieces"
            (folder / "blind_test.cpp").write_text(
                '#include "tlm/pieces/pieces.h"\n'
                'int main() { return sample::pieces(5) == 1 ? 0 : 1; }\n')
            text = (folder / "pieces_test.cpp").read_text()
            (folder / "pieces_test.cpp").write_text(
                "#include <ctime>\n" +
                text.replace("int main() {\n", "int main() {\n  while (std::clock() < CLOCKS_PER_SEC / 4) {\n  }\n"))
            with open(folder / "CMakeLists.txt", "a") as file:
                file.write('add_executable(blind_test blind_test.cpp)\n'
                           'target_include_directories(blind_test PRIVATE "${PROJECT_SOURCE_DIR}")\n'
                           'add_test(NAME tlm/pieces/Blind COMMAND blind_test)\n')

        found = Source("tlm/pieces/pieces.h", (SAMPLE / "tlm/pieces/pieces.h").read_text()).faults
        fault = next(f for f in found if f.what == "7 for 8")
        for effort, state in (("0.1", "survives"), ("100", "noticed")):
            _, output, results = self.run_it("--only", fault.short_id, "--count", "1", "--effort", effort,
                                             change=change)
            self.assertEqual(self.fates(results)[10, "7 for 8"][0], state, output)

    def test_names_and_explanations_that_fit_nothing_are_refused(self):
        def rename(tree):
            (tree / "tlm/pieces/pieces.h").write_text("// nothing here\n")

        status, output, _ = self.run_it("--list", change=rename)
        self.assertEqual(status, 2)
        self.assertIn("explained.toml: no fault of tlm/pieces/pieces.h has the line", output)

        def forget(tree):
            (tree / "scripts/mutation/explained.toml").unlink()
            rename(tree)

        status, output, _ = self.run_it("--list", change=forget)
        self.assertEqual(status, 2)
        self.assertIn("named.toml: one byte less in a piece:", output)

    def test_a_named_fault_is_a_whole_expression(self):
        for put in ("bytes &&", "bytes +", "&& bytes", "bytes ==", "bytes <", "== bytes", "? bytes : 1", "(bytes"):
            def cut(tree, put=put):
                path = tree / "scripts/mutation/named.toml"
                path.write_text(re.sub('put = ".*"', f'put = "{put}"', path.read_text()))

            with self.subTest(put):
                status, output, _ = self.run_it("--list", change=cut)
                self.assertEqual(status, 2)
                self.assertIn(f"'{put}' is cut, expected a whole expression or statement", output)

        def cut_find(tree):
            path = tree / "scripts/mutation/named.toml"
            path.write_text(path.read_text().replace('find = "std::min(bytes, kPieceBytes)"',
                                                     'find = "std::min(bytes,"'))

        status, output, _ = self.run_it("--list", change=cut_find)
        self.assertEqual(status, 2)
        self.assertIn("'std::min(bytes,' is cut", output)

    def test_a_folder_that_no_test_is_about_is_named(self):
        def untested(tree):
            (tree / "tests/tlm/pieces/CMakeLists.txt").unlink()

        status, output, _ = self.run_it("--list", "--count", "5", change=untested)
        self.assertEqual(status, 2)
        self.assertRegex(output, r"tlm/pieces/\S+: no folder of tests/ is about it, expected one")

    def test_the_list_is_the_same_for_one_seed_and_another_for_another(self):
        _, first, _ = self.run_it("--list", "--count", "5")
        _, again, _ = self.run_it("--list", "--count", "5")
        _, other, _ = self.run_it("--list", "--count", "5", "--seed", "2")
        self.assertEqual(len(first.splitlines()), 6)  # and the named one
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main()
