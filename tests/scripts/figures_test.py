# SPDX-License-Identifier: Apache-2.0
"""scripts/figures on a small tree: one page, whose commands are printf.

Method: the page shows some figures as the commands print them and one otherwise. --check has to name that
one with both values, --write to change it and nothing else, and --pages to notice a table without a command,
one without a commit and a section without its table.
"""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = """# Page

Commit 1a2b3c4.

## Sizes

| size | time, us | **twice** | remark |
| --- | ---: | ---: | --- |
| 4 | 4.0 | **8** | 1 of all |
| 5 | 5.0 | **11** | |

```
| no | table |
| --- | --- |
| 1 | 2 |
```

It takes 7
seconds, and 1,234 in `all`.
"""
LIST = """[Sizes]
command = "printf 'size=$row'"
columns."time, us".value = "{number('size='):.1f}"
columns.twice.value = "{2 * number('size='):.0f}"

[seconds]
command = "printf 'a 7 b 1234'"
says = "It takes {number('a'):.0f} seconds, and {number('b'):,.0f} in `all`."
quick = true
"""


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("scripts", "docs/tables", "docs/measurements"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "figures", self.root / "scripts")
        (self.root / "README.md").write_text("# No table\n")
        self.write(PAGE, LIST)

    def write(self, page, tables):
        (self.root / "docs" / "page.md").write_text(page)
        (self.root / "docs" / "tables" / "page.toml").write_text(tables)

    def call(self, *arguments):
        done = subprocess.run([self.root / "scripts" / "figures", *arguments, "--program", "/bin/true"],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def page(self):
        return (self.root / "docs" / "page.md").read_text()

    def test_check_names_the_cell_that_differs(self):
        code, text = self.call("--check")
        self.assertEqual(code, 1)
        self.assertIn("page: Sizes: 5 / twice: the page has 11, the command gives 10 (1 difference)", text)
        self.assertIn("page: seconds: holds", text)

    def test_only_the_quick_ones_are_checked(self):
        self.assertEqual(self.call("--check", "--quick"), (0, "page: seconds: holds\n"))

    def test_write_changes_the_cell_and_nothing_else(self):
        self.assertEqual(self.call("--write", "Sizes")[0], 0)
        self.assertEqual(self.page(), PAGE.replace("**11**", "**10**"))
        self.assertEqual(self.call("--check")[0], 0)

    def test_write_changes_the_numbers_of_a_sentence(self):
        self.write(PAGE.replace("1,234", "999"), LIST)
        self.assertEqual(self.call("--check", "seconds")[0], 1)
        self.assertEqual(self.call("--write", "seconds")[0], 0)
        self.assertEqual(self.page(), PAGE)

    def test_rows_that_a_command_prints_are_found_by_their_labels(self):
        printed = LIST.split("[seconds]")[0].replace("size=$row", "| 5 | 5.0 | 10 | |\\\\n| 4 | 4.0 | 8 | 1 of all |")
        self.write(PAGE, printed + "printed = true\n")
        code, text = self.call("--check")
        self.assertEqual(code, 1)
        self.assertIn("the page has 11, the command gives 10", text)

    def test_times_of_a_machine_are_rewritten_but_not_compared(self):
        self.write(PAGE, LIST.replace("[Sizes]", "[Sizes]\nmeasured = true"))
        self.assertEqual(self.call("--check")[0], 0)
        self.assertEqual(self.call("--write")[0], 0)
        self.assertIn("**10**", self.page())

    def test_a_column_of_times_is_not_compared_while_the_others_are(self):
        self.write(PAGE, LIST.replace("columns.twice.value", "columns.twice.measured = true\ncolumns.twice.value"))
        self.assertEqual(self.call("--check")[0], 0)
        self.write(PAGE.replace("4.0", "4.1"), LIST.replace("columns.twice.value", "columns.twice.measured = true\n"
                                                            "columns.twice.value"))
        code, text = self.call("--check")
        self.assertEqual(code, 1)
        self.assertIn("4 / time, us: the page has 4.1, the command gives 4.0 (1 difference)", text)

    def test_marks_of_code_are_no_difference(self):
        self.write(PAGE.replace("| 1 of all |", "| `1` of all |"),
                   LIST.replace("[seconds]", 'rows."4" = { note = "`1` of all" }\nrows."5" = { note = "" }\n'
                                             'columns.remark.value = "$note"\n[seconds]'))
        self.assertIn("(1 difference)", self.call("--check", "Sizes")[1])

    def test_a_sentence_has_names_and_what_a_pattern_finds(self):
        self.write(PAGE, LIST.replace('says = "It', 'all = "found(\'b ([0-9]+)\')[1]"\nsays = "It')
                   .replace("{number('b'):,.0f}", "{int($all):,}").replace("a 7", "$a 7").replace("\nsays", "\na = 'a'\nsays"))
        self.assertEqual(self.call("--check", "seconds"), (0, "page: seconds: holds\n"))
        self.write(PAGE, LIST.replace("number('b')", "found('c')"))
        code, text = self.call("--check", "seconds")
        self.assertEqual(code, 1)
        self.assertIn("nothing printed looks like 'c'", text)

    def test_every_table_with_numbers_has_a_command(self):
        self.assertEqual(self.call("--pages")[0], 0)
        self.write(PAGE, LIST.replace("[Sizes]", "[Other]"))
        code, text = self.call("--pages")
        self.assertEqual(code, 1)
        self.assertIn("page: Other: the page has no such table", text)
        self.assertIn("page: Sizes: numbers, but no command", text)

    def test_what_is_no_figure_says_why(self):
        self.write(PAGE, '[Sizes]\nspecification = "sizes"\n')
        self.assertEqual(self.call("--pages")[0], 0)

    def test_a_table_with_numbers_has_a_command(self):
        self.write(PAGE, "")
        code, text = self.call("--pages")
        self.assertEqual(code, 1)
        self.assertIn("page: Sizes: numbers, but no command", text)

    def test_a_figure_has_a_commit(self):
        self.write(PAGE.replace("Commit 1a2b3c4.", ""), LIST)
        code, text = self.call("--pages")
        self.assertEqual(code, 1)
        self.assertIn("names a commit", text)

    def test_a_label_that_no_row_has_is_an_error(self):
        self.write(PAGE, LIST.replace("[seconds]", 'rows."6".value = "6"\n[seconds]'))
        code, text = self.call("--pages")
        self.assertEqual(code, 1)
        self.assertIn("no value in row '6'", text)


if __name__ == "__main__":
    unittest.main()
