# SPDX-License-Identifier: Apache-2.0
"""Writes rtl/t3_reg_map.sv and rtl/t3_reg_types.svh: what of the register file follows from t3_registers.json alone.

Beside what the other outputs need, a register or field in the JSON says there what it is in the RTL. `bits`,
`value`, `elements` and `derived` are expressions of the unit's parameters.

  bits      how many of its bits exist in a unit; of a register: it is one field
  exists    when a unit has the field or array, if not always; else it has no bit, and is 0, or is not mapped
  value     what is read: a constant of the unit
  store     kept here, as bits `at` … of `name`, which is `of` bits wide and of which `present` exist
            (RW without this: `name` is that of the register and field, and there is nothing else in it);
            what is kept of all elements of an array is one register, an element's struct beside the other
  input     kept elsewhere and only read here
  strobe    a write to the register is reported, too, with its fields that are not kept here
  any       a write of any value does the same: none is refused
  written   bits of a register that is written as a whole, where that is no field
  group     kept elsewhere, in one struct with the others of this group
  elements  how many of an array exist; `width`: what numbers them
  external  an array that is a memory elsewhere: only recognized here
"""


import re

from naming import camel, full_name, number


class Field:
    """A field of a register, or the register itself if it is one field."""

    def __init__(self, array, register, description, shared):
        whole = description is register
        parts = [array["name"] if array else "", register["name"],
                 "" if whole else description["name"]]
        self.name = "_".join(part.lower() for part in parts if part)
        self.array = array
        number_of = description.get("lsb", 0)
        # Fields have a constant for their lowest bit; a register that is one field has none.
        self.lsb = number_of if whole else f"t3_reg_pkg::{camel('_'.join(p for p in parts if p))}Lsb"
        wide = "t3_pkg::CounterWidth" if register["access"] == "RO64" else 32
        self.bits = str(description.get("bits", wide if whole else description["width"]))
        self.value = description.get("value")
        self.exists = description.get("exists")
        store = description.get("store", {})
        access = description.get("access", register["access"])
        self.stored = self.value is None and not description.get("input") and access == "RW"
        self.local = (description if not whole or register["name"] else array)["name"].lower()
        self.group = (array if array and not register["name"] else register).get("group")
        self.written = not array and register.get("strobe") and not self.stored and access != "RO"
        self.vector = store.get("name", self.name)
        self.at = store.get("at", 0)
        self.of = str(store.get("of", self.bits))
        self.present = store.get("present", self.bits)
        self.part = "at" in store
        self.member = self.local if self.vector == self.name else self.vector[len(array["name"]) + 1:]
        shared.setdefault(self.vector, self)

    def mask(self):
        """The bits of the register that this field has in a unit."""
        lsb = self.lsb if self.lsb else "0"
        width = f"{self.present} - {self.at}" if self.part and self.at else self.present if self.part else self.bits
        width = f"({self.exists}) ? {width} : 0" if self.exists else width
        return f"t3_pkg::field_mask({lsb}, {width}, {self.bits if self.part else '32'})"

    def slot(self, index):
        """The bits of an input that are this field of element `index`."""
        return f"[{index}*{self.bits} +: {self.bits}]" if index else ""

    def place(self, word, index=""):
        """The bits of the word of an element that hold this field, or what it is a part of; with an index, of the
        array's register."""
        element = self.array["function"]
        start = (f"{index}*{camel(element)}Bits + " if index else "") + f"{camel(element)}{camel(self.member)}At"
        return f"{word}[{start}{f' +: {self.present}' if self.present != '1' else ''}]"

    def read(self, word):
        """What is read of this field; what does not exist of it is 0."""
        if not self.part:
            return self.place(word)
        return f"{self.bits}'({self.place(word)}{f' >> {self.at}' if self.at else ''})"


class Array:
    """Constants and signals of an array."""

    def __init__(self, description):
        self.description = description
        self.name = description["name"].lower()
        self.camel = camel(description["name"])
        self.one = len(description["registers"]) == 1
        self.external = description.get("external", False)
        self.exists = description.get("exists")  # then there is a power of two of elements
        self.elements = description.get("elements", str(description["most"]))
        self.width = description.get("width", "4")
        self.title = description["function"]
        self.stride = number(description["stride"])
        self.log2 = self.stride.bit_length() - 1
        self.first = number(description["base"])
        self.base = f"t3_reg_pkg::{self.camel}Base"
        self.step = f"16'd{self.stride}" if self.one else f"t3_reg_pkg::{self.camel}Stride"


