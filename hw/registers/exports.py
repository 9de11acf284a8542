# SPDX-License-Identifier: Apache-2.0
"""The register map for other tools: SystemRDL 2.0, and IP-XACT (IEEE 1685-2014), of a unit of one size.

What a standard test of registers needs is in them: how many elements and bits that unit has, the value after reset and
the walk that follows it, what a write does, and what such a test must leave alone. Beside what regmap.py reads, a
register or field in the JSON says there:

  shown     its access, where that is not the one it has in the RTL: WO (write only), WC (any write clears)
  reset     its value after reset, where that is not 0 or what `value` says; null: it is not known
  untested  a write does more than to keep the value, or the value changes by itself: no bit of it is tried
"""
import re
from pathlib import Path
from xml.sax.saxutils import escape

import component
from naming import number

SPACE = 0x10000  # bytes of the AXI4-Lite port's addresses
PACKAGE = Path(__file__).resolve().parents[2] / "rtl" / "t3_pkg.sv"


class Size:
    """Numbers of a unit with the default parameters, or with those of `chosen`."""

    def __init__(self, description, chosen=None):
        self.known = {"index_width": lambda count: max((count - 1).bit_length(), 1)}
        for name, value in re.findall(r"localparam int (\w+) = ([^;]+);", PACKAGE.read_text(encoding="utf-8")):
            self.known[name] = self.number(value)
        for value in description["values"]:
            self.known[value["name"]] = number(value["value"])
            self.known["".join(part.capitalize() for part in value["name"].split("_"))] = number(value["value"])
        for name, value in (description["parameters"] | (chosen or {})).items():
            self.known[name] = self.number(value)
        for name, value in description["derived"].items():
            self.known[name] = self.number(value)

    def number(self, expression):
        text = re.sub(r"\b\d+'[dbh]0\b", "0", str(expression)).replace("t3_pkg::", "").replace("t3_reg_pkg::", "")
        return eval(text, {"__builtins__": {}}, self.known)  # of our own files


def bits_of(field, size):
    """How many bits the unit has of a field."""
    if not size.number(field.get("exists", 1)):
        return 0
    if "written" in field:
        return size.number(field["written"])
    if "store" in field:
        store, bits = field["store"], min(field["width"], 32)
        return max(0, min(bits, size.number(store["present"]) - store["at"]))
    return size.number(field["bits"]) if "bits" in field else field["width"]


def fields_of(register, size):
    """The fields with name, lowest bit, bits, access, value after reset (None: not known), and whether they are tested;
    in order. Behind those that are written, the bits that a write must leave 0."""
    width = width_of(register)
    described = [*([register["rest"]] if "rest" in register else []), *register.get("fields", [])]
    if not described or ("bits" in register and "fields" not in register):
        described = [{key: value for key, value in register.items() if key != "text"} | {"name": "VALUE", "lsb": 0, "width": width}]
    fields = []
    for field in described:
        bits = bits_of(field, size)
        if bits == 0:
            continue
        access = field.get("shown", field.get("access", register["access"]))
        reset = field["reset"] if "reset" in field else size.number(field.get("value", 0))
        fields.append({"name": field["name"], "lsb": field["lsb"], "bits": bits, "access": access.replace("RO64", "RO"),
                       "reset": reset, "tested": not field.get("untested", False)})
    if register["access"] == "RW" and not register.get("any"):
        used = sum(((1 << field["bits"]) - 1) << field["lsb"] for field in fields)
        gaps = re.finditer("0+", f"{used:0{width}b}"[::-1])
        fields += [{"name": f"RESERVED{gap.start()}", "lsb": gap.start(), "bits": gap.end() - gap.start(), "access": "RSV",
                    "reset": 0, "tested": False} for gap in gaps]
    return sorted(fields, key=lambda field: field["lsb"])


def width_of(register):
    return 64 if register["access"] == "RO64" else 32


def elements_of(array, size):
    return size.number(array["elements"]) if "elements" in array else array["most"]


def arrays_of(description, size):
    """Those that the unit has."""
    return [array for array in description["arrays"] if elements_of(array, size) != 0]


# ---- SystemRDL ----------------------------------------------------------------------------------
RDL_ACCESS = {"RO": "sw = r; hw = w;", "RW": "sw = rw; hw = r;", "W1C": "sw = rw; onwrite = woclr; hw = rw;",
              "WO": "sw = w; hw = r;", "WC": "sw = rw; onwrite = wclr; hw = rw;", "RSV": "sw = r; hw = na;"}


def rdl_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rdl_register(register, name, place, indent, size):
    lines = ["reg {", f"  desc = {rdl_text(register['text'])};", f"  regwidth = {width_of(register)};",
             "  accesswidth = 32;"]
    for field in fields_of(register, size):
        high = field["lsb"] + field["bits"] - 1
        untested = "" if field["tested"] else " donttest;"
        reset = "" if field["reset"] is None else f" = {field['reset']:#x}"
        lines.append(f"  field {{ {RDL_ACCESS[field['access']]}{untested} }} {field['name']}[{high}:{field['lsb']}]{reset};")
    lines.append(f"}} {name}{place};")
    return [indent + line for line in lines]


