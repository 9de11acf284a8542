# SPDX-License-Identifier: Apache-2.0
"""The register map for other tools: SystemRDL 2.0, and IP-XACT (IEEE 1685-2014)."""
from xml.sax.saxutils import escape

from naming import number

SPACE = 0x10000  # bytes of the AXI4-Lite port's addresses


def fields_of(register, width):
    """The fields that have names, or the whole register, with the access of each."""
    fields = [*([register["rest"]] if "rest" in register else []), *register.get("fields", [])]
    fields = fields or [{"name": "VALUE", "lsb": 0, "width": width}]
    return [{"access": register["access"]} | field for field in fields]


def width_of(register):
    return 64 if register["access"] == "RO64" else 32


# ---- SystemRDL ----------------------------------------------------------------------------------
RDL_ACCESS = {"RO": "sw = r; hw = w;", "RO64": "sw = r; hw = w;", "RW": "sw = rw; hw = r;",
              "W1C": "sw = rw; onwrite = woclr; hw = rw;"}


def rdl_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rdl_register(register, name, place, indent):
    width = width_of(register)
    lines = ["reg {", f"  desc = {rdl_text(register['text'])};", f"  regwidth = {width};",
             "  accesswidth = 32;"]
    for field in fields_of(register, width):
        high = field["lsb"] + field["width"] - 1
        lines.append(f"  field {{ {RDL_ACCESS[field['access']]} }} {field['name']}[{high}:{field['lsb']}];")
    lines.append(f"}} {name}{place};")
    return [indent + line for line in lines]


def systemrdl(description, notice):
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {notice}",
           f"addrmap {description['block']}_registers {{", f"  name = {rdl_text(description['title'])};",
           "  addressing = compact;", ""]
    for register in description["registers"]:
        out += rdl_register(register, register["name"], f" @{register['offset']}", "  ")
    for array in description["arrays"]:
        place = f"[{array['most']}] @{array['base']} += {array['stride']}"
        out.append("")
        if len(array["registers"]) == 1:
            out += rdl_register(array["registers"][0], array["name"], place, "  ")
            continue
        out.append("  regfile {")
        for register in array["registers"]:
            out += rdl_register(register, register["name"], f" @{register['offset']}", "    ")
        out.append(f"  }} {array['name']}{place};")
    out += ["};", ""]
    return "\n".join(out)


# ---- IP-XACT ------------------------------------------------------------------------------------
IPXACT_ACCESS = {"RO": "read-only", "RO64": "read-only", "RW": "read-write", "W1C": "read-write"}


def ipxact_register(register, name, offset, counts, indent):
    width = width_of(register)
    lines = ["<ipxact:register>", f"  <ipxact:name>{name}</ipxact:name>",
             f"  <ipxact:description>{escape(register['text'])}</ipxact:description>"]
    lines += [f"  <ipxact:dim>{count}</ipxact:dim>" for count in counts]
    lines += [f"  <ipxact:addressOffset>'h{offset:x}</ipxact:addressOffset>",
              f"  <ipxact:size>{width}</ipxact:size>"]
    if register["access"] != "RW":
        lines.append("  <ipxact:volatile>true</ipxact:volatile>")
    lines.append(f"  <ipxact:access>{IPXACT_ACCESS[register['access']]}</ipxact:access>")
    for field in fields_of(register, width):
        lines += ["  <ipxact:field>", f"    <ipxact:name>{field['name']}</ipxact:name>",
                  f"    <ipxact:bitOffset>{field['lsb']}</ipxact:bitOffset>",
                  f"    <ipxact:bitWidth>{field['width']}</ipxact:bitWidth>",
                  f"    <ipxact:access>{IPXACT_ACCESS[field['access']]}</ipxact:access>"]
        if field["access"] == "W1C":
            lines.append("    <ipxact:modifiedWriteValue>oneToClear</ipxact:modifiedWriteValue>")
        lines.append("  </ipxact:field>")
    lines.append("</ipxact:register>")
    return [indent + line for line in lines]


def ipxact(description, notice):
    block = description["block"]
    out = ['<?xml version="1.0" encoding="UTF-8"?>', "<!-- SPDX-License-Identifier: Apache-2.0 -->",
           f"<!-- {notice} -->",
           '<ipxact:component xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">',
           f"  <ipxact:vendor>{block}</ipxact:vendor>", f"  <ipxact:library>{block}</ipxact:library>",
           f"  <ipxact:name>{block}_track_trigger</ipxact:name>",
           f"  <ipxact:version>{number(description['values'][1]['value']) >> 16}."
           f"{number(description['values'][1]['value']) & 0xffff}</ipxact:version>",
           "  <ipxact:memoryMaps>", "    <ipxact:memoryMap>", "      <ipxact:name>s_axil</ipxact:name>",
           "      <ipxact:addressBlock>", "        <ipxact:name>registers</ipxact:name>",
           f"        <ipxact:description>{escape(description['title'])}</ipxact:description>",
           "        <ipxact:baseAddress>'h0</ipxact:baseAddress>",
           f"        <ipxact:range>'h{SPACE:x}</ipxact:range>", "        <ipxact:width>32</ipxact:width>"]
    indent = " " * 8
    for register in description["registers"]:
        out += ipxact_register(register, register["name"], number(register["offset"]), [], indent)
    for array in description["arrays"]:
        single = len(array["registers"]) == 1
        if single:
            out += ipxact_register(array["registers"][0], array["name"], number(array["base"]),
                                   [array["most"]], indent)
            continue
        out += [f"{indent}<ipxact:registerFile>", f"{indent}  <ipxact:name>{array['name']}</ipxact:name>",
                f"{indent}  <ipxact:dim>{array['most']}</ipxact:dim>",
                f"{indent}  <ipxact:addressOffset>'h{number(array['base']):x}</ipxact:addressOffset>",
                f"{indent}  <ipxact:range>'h{number(array['stride']):x}</ipxact:range>"]
        for register in array["registers"]:
            out += ipxact_register(register, register["name"], number(register["offset"]),
                                   [], indent + "  ")
        out.append(f"{indent}</ipxact:registerFile>")
    out += ["      </ipxact:addressBlock>", "      <ipxact:addressUnitBits>8</ipxact:addressUnitBits>",
            "    </ipxact:memoryMap>", "  </ipxact:memoryMaps>", "</ipxact:component>", ""]
    return "\n".join(out)