def vector_range(width):
    """[7:0] of 8, [W-1:0] of W, [W:0] of W + 1."""
    if width.isdigit():
        return f"[{int(width) - 1}:0]"
    return f"[{width[:-4]}:0]" if width.endswith(" + 1") else f"[{width}-1:0]"


def wrapped(line):
    """A line that is too long, in several: behind an assignment, before an operator, behind a label or comma."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    for sign, behind in ((" <= ", True), (" = ", True), (" && ", False), (" == ", False), ("Offset: ", True),
                         (", ", True)):
        if len(line) > 110 and sign in line:
            left, right = line.split(sign, 1)
            first, rest = (left + sign.rstrip(), right) if behind else (left, sign.lstrip() + right)
            if len(first) <= 120:
                return f"{first}\n{wrapped(indent + rest)}"
    return line


def bits_of(data, lsb, bits):
    """`bits` bits of `data` from `lsb` on."""
    if bits == "1":
        return f"{data}[{lsb}]"
    if bits == "32":
        return data
    if lsb == 0:
        return f"{data}{vector_range(bits)}"
    return f"{data}[{lsb} +: {bits}]"


class Struct:
    """A word of named fields: a macro T3_…_T for its type, and one, T3_…_BITS, for its width."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.fields = []  # (name, width)

    def add(self, name, width="1"):
        assert name not in [other for other, _ in self.fields], f"{self.name} has two {name}"
        self.fields.append((name, width))

    def bits(self):
        """The width for who has the parameters."""
        return f"`T3_{self.name.upper()}_BITS"

    def macros(self):
        terms = [width.replace("*", " * ") for _, width in self.fields]
        numbers = sum(int(term) for term in terms if term.isdigit())
        terms = ([str(numbers)] if numbers else []) + [term for term in terms if not term.isdigit()]
        times = {term: terms.count(term) for term in dict.fromkeys(terms)}
        total = " + ".join(term if count == 1 else f"{count} * {term}" for term, count in times.items())
        lines = [f"/// {self.text}", *filled(f"`define T3_{self.name.upper()}_BITS ({total})"),
                 f"`define T3_{self.name.upper()}_T(name) \\", "  typedef struct packed { \\"]
        lines += [f"    logic {vector_range(width) + ' ' if width != '1' else ''}{name}; \\"
                  for name, width in self.fields]
        return lines + ["  } name", ""]


def filled(line):
    """A definition in several lines of at most 110 characters."""
    lines = [line]
    while len(lines[-1]) > 110:
        at = lines[-1].rindex(" + ", 0, 106)
        lines[-1:] = [lines[-1][:at] + " \\", "   " + lines[-1][at:]]
    return lines


def offset_of(array, register):
    name = full_name(array, register) if array else register["name"]
    return f"t3_reg_pkg::{camel(name)}Offset"


def fields(array, register, shared):
    if "bits" in register or "fields" not in register or "value" in register:
        return [Field(array, register, register, shared)]
    return [Field(array, register, field, shared) for field in register["fields"]]