def systemrdl(description, notice, size):
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {notice}",
           f"addrmap {description['block']}_registers {{", f"  name = {rdl_text(description['title'])};",
           "  addressing = compact;", ""]
    for register in description["registers"]:
        out += rdl_register(register, register["name"], f" @{register['offset']}", "  ", size)
    for array in arrays_of(description, size):
        place = f"[{elements_of(array, size)}] @{array['base']} += {array['stride']}"
        out.append("")
        if len(array["registers"]) == 1:
            out += rdl_register(array["registers"][0], array["name"], place, "  ", size)
            continue
        out.append("  regfile {")
        for register in array["registers"]:
            out += rdl_register(register, register["name"], f" @{register['offset']}", "    ", size)
        out.append(f"  }} {array['name']}{place};")
    out += ["};", ""]
    return "\n".join(out)


# ---- IP-XACT ------------------------------------------------------------------------------------
IPXACT_ACCESS = {"RO": "read-only", "RW": "read-write", "W1C": "read-write", "WO": "write-only", "WC": "read-write",
                 "RSV": "read-only"}
IPXACT_WRITE = {"W1C": "oneToClear", "WC": "clear"}


def ipxact_field(field):
    lines = ["<ipxact:field>", f"  <ipxact:name>{field['name']}</ipxact:name>",
             f"  <ipxact:bitOffset>{field['lsb']}</ipxact:bitOffset>"]
    if field["reset"] is not None and field["access"] != "WO":
        lines += ["  <ipxact:resets>", "    <ipxact:reset>", f"      <ipxact:value>'h{field['reset']:x}</ipxact:value>",
                  "    </ipxact:reset>", "  </ipxact:resets>"]
    lines.append(f"  <ipxact:bitWidth>{field['bits']}</ipxact:bitWidth>")
    if field["access"] in ("RO", "W1C", "WC") or not (field["tested"] or field["access"] == "RSV"):
        lines.append("  <ipxact:volatile>true</ipxact:volatile>")
    lines.append(f"  <ipxact:access>{IPXACT_ACCESS[field['access']]}</ipxact:access>")
    if field["access"] in IPXACT_WRITE:
        lines.append(f"  <ipxact:modifiedWriteValue>{IPXACT_WRITE[field['access']]}</ipxact:modifiedWriteValue>")
    if not field["tested"]:
        lines.append("  <ipxact:testable>false</ipxact:testable>")
    if field["access"] == "RSV":
        lines.append("  <ipxact:reserved>true</ipxact:reserved>")
    return ["  " + line for line in [*lines, "</ipxact:field>"]]


def ipxact_register(register, name, offset, counts, indent, size):
    fields = fields_of(register, size)
    kinds = {field["access"] for field in fields} - {"RSV"}
    access = "read-only" if kinds == {"RO"} else "write-only" if kinds == {"WO"} else "read-write"
    lines = ["<ipxact:register>", f"  <ipxact:name>{name}</ipxact:name>",
             f"  <ipxact:description>{escape(register['text'])}</ipxact:description>"]
    lines += [f"  <ipxact:dim>{count}</ipxact:dim>" for count in counts]
    lines += [f"  <ipxact:addressOffset>'h{offset:x}</ipxact:addressOffset>",
              f"  <ipxact:size>{width_of(register)}</ipxact:size>", f"  <ipxact:access>{access}</ipxact:access>"]
    for field in fields:
        lines += ipxact_field(field)
    lines.append("</ipxact:register>")
    return [indent + line for line in lines]


def ipxact(description, notice, size, project="../.."):
    block, version = description["block"], size.known["VERSION_VALUE"]
    out = ['<?xml version="1.0" encoding="UTF-8"?>', "<!-- SPDX-License-Identifier: Apache-2.0 -->",
           f"<!-- {notice} -->",
           '<ipxact:component xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">',
           f"  <ipxact:vendor>{block}</ipxact:vendor>", f"  <ipxact:library>{block}</ipxact:library>",
           f"  <ipxact:name>{block}_track_trigger</ipxact:name>",
           f"  <ipxact:version>{version >> 16}.{version & 0xffff}</ipxact:version>",
           *component.bus_interfaces(),
           "  <ipxact:memoryMaps>", "    <ipxact:memoryMap>", "      <ipxact:name>s_axil</ipxact:name>",
           "      <ipxact:addressBlock>", "        <ipxact:name>registers</ipxact:name>",
           f"        <ipxact:description>{escape(description['title'])}</ipxact:description>",
           "        <ipxact:baseAddress>'h0</ipxact:baseAddress>",
           f"        <ipxact:range>'h{SPACE:x}</ipxact:range>", "        <ipxact:width>32</ipxact:width>"]
    indent = " " * 8
    for register in description["registers"]:
        out += ipxact_register(register, register["name"], number(register["offset"]), [], indent, size)
    for array in arrays_of(description, size):
        count = elements_of(array, size)
        if len(array["registers"]) == 1:
            out += ipxact_register(array["registers"][0], array["name"], number(array["base"]), [count], indent, size)
            continue
        out += [f"{indent}<ipxact:registerFile>", f"{indent}  <ipxact:name>{array['name']}</ipxact:name>",
                f"{indent}  <ipxact:dim>{count}</ipxact:dim>",
                f"{indent}  <ipxact:addressOffset>'h{number(array['base']):x}</ipxact:addressOffset>",
                f"{indent}  <ipxact:range>'h{number(array['stride']):x}</ipxact:range>"]
        for register in array["registers"]:
            out += ipxact_register(register, register["name"], number(register["offset"]), [], indent + "  ", size)
        out.append(f"{indent}</ipxact:registerFile>")
    out += ["      </ipxact:addressBlock>", "      <ipxact:addressUnitBits>8</ipxact:addressUnitBits>",
            "    </ipxact:memoryMap>", "  </ipxact:memoryMaps>", *component.model(size.known, project), "</ipxact:component>", ""]
    return "\n".join(out)
