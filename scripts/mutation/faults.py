# SPDX-License-Identifier: Apache-2.0
"""Small faults in C++ source, many in one copy, one of them chosen at run time.

Reads C++ as clang-format (Google style) leaves it: a binary operator has white space on both sides,
the angle bracket of a template has none before it. A fault is

  an operator          <= for <, != for ==, || for &&, - for +, / for *, -= for +=, a dropped !
  a constant           one more, one less, true for false, a unit of a thousand more
  a condition          of if: always, never, negated; of while: never; the other choice of ?:
  a statement          a call, an assignment, ++ or -- left out
  a function           ceil for floor, max for min, upper_bound for lower_bound

What is fixed when the program is compiled stays: template arguments, enumerators, case labels,
static_assert, if constexpr. A constant that is `constexpr` becomes `const` in the copy.
"""
import hashlib
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<string>(?:u8|[uUL])?R"(?P<fence>[^(\s]*)\(.*?\)(?P=fence)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:[eEpP][+-]|'(?=[0-9a-fA-F])|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark><=>|->\*|<<=|>>=|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])
""", re.X | re.S | re.M)

# Precedence of binary operators; what binds tighter has more.
PRECEDENCE = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7,
              ">": 7, ">=": 7, "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1}
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
         "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&",
         "^": "|", "<<": ">>", ">>": "<<"}
ASSIGNMENTS = {"=": None, "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "/=", "|=": "&=",
               "&=": "|=", "^=": "|=", "<<=": ">>=", ">>=": "<<="}
FUNCTIONS = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "round": "floor",
             "lround": "floor", "llround": "floor", "min_element": "max_element",
             "max_element": "min_element", "lower_bound": "upper_bound",
             "upper_bound": "lower_bound", "any_of": "all_of", "all_of": "any_of"}
UNITS = {"SC_PS": "SC_NS", "SC_NS": "SC_US", "SC_US": "SC_MS"}
# Words that end an operand to their right or cannot start a statement that may be left out.
KEYWORDS = {"return", "throw", "case", "else", "do", "if", "for", "while", "switch", "goto", "new",
            "delete", "co_return", "co_yield", "co_await", "using", "typedef", "template", "break",
            "continue", "default", "static_assert", "friend", "public", "private", "protected",
            "operator", "const", "constexpr", "static", "auto", "try", "catch", "namespace"}
ENDS_OPERAND = KEYWORDS - {"new", "operator"}
# A call of these says what must hold, or tells SystemC or a library what a module consists of.
KEPT_CALLS = {"assert", "static_assert"}
OPENERS, CLOSERS = "([{", ")]}"


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    spaced: bool          # white space before it
    mate: int = -1        # of a bracket: the other one
    body: str = ""        # of an opening brace: code, class, enum, namespace or init
    fixed: bool = False   # fixed when the program is compiled


@dataclass
class Fault:
    file: str
    line: int
    what: str             # in words
    before: str           # what the fault replaces: an expression or a whole statement
    after: str            # what stands there instead; empty: left out
    start: int            # where in the file
    end: int
    form: str = "value"   # value, condition or statement
    constant: tuple = ()  # a `constexpr` that has to become something else: (offset, what)
    asks: str = "at"      # what the copy calls to know whether the fault is at work
    name: str = ""        # of a fault that named.toml describes
    id: int = 0

    @property
    def short_id(self):
        return f"{self.id:08x}"


class ReadError(ValueError):
    pass


class Source:
    """The tokens of one file, its brackets matched, and the faults that fit in."""

    def __init__(self, name, text, settings=False):
        self.name, self.text = name, text
        self.settings = settings  # leave the initial values of members alone
        self.tokens = []
        self.faults = []
        self.scan()
        self.match()
        self.fix()
        for i in range(len(self.tokens)):
            self.look(i)
        self.number()

    # ---- tokens ----
    def scan(self):
        position, spaced = 0, True
        while position < len(self.text):
            match = TOKEN.match(self.text, position)
            if not match:
                raise ReadError(f"{self.name}:{self.line_of(position)}: cannot read this")
            kind = match.lastgroup if match.lastgroup != "fence" else "string"
            if kind in ("space", "comment", "directive"):
                spaced = True
            else:
                self.tokens.append(Token(kind, match[0], match.start(), match.end(), spaced))
                spaced = False
            position = match.end()

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def line_text(self, line):
        return self.text.splitlines()[line - 1].strip()

    def texts(self, begin, end):
        return [t.text for t in self.tokens[begin:end]]

    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def match(self):
        """Matches brackets, those of templates too, and says what each brace holds."""
        opened = []
        tokens = self.tokens
        i = 0
        while i < len(tokens):
            token = tokens[i]
            before = tokens[i - 1] if i else None
            if token.text in OPENERS:
                if token.text == "{":
                    token.body = self.body_of(i, opened)
                opened.append(i)
            elif token.text == "<" and before and (not token.spaced or before.text == "template") \
                    and (before.kind == "word" or before.text == "]") and before.text != "operator":
                token.kind = "angle"
                opened.append(i)
            elif token.text in (">", ">>") and opened and tokens[opened[-1]].kind == "angle":
                if token.text == ">>":  # two closing brackets
                    tokens[i] = Token("mark", ">", token.start, token.start + 1, token.spaced)
                    tokens.insert(i + 1, Token("mark", ">", token.start + 1, token.end, False))
                    token = tokens[i]
                token.kind = "angle"
                token.mate = opened.pop()
                tokens[token.mate].mate = i
            elif token.text in CLOSERS:
                if not opened or OPENERS[CLOSERS.index(token.text)] != tokens[opened[-1]].text:
                    raise ReadError(f"{self.name}:{self.line_of(token.start)}: "
                                    f"'{token.text}' closes nothing")
                token.mate = opened.pop()
                tokens[token.mate].mate = i
            i += 1
        if opened:
            raise ReadError(f"{self.name}:{self.line_of(tokens[opened[-1]].start)}: never closed")

    def body_of(self, i, opened):
        before, head = self.at(i - 1), self.head_of(i)
        keys = [k for k, word in enumerate(head) if word in ("class", "struct", "union")]
        if keys and not {"(", "="} & set(head[keys[-1]:]):  # a macro may stand before it
            return "enum" if "enum" in head[keys[-1] - 1:] else "class"
        for kind in ("namespace", "enum"):
            if kind in head:
                return kind
        if before in (")", "]", "else", "do", "try", "const", "noexcept", "override", "mutable",
                      "final"):
            return "code"
        if before in (";", "{", "}", ":"):
            outer = self.tokens[opened[-1]] if opened else None
            return "code" if outer and outer.body in ("code", "class", "namespace") else "init"
        for j in range(len(head) - 1, 0, -1):  # a trailing return type
            if head[j] == "->" and head[j - 1] in (")", "const", "mutable", "]"):
                return "init" if set(head[j + 1:]) & {"(", "=", ","} else "code"
        return "init"

    def head_of(self, i):
        """What stands before the brace in its statement."""
        j = i - 1
        while j >= 0 and self.at(j) not in (";", "{", "}"):
            j -= 1
        return self.texts(j + 1, i)

    def fix(self):
        """Marks what the compiler has to know."""
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.kind == "angle" and token.mate > i:
                self.mark(i, token.mate)
            elif token.text == "{" and token.body == "enum":
                self.mark(i, token.mate)
            elif token.text in ("static_assert", "alignas", "noexcept", "decltype", "requires") \
                    and self.at(i + 1) == "(":
                self.mark(i, tokens[i + 1].mate)
            elif token.text == "constexpr" and self.at(i - 1) == "if":
                self.mark(i, tokens[i + 1].mate)
            elif token.text == "case":
                j = i
                while self.at(j) != ":":
                    j += 1
                self.mark(i, j)
            elif token.text == "operator":
                tokens[i + 1].fixed = True
            elif token.text == "=" and self.at(i + 1) == "0" and self.at(i + 2) == ";" \
                    and self.at(i - 1) in (")", "const", "noexcept", "override"):
                tokens[i + 1].fixed = True  # a pure virtual function
            elif token.text == "[" and token.mate == i + 2 and tokens[i - 1].kind == "word" \
                    and tokens[i - 2].kind == "word" and self.at(i - 2) not in KEYWORDS:
                tokens[i + 1].fixed = True  # the length of an array

    def mark(self, begin, end):
        for token in self.tokens[begin:end + 1]:
            token.fixed = True

    # ---- extents ----
    def ends_statement(self, i):
        token = self.tokens[i]
        return token.text == ";" or (token.text in "{}" and self.brace(i) != "init")

    def brace(self, i):
        token = self.tokens[i]
        return (token if token.text == "{" else self.tokens[token.mate]).body

    def binary(self, i):
        token = self.tokens[i]
        if token.kind != "mark" or token.text not in PRECEDENCE or i + 1 >= len(self.tokens):
            return False
        before = self.tokens[i - 1]
        return token.spaced and self.tokens[i + 1].spaced and self.at(i - 1) != "operator" and \
            (before.kind in ("word", "number", "string", "character", "angle")
             or before.text in CLOSERS) and before.text not in KEYWORDS

    def left(self, i, precedence):
        """First token of the operand that ends before token i."""
        j = i - 1
        while j >= 0:
            token = self.tokens[j]
            if token.text in CLOSERS or (token.kind == "angle" and token.mate < j):
                if token.text == "}" and self.brace(j) != "init":
                    break
                if token.text == ")" and self.at(token.mate - 1) in ("if", "for", "while", "switch"):
                    break
                j = token.mate - 1
                continue
            if token.text in OPENERS or token.kind == "angle" or token.text in ",;?:" \
                    or token.text in ASSIGNMENTS or token.text in ENDS_OPERAND:
                break
            if self.binary(j) and PRECEDENCE[token.text] < precedence:
                break
            j -= 1
        return j + 1

    def right(self, i, precedence):
        """One past the last token of the operand that starts after token i."""
        j = i + 1
        while j < len(self.tokens):
            token = self.tokens[j]
            if token.text in OPENERS or (token.kind == "angle" and token.mate > j):
                if token.text == "{" and token.body == "code" and self.at(j - 1) not in (")", "]"):
                    break
                j = token.mate + 1
                continue
            if token.text in CLOSERS or token.text in ",;?:" or token.text in ASSIGNMENTS \
                    or token.kind == "angle":
                break
            if self.binary(j) and PRECEDENCE[token.text] <= precedence:
                break
            j += 1
        return j

    def plain(self, begin, end):
        """The tokens as text on one line, without comments."""
        parts = []
        for i in range(begin, end):
            if i > begin:
                gap = self.text[self.tokens[i - 1].end:self.tokens[i].start]
                parts.append(gap if gap.strip(" ") == "" else " ")
            parts.append(self.tokens[i].text)
        return "".join(parts)

    # ---- faults ----
    def add(self, begin, end, at, after, what, form="value"):
        """Tokens begin … end - 1 replaced by the text `after`; `at` is the token that it is about."""
        if begin >= end or len(after) > 400 or self.tokens[at].fixed:
            return
        scope, constant, asks = self.scope(begin)
        if scope is None:
            return
        start, stop = self.tokens[begin].start, self.tokens[end - 1].end
        self.faults.append(Fault(self.name, self.line_of(self.tokens[at].start), what,
                                 self.plain(begin, end), after, start, stop, form, constant,
                                 asks))

    def scope(self, i):
        """(what the innermost brace that is no initializer holds, what its constexpr becomes, what
        to call), or (None, …) where a fault could only fail to compile."""
        j, constant, same_statement, words = i - 1, -1, True, set()
        body, asks = "", "at"
        while j >= 0:
            token = self.tokens[j]
            if token.text in CLOSERS or (token.kind == "angle" and token.mate < j):
                if token.text == "}" and self.brace(j) != "init":
                    same_statement = False
                j = token.mate - 1
                continue
            if token.text == "{" and token.body != "init":
                body = body or token.body
                if token.body != "code":
                    break
                if "constexpr" in self.head_of(j) and "if" not in self.head_of(j):
                    asks = "atRunTime"
                same_statement = False
            if token.text == ";" and not self.inside_for(j):
                same_statement = False
            if same_statement:
                words.add(token.text)
                if token.text == "constexpr":
                    constant = token.start
            j -= 1
        body = body or "namespace"
        if (body == "class" and self.settings) or \
                (body in ("class", "namespace") and not {"=", "{", "("} & words):
            return None, (), asks
        if constant < 0:
            return body, (), asks
        instead = "const" if body == "code" or "inline" in words else "inline const"
        return body, (constant, instead), asks

    def inside_for(self, j):
        depth = 0
        while j >= 0:
            if self.tokens[j].text in CLOSERS:
                j = self.tokens[j].mate
            elif self.tokens[j].text == "(":
                return True
            elif self.tokens[j].text in "{[":
                return False
            j -= 1
        return False

    def swap(self, i, text, what):
        precedence = PRECEDENCE[self.at(i)]
        begin, end = self.left(i, precedence), self.right(i, precedence)
        if begin >= i or end <= i + 1:
            return
        words = self.tokens[begin:end]
        if self.at(i) in ("+", "<<", ">>") and any(t.kind == "string" for t in words):
            return
        if self.at(i) in ("<<", ">>") and not any(
                t.kind == "number" for t in (self.tokens[i - 1], self.tokens[i + 1])) \
                and not self.at(i - 1).startswith("}"):
            return
        self.add(begin, end, i, f"{self.plain(begin, i)} {text} {self.plain(i + 1, end)}", what)

    def look(self, i):
        token = self.tokens[i]
        text = token.text
        if token.fixed:
            return
        if self.binary(i) and text in SWAPS:
            self.swap(i, SWAPS[text], f"{SWAPS[text]} for {text}")
        elif token.kind == "number":
            for after, what in others(text):
                self.add(i, i + 1, i, after, what)
        elif text in ("true", "false"):
            other = "false" if text == "true" else "true"
            self.add(i, i + 1, i, other, f"{other} for {text}")
        elif text == "!" and self.tokens[i + 1].text != "=":
            end = self.right(i, 100)
            self.add(i, end, i, f"static_cast<bool>({self.plain(i + 1, end)})", "no !")
        elif text == "?":
            self.choice(i)
        elif text in ("if", "while") and self.at(i + 1) == "(":
            self.condition(i)
        elif text in UNITS:
            first = i - 2 if self.at(i - 1) == "::" else i
            self.add(first, i + 1, i, self.plain(first, i) + UNITS[text], f"{UNITS[text]} for {text}")
        elif text == "std" and self.at(i + 1) == "::" and self.at(i + 2) in FUNCTIONS:
            self.function(i)
        if self.starts_statement(i):
            self.statement(i)

    def choice(self, i):
        begin = self.left(i, 0)
        if begin < i:
            whole = self.plain(begin, i)
            self.add(begin, i, i, f"!({whole})", "other choice", "condition")

    def condition(self, i):
        begin, end = i + 2, self.tokens[i + 1].mate
        j = begin
        while j < end:
            if self.at(j) in OPENERS or (self.tokens[j].kind == "angle" and self.tokens[j].mate > j):
                j = self.tokens[j].mate
            elif self.at(j) == ";":
                begin = j + 1
            elif self.at(j) == "=" and self.tokens[j - 1].kind == "word" \
                    and (self.tokens[j - 2].kind in ("word", "angle") or self.at(j - 2) in "*&"):
                return  # a declaration
            j += 1
        whole = self.plain(begin, end)
        self.add(begin, end, i, "false", "never", "condition")
        if self.at(i) == "if":
            self.add(begin, end, i, "true", "always", "condition")
            if not self.negated_by_an_operator(begin, end):
                self.add(begin, end, i, f"!({whole})", "negated", "condition")

    def negated_by_an_operator(self, begin, end):
        """Whether != for ==, == for != or no ! is the same fault."""
        if self.at(begin) == "!" and self.right(begin, 100) == end:
            return True
        return any(self.at(j) in ("==", "!=") and self.left(j, PRECEDENCE["=="]) == begin
                   and self.right(j, PRECEDENCE["=="]) == end for j in range(begin, end))

    def function(self, i):
        j = i + 3
        if self.tokens[j].kind == "angle":
            j = self.tokens[j].mate + 1
        if self.at(j) != "(" or self.at(i - 1) == "using":
            return
        end = self.tokens[j].mate + 1
        name = self.at(i + 2)
        other = FUNCTIONS[name]
        after = f"std::{other}" + self.plain(i + 3, end)
        # Both choices of ?: must have one type, or the copy is another program without a fault.
        if name in ("lround", "llround"):
            after = f"static_cast<{'long long' if name == 'llround' else 'long'}>({after})"
        self.add(i, end, i, after, f"{other} for {name}")

    def starts_statement(self, i):
        before = self.at(i - 1)
        if self.tokens[i].kind != "word" and self.at(i) not in ("++", "--", "*", "("):
            return False
        if before in (";", "{", "}"):
            if before != ";" and self.brace(i - 1) == "init":
                return False
            if before == ";" and self.inside_for(i - 1):
                return False
            return True
        if before == ")":
            opener = self.tokens[i - 1].mate
            return self.at(opener - 1) in ("if", "for", "while") or \
                (self.at(opener - 1) == "constexpr" and self.at(opener - 2) == "if")
        if before == ":":
            return self.at(i - 2) == "default" or self.tokens[i - 1].fixed
        return before in ("else", "do")

    def statement(self, i):
        """A call, an assignment, ++ or -- that is a whole statement."""
        if self.at(i) in KEYWORDS or self.at(i) in KEPT_CALLS or \
                re.fullmatch(r"[A-Z][A-Z0-9_]+", self.at(i)):
            return
        scope = self.scope(i)[0]
        if scope != "code":
            return
        end = i
        while end < len(self.tokens) and self.at(end) != ";":
            if self.at(end) in OPENERS or (self.tokens[end].kind == "angle"
                                           and self.tokens[end].mate > end):
                end = self.tokens[end].mate
            elif self.at(end) in CLOSERS:
                return
            end += 1
        whole = self.plain(i, end)
        if self.at(i) in ("++", "--"):
            self.add(i, end, i, "", "left out", "statement")
            return
        after = self.chain(i, end)
        if after is None:
            return
        if after == end:
            if self.at(end - 1) == ")":
                self.add(i, end, i, "", "left out", "statement")
            elif self.at(end - 1) in ("++", "--"):
                self.add(i, end, i, "", "left out", "statement")
        elif self.at(after) in ASSIGNMENTS:
            self.add(i, end, after, "", "left out", "statement")
            other = ASSIGNMENTS[self.at(after)]
            if other and not any(t.kind == "string" for t in self.tokens[i:end]):
                self.add(i, end, after,
                         f"{self.plain(i, after)} {other} {self.plain(after + 1, end)}",
                         f"{other} for {self.at(after)}", "statement")

    def chain(self, i, end):
        """Past a::b<c>.d->e[f](g)…, or None if the statement does not start with one."""
        if self.at(i) == "*" or self.at(i) == "(":
            if self.at(i) == "*":
                i += 1
            if self.at(i) == "(":
                i = self.tokens[i].mate + 1
                if self.at(i) in ASSIGNMENTS:
                    return i
                if self.at(i) not in (".", "->", "[", "("):
                    return None
        expect_word = self.tokens[i].kind == "word"
        if not expect_word and self.at(i) not in (".", "->", "[", "("):
            return None
        while i < end:
            token = self.tokens[i]
            if expect_word:
                if token.kind != "word" or token.text in KEYWORDS:
                    return None
                expect_word = False
                i += 1
            elif token.text in (".", "->", "::"):
                expect_word = True
                i += 1
            elif token.text in ("(", "[") or (token.kind == "angle" and token.mate > i):
                i = token.mate + 1
            elif token.text in ("++", "--"):
                return i + 1
            elif token.text in ASSIGNMENTS:
                return i
            else:
                return None
        return i

    # ---- names ----
    def number(self):
        """An id that stays while the line does, wherever the line moves in its file."""
        seen = {}
        for fault in self.faults:
            identify(fault, self.line_text(fault.line), seen)

    def replaced(self, find, put, name):
        """The fault that has `put` in place of the one text `find`."""
        starts = [m.start() for m in re.finditer(re.escape(find), self.text)]
        if len(starts) != 1:
            return len(starts)
        statement = find.endswith(";")
        start, end = starts[0], starts[0] + len(find) - statement
        put = put.rstrip(";") if statement else put
        fault = Fault(self.name, self.line_of(start), name, find, put, start, end,
                      form="statement" if statement else "value", name=name)
        identify(fault, find, {})
        return fault


def identify(fault, line, seen):
    key = "|".join((fault.file, line, fault.what, fault.before, fault.after))
    seen[key] = seen.get(key, 0) + 1
    digest = hashlib.sha256(f"{key}|{seen[key]}".encode()).hexdigest()
    fault.id = max(1, int(digest[:8], 16))


def others(number):
    """Other values of the same type: (text, in words)."""
    plain = number.replace("'", "")
    match = re.fullmatch(r"(0[xX])?([0-9a-fA-F]+)([uUlLzZ]*)", plain) \
        if plain[:2] in ("0x", "0X") else re.fullmatch(r"()(\d+)([uUlLzZ]*)", plain)
    if match:
        base = 16 if match[1] else 10
        value, suffix = int(match[2], base), match[3]

        def write(other):
            return (f"0x{other:x}" if base == 16 else str(other)) + suffix

        unit = base == 10 and value >= 1000 and set(str(value)[1:]) == {"0"} \
            and str(value)[0] == "1" and (len(str(value)) - 1) % 3 == 0
        if unit:
            return [(write(value // 1000), f"{write(value // 1000)} for {number}")]
        found = [(write(value + 1), f"{write(value + 1)} for {number}")]
        if value > 0:
            found.append((write(value - 1), f"{write(value - 1)} for {number}"))
        return found
    match = re.fullmatch(r"(\d*\.?\d*)(?:[eE]([+-]?\d+))?([fFlL]?)", plain)
    if not match or match[1] in ("", "."):
        return []
    mantissa, exponent, suffix = match[1], match[2], match[3]
    if float(mantissa) == 1 and exponent is not None and int(exponent) % 3 == 0:
        other = f"{mantissa}e{int(exponent) + 3}{suffix}"
    elif float(mantissa) == 1000:
        other = f"{mantissa}e3{suffix}"
    else:
        other = f"{float(mantissa) + 1:g}" + (f"e{exponent}" if exponent is not None else "")
        other += (".0" if re.fullmatch(r"\d+", other) else "") + suffix
    return [(other, f"{other} for {number}")]


def with_faults(text, faults, header):
    """The source with `faults`, each at work while its id is selected; no line moves."""
    sites = {}
    for fault in faults:
        sites.setdefault((fault.start, fault.end), []).append(fault)
    edits = []  # (position, rank, insertion): at one position what ends stands before what starts
    for (start, end), group in sites.items():
        asks = [f"t3_mutant::{f.asks}<0x{f.id:x}>()" for f in group]
        if any(f.form == "statement" for f in group):
            choices = "".join(f"{ask} ? void({f.after}) : " for ask, f in zip(asks, group))
            opening, closing = f"({choices}void(", "))"
        elif any(f.form == "condition" for f in group):
            choices = "".join(f"{ask} ? static_cast<bool>({f.after}) : "
                              for ask, f in zip(asks, group))
            opening, closing = f"({choices}static_cast<bool>(", "))"
        else:
            choices = "".join(f"{ask} ? ({f.after}) : " for ask, f in zip(asks, group))
            opening, closing = f"({choices}(", "))"
        edits.append(((start, 1, -end), opening, 0))
        edits.append(((end, 0, -start), closing, 0))
    for position, instead in {f.constant for f in faults if f.constant}:
        edits.append(((position, 2, 0), instead, len("constexpr")))
    for (position, _, _), insertion, dropped in sorted(edits, key=lambda e: e[0], reverse=True):
        text = text[:position] + insertion + text[position + dropped:]
    return f'#include "{header}"\n#line 1\n' + text