class Map:
    """What the JSON says, as registers, arrays, fields and structs."""

    def __init__(self, description):
        self.description = description
        shared = {}  # vector: its first field
        self.plain = [(r, fields(None, r, shared)) for r in description["registers"]]
        arrays = [(Array(a), [(r, [] if a.get("external") else fields(a, r, shared))
                              for r in a["registers"]])
                  for a in description["arrays"]]
        self.internal = [(a, registers) for a, registers in arrays if not a.external]
        self.external = [a for a, _ in arrays if a.external]
        self.kept = [f for f in shared.values() if f.stored]
        self.structs = {}
        self.make_structs()

    def struct(self, name, text):
        return self.structs.setdefault(name, Struct(name, text))

    def array_of(self, field):
        return next(a for a, _ in self.internal if a.description is field.array)

    def width(self, field):
        """Of a field of all elements of its array."""
        if not field.array:
            return field.bits
        elements = self.array_of(field).elements
        return elements if field.bits == "1" else f"{elements}*{field.bits}"

    def make_structs(self):
        for array, _ in self.internal:
            own = [f for f in self.kept if f.array is array.description]
            if own:
                one = self.struct(array.title, f"What is kept of a {array.title} (registers {array.description['name']}_*).")
                for field in own:
                    one.add(field.member, field.present)
        reg2hw = self.struct("reg2hw", "What is kept in the register map.")
        for field in self.kept:
            if not field.array:
                reg2hw.add(field.name, field.bits)
        for array, _ in self.internal:
            if array.title in self.structs:
                reg2hw.add(f"{array.title}s", f"{array.elements}*{self.structs[array.title].bits()}")
        writes = self.struct("writes", "Writes to registers with behaviour: `…_write` in its cycle, and with it what is written, else 0.")
        for array, registers in [(None, self.plain)] + self.internal:
            strobes = [(r, fs) for r, fs in registers if r.get("strobe")]
            for register, of_register in strobes:
                name = f"{array.name}_{register['name'].lower()}" if array else register["name"].lower()
                writes.add(f"{name}_write")
                for field in self.written(register, of_register):
                    writes.add(field.name, field.bits)
            if array and strobes:
                writes.add(f"{array.name}_write_index", array.width)
        groups = {}
        hw2reg = Struct("hw2reg", "What is kept elsewhere, and read here.")
        for field in self.inputs():
            if not field.group:
                hw2reg.add(field.name, self.width(field))
                continue
            if field.group not in groups:
                groups[field.group] = self.struct(field.group, self.description["groups"][field.group])
                hw2reg.add(field.group, None)
            groups[field.group].add(field.name, self.width(field))
        hw2reg.fields = [(name, width or groups[name].bits()) for name, width in hw2reg.fields]
        self.structs["hw2reg"] = hw2reg

    def inputs(self):
        return [f for _, registers in [(None, self.plain)] + self.internal for _, of_register in registers
                for f in of_register if f.value is None and not f.stored]

    def written(self, register, of_register):
        """The fields of a write that is reported."""
        if "written" in register:
            whole = {"name": register["name"], "access": "W1C", "bits": register["written"], "strobe": True}
            return [Field(None, whole, whole, {})]
        if register.get("value") and "fields" in register:
            return [Field(None, {**register, "access": "W1C"}, field, {}) for field in register["fields"]]
        return [field for field in of_register if field.written]


def types(description, notice):
    """rtl/t3_reg_types.svh."""
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {notice}", "//",
           "// The words between the register map (t3_reg_map) and the rest of the unit, by name, as in t3_types.svh.",
           "`ifndef T3_REG_TYPES_SVH", "`define T3_REG_TYPES_SVH", ""]
    for struct in Map(description).structs.values():
        out += struct.macros()
    return "\n".join([*out, "`endif", ""])


