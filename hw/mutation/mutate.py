# SPDX-License-Identifier: Apache-2.0
"""Small faults in SystemVerilog source, many in one copy, one of them chosen at run time.

Reads the subset that rtl/ is written in: assignments and conditions inside modules, with everything
that is fixed at elaboration (parameters, generate, loop headers, indices) and what lies between `ifdef and
`endif left alone. A fault is

  an operator           == for !=, < for <=, && for ||, & for |, + for -, a dropped ~ or !
  a constant            0 for 1, all ones for all zeroes
  a condition           true, false or negated
  a choice              c ? b : a for c ? a : b
  an assignment         left out
"""
import re
from dataclasses import dataclass, replace

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|\(\*.*?\*\)|`include[^\n]*)
  | (?P<word>[$`]?[A-Za-z_][\w$]*(?:::\w+)?)
  | (?P<number>\d*'[sS]?[bdhBDH][0-9a-fA-F_xzXZ]+|'[01](?!\w)|\d[\d_]*)
  | (?P<string>"[^"]*")
  | (?P<mark><<<|>>>|===|!==|<=|>=|==|!=|&&|\|\||<<|>>|\+:|-:|::|[-+*/%&|^~!<>=?:;,.()\[\]{}\#@'])
""", re.X | re.S)

SWAPS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||",
         "||": "&&", "&": "|", "|": "&", "^": "|", "+": "-", "-": "+", "*": "+", ">>": "<<"}
SELECTED = "t3_mutant_pkg::selected"


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass
class Mutant:
    file: str
    line: int
    before: str      # what the fault replaces: an expression, or a whole assignment
    after: str       # what stands there instead; empty: left out
    what: str        # in words
    site: int        # where in the file: offset of the expression or assignment
    end: int
    number: int = 0
    kind: str = "expression"  # or "statement", "addition" (behind the site)


class Parser:
    """Finds the mutants of one file."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.tokens = [Token(m.lastgroup, m[0], m.start(), m.end())
                       for m in self.scan(text) if m.lastgroup != "skip"]
        self.at = 0
        self.mutants = []
        while self.at < len(self.tokens):
            if self.take("module"):
                self.skip_to(";")
                self.items("endmodule")
            else:
                self.at += 1

    def scan(self, text):
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match:
                line = text.count("\n", 0, position) + 1
                raise ValueError(f"{self.name}:{line}: cannot read '{text[position:position+20]}'")
            position = match.end()
            yield match

    # ---- tokens ----
    @property
    def now(self):
        return self.tokens[self.at].text

    def take(self, text):
        if self.now == text:
            self.at += 1
            return True
        return False

    def expect(self, text):
        if not self.take(text):
            token = self.tokens[self.at]
            line = self.text.count("\n", 0, token.start) + 1
            raise ValueError(f"{self.name}:{line}: expected '{text}', found '{token.text}'")

    def skip_to(self, text):
        """Past the next `text` outside all brackets."""
        depth = 0
        while depth or self.now != text:
            depth += (self.now in "([{") - (self.now in ")]}")
            self.at += 1
        self.at += 1

    def group(self):
        """Past a bracketed group; the tokens inside, from and to."""
        first = self.at + 1
        self.expect("(")
        self.skip_to(")")
        return first, self.at - 1

    def label(self):
        if self.take(":"):
            self.at += 1

    # ---- structure ----
    def items(self, end):
        while not self.take(end):
            word = self.now
            if word in ("localparam", "logic", "typedef"):
                self.skip_to(";")
            elif word == "function":
                self.skip_to(";")
                while not self.take("endfunction"):
                    self.statement()
            elif word == "assign":
                self.at += 1
                self.assignment(removable=False)
            elif word in ("always_comb", "always_ff"):
                self.at += 1
                if self.take("@"):
                    self.group()
                self.statement()
            elif word == "initial":
                self.at += 1
                self.ignore_statement()
            elif word in ("for", "if"):  # generate
                self.at += 1
                self.group()
                self.generate_block()
                while self.take("else"):
                    if self.take("if"):
                        self.group()
                    self.generate_block()
            elif word in ("`ifdef", "`ifndef"):  # code of another build
                self.skip_to("`endif")
            elif word.startswith("`"):
                self.at += 1
                if self.now == "(":
                    self.group()
                self.take(";")
            else:
                self.instance()

    def generate_block(self):
        self.expect("begin")
        self.label()
        self.items("end")

    def ignore_statement(self):
        kept = len(self.mutants)
        self.statement()
        del self.mutants[kept:]

    def instance(self):
        self.at += 1
        if self.take("#"):
            self.group()
        self.at += 1
        if self.now != "(":  # signals of a type of their own
            self.skip_to(";")
            return
        first, last = self.group()
        after = self.at
        self.at = first
        while self.at < last:
            self.expect(".")
            self.at += 1
            if self.now == "(":
                begin, end = self.group()
                # Only an input can be connected to anything but a signal.
                if any(t.text in SWAPS or t.text in "!~?" for t in self.tokens[begin:end]) \
                        and self.now != "{":
                    self.expression(begin, end)
            self.take(",")
        self.at = after
        self.expect(";")

    def statement(self):
        word = self.now
        if self.take("begin"):
            self.label()
            while not self.take("end"):
                self.statement()
        elif self.take("if"):
            begin, end = self.group()
            if [t.text for t in self.tokens[begin:end]] != ["!", "rst_ni"]:
                self.expression(begin, end, condition=True)
            self.statement()
            if self.take("else"):
                self.statement()
        elif self.take("for"):
            self.group()
            self.statement()
        elif word in ("case", "casez", "unique"):
            self.take("unique")
            self.at += 1
            self.group()
            while not self.take("endcase"):
                self.skip_to(":")
                self.statement()
        elif word == "logic" or word.startswith("$") or word == "assert":
            self.skip_to(";")
        elif not self.take(";"):
            self.assignment(removable=True)

    def assignment(self, removable):
        start = self.at
        depth = 0
        while depth or self.now not in ("=", "<="):
            depth += (self.now in "([{") - (self.now in ")]}")
            self.at += 1
        begin = self.at + 1
        self.skip_to(";")
        end = self.at - 1
        if self.tokens[start].text.startswith("unused_"):
            return
        self.expression(begin, end)
        if removable:
            self.add(start, self.at, "", "left out")
            self.mutants[-1].kind = "statement"

    # ---- faults ----
    def add(self, begin, end, after, what):
        site, stop = self.tokens[begin].start, self.tokens[end - 1].end
        self.mutants.append(Mutant(self.name, self.text.count("\n", 0, site) + 1,
                                   self.text[site:stop], after, what, site, stop))

    def replace(self, begin, end, first, last, text, what):
        """The expression with the tokens first … last - 1 replaced."""
        site, stop = self.tokens[begin].start, self.tokens[end - 1].end
        self.add(begin, end, self.text[site:self.tokens[first].start] + text
                 + self.text[self.tokens[last - 1].end:stop], what)
        # The line of the token, not of the expression.
        self.mutants[-1].line = self.text.count("\n", 0, self.tokens[first].start) + 1

    def cast_sizes(self, begin, end):
        """Tokens of the size of a cast, (Width+1)'(x)."""
        inside, opened = set(), []
        for i in range(begin, end):
            if self.tokens[i].text == "(":
                opened.append(i)
            elif self.tokens[i].text == ")":
                first = opened.pop()
                if i + 1 < end and self.tokens[i + 1].text == "'":
                    inside.update(range(first, i))
        return inside

    def expression(self, begin, end, condition=False):
        whole = self.text[self.tokens[begin].start:self.tokens[end - 1].end]
        if condition:
            self.add(begin, end, "1'b1", "always")
            self.add(begin, end, "1'b0", "never")
            self.add(begin, end, f"!({whole})", "negated")
        square = depth = 0
        sizes = self.cast_sizes(begin, end)
        for i in range(begin, end):
            token = self.tokens[i]
            square += (token.text == "[") - (token.text == "]")
            depth += (token.text in "([{") - (token.text in ")]}")
            if square or i in sizes:
                continue
            before = self.tokens[i - 1]
            binary = i > begin and (before.kind in ("word", "number") or before.text in ")]}")
            if token.text in SWAPS and binary:
                self.replace(begin, end, i, i + 1, SWAPS[token.text],
                             f"{SWAPS[token.text]} for {token.text}")
            elif token.text in "~!":
                self.replace(begin, end, i, i + 1, "", f"no {token.text}")
            elif token.text == "?" and depth == 0:
                self.replace(begin, end, begin, i,
                             f"!({self.text[self.tokens[begin].start:before.end]})", "other choice")
            elif token.kind == "number" and (after := other(token.text)):
                self.replace(begin, end, i, i + 1, after, f"{after} for {token.text}")


def named_mutants(name, edits, texts):
    """The parts of a fault of its own, {file: mutant}…, of edits {file, find, put or add}; texts: {file: source}."""
    for edit in edits:
        file, find = edit.get("file"), edit.get("find")
        if set(edit) not in ({"file", "find", "put"}, {"file", "find", "add"}) or file not in texts:
            raise ValueError(f"{name}: expected file, find, and put or add, of a file of the unit")
        if texts[file].count(find) != 1:
            raise ValueError(f"{name}: {file} has not one '{find}'")
        site = texts[file].index(find)
        part = Mutant(file, texts[file].count("\n", 0, site) + 1, find, edit.get("put", edit.get("add")), name, site,
                      site + len(find))
        kind = "addition" if "add" in edit else "statement" if find.endswith(";") else "expression"
        yield replace(part, kind=kind)


def other(number):
    """Another value of the same width."""
    if match := re.fullmatch(r"(\d*'[bdh]?)?([0-9A-Fa-f]+)", number):
        prefix, digits = match[1] or "", match[2]
        if prefix in ("", "'") or "d" in prefix or "b" in prefix or "h" in prefix:
            last = "0" if digits[-1] == "1" else "1" if digits[-1] == "0" else \
                f"{int(digits[-1], 16) ^ 1:X}" if "h" in prefix else ""
            return prefix + digits[:-1] + last if last else ""
    return ""


def with_mutants(text, mutants):
    """The source with the faults of `mutants`, each at work while its number is selected."""
    sites = {}
    for mutant in mutants:
        sites.setdefault((mutant.site, mutant.end, mutant.kind), []).append(mutant)
    # At one offset what ends comes before what starts; an inner site ends first and starts last.
    edits = []
    for (start, end, kind), group in sites.items():
        if kind == "statement":
            before = "begin " + "".join(f"if ({SELECTED} == {m.number}) begin {m.after} end else " for m in group)
            after = " end"
        elif kind == "addition":
            edits.append((end, 1, 0, "".join(f"\n{m.after}\n" for m in group)))
            continue
        else:
            before = "(" + "".join(f"{SELECTED} == {m.number} ? ({m.after}) : " for m in group) + "("
            after = "))"
        edits += [(start, 2, -end, before), (end, 0, -start, after)]
    for position, _, _, insertion in sorted(edits, reverse=True):
        text = text[:position] + insertion + text[position:]
    return text