def systemverilog(description, notice):
    registers_of = Map(description)
    plain, internal, external = registers_of.plain, registers_of.internal, registers_of.external
    kept, structs = registers_of.kept, registers_of.structs
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {notice}", "//", "`include \"t3_reg_types.svh\"",
           "/// The register map in the RTL: finds the register of an address, keeps what software writes and",
           "/// only the unit reads, and gathers what is read. What has behaviour is elsewhere.", "///",
           "/// Promise: a write takes effect, and a read samples, in the cycle of its request. A write that is",
           "/// misaligned, unmapped, read only, locked, or of a value with a one where an RW register has no bit",
           "/// changes nothing. A write to a register with behaviour",
           "/// is reported in the cycle of the request (`writes_o`, T3_WRITES_T). `reg2hw_o`, T3_REG2HW_T, is of",
           "/// registers alone; `hw2reg_i` is T3_HW2REG_T. Elements of an array are at [i*W +: W]. A place of an",
           "/// array that is a memory elsewhere is only recognized. Reading the low word of a counter",
           "/// latches its high word for the next read. What arrays keep and that latch have no reset (half the area):",
           "/// `zero_i`, up in the first cycle behind reset, makes them 0.",
           "module t3_reg_map #("]
    parameters = description["parameters"]
    out += [f"  parameter int {name} = {value}," for name, value in parameters.items()]
    out += [f"  localparam int {name} = {value}," for name, value in description["derived"].items()]
    for array, _ in internal:
        if array.elements.isidentifier() and any(f.array is array.description for f in registers_of.inputs()):
            out.append(f"  localparam int {array.camel}Count = 1 << {array.width},")
    out[-1] = out[-1][:-1]
    out += [") (", "  input  logic clk_i,", "  input  logic rst_ni,", "  input  logic zero_i,", "",
            "  input  logic        wr_valid_i,", "  input  logic [15:0] wr_addr_i,",
            "  input  logic [31:0] wr_data_i,", "  input  logic        wr_locked_i,",
            "  output logic        wr_error_o,", "  input  logic        rd_valid_i,",
            "  input  logic [15:0] rd_addr_i,", "  output logic [31:0] rd_data_o,",
            "  output logic        rd_error_o,", "",
            "  output logic [`T3_REG2HW_BITS-1:0] reg2hw_o,", "  output logic [`T3_WRITES_BITS-1:0] writes_o,",
            "  input  logic [`T3_HW2REG_BITS-1:0] hw2reg_i,", ""]

    def count(field):
        if not field.array:
            return ""
        array = registers_of.array_of(field)
        return f"{array.camel}Count" if array.elements.isidentifier() else array.elements

    def vector_width(field, bits=None):
        terms = [term for term in (count(field), bits or field.of) if term and term != "1"]
        if not terms:
            return ""
        return (vector_range(terms[0]) if len(terms) == 1 else f"[{'*'.join(terms)}-1:0]") + " "

    writable = [(a, rs) for a, rs in internal if any(r["access"] == "RW" for r, _ in rs)]
    out.append("  /// What an address names, locked or not: a place of a memory; an element.")
    for array in external:
        out += [f"  output logic wr_{array.name}_o,", f"  output logic rd_{array.name}_o,"]
    for array, _ in writable:
        out += [f"  output logic wr_{array.name}_o,", f"  output logic {vector_range(array.width)} wr_{array.name}_index_o,"]
    out[-1] = out[-1][:-1]
    out += [");", ""]
    groups = list(dict.fromkeys(f.group for f in registers_of.inputs() if f.group))
    kinds = [name for name in structs if name in [a.title for a, _ in internal]]
    out += [f"  `T3_{name.upper()}_T({name}_t);" for name in groups + ["writes", "hw2reg"]]
    out += ["  writes_t writes;", "  hw2reg_t hw2reg;"]
    out += [f"  {name}_t {name};" for name in groups]
    out += ["  assign writes_o = writes;", "  assign hw2reg = hw2reg_i;"]
    out += [f"  assign {name} = hw2reg.{name};" for name in groups]
    source_of = {f.name: f"{f.group or 'hw2reg'}.{f.name}" for f in registers_of.inputs()}
    for field in registers_of.inputs():
        if field.array:  # padded with zeros, so that no index is beyond it; not every tool indexes a member
            source_of[field.name] = field.name
            width = vector_width(field)
            out += [f"  logic {width}{field.name};",
                    f"  assign {field.name} = ({width[1:width.index('-')]})'({field.group or 'hw2reg'}.{field.name});"]
    out.append("")

    # ---- storage
    registers_kept = []  # in the order of T3_REG2HW_T
    for field in kept:
        if not field.array:
            out.append(f"  logic {vector_range(field.bits) + ' ' if field.bits != '1' else ''}{field.vector}_q;")
            registers_kept.append(f"{field.vector}_q")
    for array, _ in internal:
        if array.title not in kinds:
            continue
        element, kind = array.title, camel(array.title)
        out += ["", f"  localparam int {kind}Bits = {structs[element].bits()};"]
        behind = "0"
        for name, width in reversed(structs[element].fields):
            out.append(f"  localparam int {kind}{camel(name)}At = {behind};")
            behind = f"{kind}{camel(name)}At + {width}"
        out.append(f"  logic [{array.elements}*{kind}Bits-1:0] {element}s_q;")
        registers_kept.append(f"{element}s_q")
    out += ["", f"  assign reg2hw_o = {{{', '.join(registers_kept)}}};", ""]

    # ---- decoding
    def arrays(side):
        return [array for array, _ in (writable if side == "wr" else internal)]

    def name(side, array, part=""):
        return f"{side}_{array.name}{part}{'_o' if (side == 'wr' or array.external) and part != '_off' else ''}"

    def parts(array):
        return [""] if array.external else ["", "_index"] if array.one else ["", "_index", "_off"]

    def word_of(array):
        return f"shown_{array.title}"

    def signals(side):
        ranges = {"": "", "_index": "{} ", "_off": "[15:0] "}
        return [f"  logic {side}_aligned;"] + [
            f"  logic {ranges[part].format(vector_range(array.width))}{name(side, array, part)};"
            for array in arrays(side) for part in parts(array) if not name(side, array, part).endswith("_o")]

    def defaults(side):
        return [f"    {side}_aligned = 1'b0;"] + [f"    {name(side, array, part)} = {'1' + chr(39) + 'b0' if part == '' else chr(39) + '0'};"
                for array in external + arrays(side) for part in parts(array)]

    def finds(side):
        address = f"{side}_addr_i"
        lines = [f"      {side}_aligned = {address}[1:0] == 2'b00;"]
        for array in external + arrays(side):
            # The base is aligned to what all elements span (generate.py), so this is above them elsewhere.
            element = f"({address} ^ {array.base}) >> {array.log2}"
            inside = f"({element}) < 16'({array.elements})"
            if array.exists:  # by shift: a compare with 0 elements would be a constant
                inside = f"{array.exists} && ({element} >> $clog2({array.elements})) == '0"
            found = {"": f"{side}_aligned && {inside}",
                     "_index": f"{array.width}'({element})", "_off": f"{address} & ({array.step} - 16'd1)"}
            lines += [f"      {name(side, array, part)} = {found[part]};" for part in parts(array)]
        return lines

    def picks(array, index):
        """The word of one element by compares: a multiplexer for the whole word, in front of those of its fields."""
        i, bits = array.name[0], f"{camel(array.title)}Bits"
        return [f"for (int {i} = 0; {i} < {array.elements}; {i}++) begin",
                f"  if ({index} == {array.width}'({i})) {word_of(array)} = {array.title}s_q[{i}*{bits} +: {bits}];",
                "end"]

    # ---- writes
    out += ["  // ---- writes " + "-" * 83] + signals("wr")
    out += ["  logic wr_go;  // a write to what is here, or to a register with behaviour", "",
            "  always_comb begin : p_find_write"] + defaults("wr")
    out += ["    if (wr_valid_i) begin"] + finds("wr") + ["    end", "  end", ""]
    def case_of_masks(indent, selector, registers, array):
        lines = [f"{indent}case ({selector})"]
        for register, of_register in registers:
            if register["access"] != "RW" or register.get("any"):
                continue
            masked = of_register
            if register.get("value"):
                masked = registers_of.written(register, of_register)
            lines.append(f"{indent}  {offset_of(array, register)}: wr_bits = {' | '.join(f.mask() for f in masked)};")
        return lines + [f"{indent}  default: ;", f"{indent}endcase"]

    out += ["  logic [31:0] wr_bits;  // that the register has", "  logic wr_unfit;", "  always_comb begin : p_wr_bits",
            "    wr_bits = '1;", "    if (wr_valid_i) begin"]
    lead = "      if"
    for array, registers in writable:
        out.append(f"{lead} (wr_{array.name}_o) begin")
        out += case_of_masks("        ", f"wr_{array.name}_off", registers, array.description)
        lead = "      end else if"
    places = " && ".join(f"!wr_{array.name}_o" for array in external)
    out += [f"{lead} ({places}) begin"] + case_of_masks("        ", "wr_addr_i", plain, None)
    out += ["      end", "    end", "  end", "  assign wr_unfit = (wr_data_i & ~wr_bits) != '0;", ""]

    out += ["  always_comb begin : p_decode_write"]
    strobes = []
    for array, registers in [(None, plain)] + internal:
        for register, _ in registers:
            if register.get("strobe"):
                strobes.append((array, register))
    strobe_name = {id(r): "writes." + (f"{a.name}_" if a else "") + f"{r['name'].lower()}_write"
                   for a, r in strobes}
    out.append("    writes = '0;")
    out += ["    wr_error_o = 1'b0;", "    if (wr_valid_i) begin"]

    def case_of_writes(indent, selector, registers, array):
        lines = [f"{indent}case ({selector})"]
        written = [r for r, _ in registers if r["access"] in ("RW", "W1C")]
        quiet = [r for r in written if not r.get("strobe")]
        for register in written:
            if register.get("strobe"):
                lines.append(f"{indent}  {offset_of(array, register)}:"
                             f" {strobe_name[id(register)]} = !wr_locked_i && !wr_unfit;")
        if quiet:
            names = f",\n{indent}  ".join(offset_of(array, r) for r in quiet)
            lines.append(f"{indent}  {names}: wr_error_o = 1'b0;")
        lines.append(f"{indent}  default: wr_error_o = 1'b1;")
        return lines + [f"{indent}endcase"]

    lead = "      if"
    for array, registers in writable:
        out.append(f"{lead} (wr_{array.name}_o) begin")
        out += case_of_writes("        ", f"wr_{array.name}_off", registers, array.description)
        lead = "      end else if"
    places = " && ".join(f"!wr_{array.name}_o" for array in external)
    out += [f"{lead} ({places}) begin"]
    out += case_of_writes("        ", "wr_addr_i", plain, None)
    out += ["      end", "      if (wr_locked_i || wr_unfit) wr_error_o = 1'b1;"]
    for register, of_register in plain:
        if register.get("strobe"):
            written_fields = registers_of.written(register, of_register)
            if written_fields:
                out.append(f"      if ({strobe_name[id(register)]}) begin")
                out += [f"        writes.{f.name} = {bits_of('wr_data_i', f.lsb, f.bits)};" for f in written_fields]
                out.append("      end")
    out += [f"      writes.{array.name}_write_index = wr_{array.name}_index_o;" for array, registers in internal
            if any(r.get("strobe") for r, _ in registers)]
    out += ["    end", "  end", ""]
    places = " && ".join(f"!wr_{array.name}_o" for array in external)
    out += [f"  assign wr_go = wr_valid_i && {places} && !wr_error_o;", ""]

    out += ["  logic [31:0] data;", "  assign data = zero_i ? '0 : wr_data_i;", ""]

    def written(field, index):
        if not field.array:
            return [f"{field.vector}_q <= {bits_of('wr_data_i', field.lsb, field.bits)};"]
        place = field.place(field.array["function"] + "s_q", index)
        if not field.part:
            value = bits_of('data', field.lsb, field.bits)
            return [f"{place} <= {f'({field.exists}) ? {value} : {chr(39)}0' if field.exists else value};"]
        place, at = place.split(" +:")[0], f" + {field.at}" if field.at else ""
        return [f"for (int b = 0; b < {field.bits}; b++) begin",
                f"  if (b{at} < {field.present}) {place}{at} + b] <= data[{f'{field.lsb} + ' if field.lsb else ''}b];", "end"]

    def writes_of(indent, selector, registers, array, index):
        """Writes of an element's fields, each on its own."""
        lines = []
        for register, of_register in registers:
            stores = [line for f in of_register if f.stored for line in written(f, index)]
            if stores:
                lines.append(f"{indent}if (zero_i || {selector} == {offset_of(array, register)}) begin")
                lines += [f"{indent}  {store}" for store in stores] + [f"{indent}end"]
        return lines

    plain_kept = [(r, [f for f in of_register if f.stored]) for r, of_register in plain]
    none = " && ".join(f"!wr_{a.name}_o" for a, _ in writable)
    out += ["  always_ff @(posedge clk_i or negedge rst_ni) begin : p_registers", "    if (!rst_ni) begin",
            *(f"      {f.vector}_q <= '0;" for f in kept if not f.array), f"    end else if (wr_go && {none}) begin",
            "      case (wr_addr_i)"]
    for register, keeps in plain_kept:
        if keeps:
            out += [f"        {offset_of(None, register)}: begin", *(f"          {line}" for f in keeps for line in written(f, "")), "        end"]
    out += ["        default: ;", "      endcase", "    end", "  end", ""]
    for array, registers in internal:
        if array.title not in kinds:
            continue
        index, found = array.name[0], f"wr_{array.name}"
        out += [f"  always_ff @(posedge clk_i) begin : p_{array.name}", f"    if (zero_i || (wr_go && {found}_o)) begin",
                f"      for (int {index} = 0; {index} < {array.elements}; {index}++) begin",
                f"        if (zero_i || {found}_index_o == {array.width}'({index})) begin",
                *writes_of("          ", f"{found}_off", registers, array.description, index),
                "        end", "      end", "    end", "  end", ""]

    # ---- reads
    out += ["  // ---- reads " + "-" * 84] + signals("rd")
    out += [f"  logic [{camel(array.title)}Bits-1:0] {word_of(array)};" for array, _ in internal
            if array.title in kinds]
    out += ["  logic rd_wide, rd_low;  // of a counter of two words; its low one", "  logic [t3_pkg::CounterWidth-1:0] rd_counter;",
            "  logic [t3_pkg::CounterWidth-33:0] high_q;  // high word of the counter whose low word was read last", "",
            "  always_ff @(posedge clk_i) begin : p_high",
            "    if (rd_low || zero_i) high_q <= rd_counter[t3_pkg::CounterWidth-1:32];", "  end", "",
            "  always_comb begin : p_read"]
    out += defaults("rd") + [f"    {word_of(array)} = '0;" for array, _ in internal if array.title in kinds]
    out += ["    rd_wide = 1'b0;", "    rd_low = 1'b0;", "    rd_counter = '0;", "    rd_data_o = '0;",
            "    rd_error_o = 1'b0;", "    if (rd_valid_i) begin"] + finds("rd")

    def shown(field, index):
        target = bits_of("rd_data_o", field.lsb, field.bits)
        if field.value is not None:
            width = "" if field.bits == "32" else f"{field.bits}'({field.value})"
            return f"{target} = {width or field.value};"
        if not field.stored:
            source = f"{source_of[field.name]}{field.slot(index)}"
        else:
            source = field.read(f"shown_{field.array['function']}") if index else f"{field.vector}_q"
        return f"{target} = {source};"

    def case_of_reads(indent, selector, registers, array, index):
        lines = [f"{indent}case ({selector})"]
        for register, of_register in registers:
            if register["access"] == "RO64":
                continue
            label = f"{indent}  {offset_of(array, register)}:"
            if len(of_register) == 1:
                lines.append(f"{label} {shown(of_register[0], index)}")
            else:
                lines += [f"{label} begin"]
                lines += [f"{indent}    {shown(f, index)}" for f in of_register] + [f"{indent}  end"]
        return lines + [f"{indent}  default: rd_error_o = 1'b1;", f"{indent}endcase"]

    lead = "      if"
    for array, registers in internal:
        out.append(f"{lead} (rd_{array.name}) begin")
        index = f"rd_{array.name}_index"
        if array.one:
            field = registers[0][1][0]
            out.append(f"        {shown(field, index)}")
        else:
            if array.title in kinds:
                out += ["        " + line for line in picks(array, index)]
            out += case_of_reads("        ", f"rd_{array.name}_off", registers, array.description, index)
        lead = "      end else if"
    places = " && ".join(f"!rd_{array.name}_o" for array in external)
    out += [f"{lead} (!rd_aligned) begin", "        rd_error_o = 1'b1;",
            f"      end else if ({places}) begin", "        rd_wide = 1'b1;",
            "        case ({rd_addr_i[15:3], 3'b000})"]
    out += [f"          {offset_of(None, r)}: rd_counter = {source_of[r['name'].lower()]};"
            for r, _ in plain if r["access"] == "RO64"]
    out += ["          default: rd_wide = 1'b0;", "        endcase",
            "        if (rd_wide) begin", "          rd_low = !rd_addr_i[2];",
            "          rd_data_o = rd_low ? rd_counter[31:0] : 32'(high_q);", "        end else begin"]
    out += case_of_reads("          ", "rd_addr_i", plain, None, "")
    out += ["        end", "      end", "    end", "  end", "", "endmodule", ""]
    return "\n".join(wrapped(line) for line in "\n".join(out).split("\n"))
