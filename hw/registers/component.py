# SPDX-License-Identifier: Apache-2.0
"""What the IP-XACT component has beside the memory map: bus interfaces, ports, parameters and file sets of the
track-and-trigger unit, read from its module and its list of files."""
import re
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
TOP = "t3_track_trigger"

# The streams' and registers' ports are named after the signals of their bus: <name>_<signal>_i or _o.
AXI4_LITE = ("amba.com", "AMBA4", "AXI4Lite", "r0p0_0")
AXI4_STREAM = ("amba.com", "AMBA4", "AXI4Stream", "r0p0_1")
STREAM_SIGNALS = {"valid": "TVALID", "ready": "TREADY", "slot": "TDATA", "row": "TDATA", "spoiled": "TUSER"}
# The others: name, its bus, side, the logical signal, the port, parameters.
SIGNALS = [
    ("clk", ("xilinx.com", "signal", "clock", "1.0"), "slave", "CLK", "clk_i",
     {"ASSOCIATED_BUSIF": "s_axil:done:rel", "ASSOCIATED_RESET": "rst_ni"}),
    ("rst", ("xilinx.com", "signal", "reset", "1.0"), "slave", "RST", "rst_ni", {"POLARITY": "ACTIVE_LOW"}),
    ("irq", ("xilinx.com", "signal", "interrupt", "1.0"), "master", "INTERRUPT", "irq_o", {"SENSITIVITY": "LEVEL_HIGH"}),
    ("alert", ("xilinx.com", "signal", "interrupt", "1.0"), "master", "INTERRUPT", "alert_o", {"SENSITIVITY": "LEVEL_HIGH"}),
]
MODELS = {"memory": ["t3_ram_1r1w.sv"]}  # files that a chip replaces, in a file set of their own


def module():
    """The parameters with their values, and the ports with direction and the left end of their range, as the RTL says."""
    text = (ROOT / "rtl" / f"{TOP}.sv").read_text(encoding="utf-8")
    head = re.search(rf"^module {TOP} #\((.*?)^\) \((.*?)^\);", text, re.M | re.S)
    package = (ROOT / "rtl" / "t3_pkg.sv").read_text(encoding="utf-8")

    def value(text):
        constant = re.fullmatch(r"t3_pkg::(\w+)", text)
        return int(re.search(rf"localparam int {constant[1]} = (\d+);", package)[1] if constant else text)

    parameters = {name: value(text) for name, text in re.findall(r"^\s*parameter int (\w+) = ([\w:]+)", head[1], re.M)}
    # As IP-XACT's expressions have it; all that are counted here are at least two.
    local = {name: re.sub(r"t3_pkg::index_width", "$clog2", text)
             for name, text in re.findall(r"^\s*localparam int (\w+) = (.+?),?$", head[1], re.M)}
    ports = []
    for way, left, name in re.findall(r"^\s*(input|output)\s+logic\s+(?:\[(.+?):0\]\s*)?(\w+)", head[2], re.M):
        for word, text in local.items():
            left = re.sub(rf"\b{word}\b", text, left)
        ports.append((name, way, left))
    return parameters, ports


def bus(name, kind, side, maps, extra=(), memory_map=None):
    vendor, library, bus_name, version = kind
    lines = [f"<ipxact:busInterface><ipxact:name>{name}</ipxact:name>",
             f'  <ipxact:busType vendor="{vendor}" library="{library}" name="{bus_name}" version="{version}"/>',
             "  <ipxact:abstractionTypes><ipxact:abstractionType>",
             f'    <ipxact:abstractionRef vendor="{vendor}" library="{library}" name="{bus_name}_rtl" version="{version}"/>',
             "    <ipxact:portMaps>"]
    for logical, port in maps:
        lines += [f"      <ipxact:portMap><ipxact:logicalPort><ipxact:name>{logical}</ipxact:name></ipxact:logicalPort>",
                  f"        <ipxact:physicalPort><ipxact:name>{port}</ipxact:name></ipxact:physicalPort></ipxact:portMap>"]
    lines += ["    </ipxact:portMaps>", "  </ipxact:abstractionType></ipxact:abstractionTypes>"]
    lines.append(f'  <ipxact:{side}><ipxact:memoryMapRef memoryMapRef="{memory_map}"/></ipxact:{side}>' if memory_map
                 else f"  <ipxact:{side}/>")
    if extra:
        lines.append("  <ipxact:parameters>")
        lines += [f"    <ipxact:parameter><ipxact:name>{key}</ipxact:name><ipxact:value>{value}</ipxact:value></ipxact:parameter>"
                  for key, value in extra.items()]
        lines.append("  </ipxact:parameters>")
    return [*lines, "</ipxact:busInterface>"]


def bus_interfaces():
    """The lines in front of the memory map."""
    _, ports = module()
    names = [name for name, *_ in ports]

    def signals(prefix):
        return [(re.fullmatch(rf"{prefix}_(\w+)_[io]", name)[1], name) for name in names if name.startswith(prefix + "_")]

    lines = ["<ipxact:busInterfaces>"]
    for name, kind, side, logical, port, extra in SIGNALS:
        lines += ["  " + line for line in bus(name, kind, side, [(logical, port)], extra)]
    maps = [(signal.upper(), port) for signal, port in signals("s_axil")]
    lines += ["  " + line for line in bus("s_axil", AXI4_LITE, "slave", maps, memory_map="s_axil")]
    for name in ("done", "rel"):
        maps = [(STREAM_SIGNALS[signal], port) for signal, port in signals(name)]
        lines += ["  " + line for line in bus(name, AXI4_STREAM, "master", maps)]
    return ["  " + line for line in [*lines, "</ipxact:busInterfaces>"]]


def model(known, project):
    """The lines behind the memory map, of a unit of the parameters `known`; `project` leads to its folder."""
    parameters, ports = module()
    parameters = {name: known.get(name, value) for name, value in parameters.items()}
    files = [line.strip() for line in (ROOT / "rtl" / f"{TOP}.f").read_text(encoding="utf-8").splitlines()]
    files = [line for line in files if line.endswith(".sv")]
    of_set = {file: next((name for name, own in MODELS.items() if Path(file).name in own), "rtl") for file in files}
    sets = ["rtl", *MODELS]
    lines = ["<ipxact:model>", "  <ipxact:views>",
             "    <ipxact:view><ipxact:name>rtl</ipxact:name>",
             "      <ipxact:componentInstantiationRef>rtl</ipxact:componentInstantiationRef></ipxact:view>",
             "  </ipxact:views>", "  <ipxact:instantiations><ipxact:componentInstantiation>",
             "    <ipxact:name>rtl</ipxact:name>", "    <ipxact:language>SystemVerilog</ipxact:language>",
             f"    <ipxact:moduleName>{TOP}</ipxact:moduleName>", "    <ipxact:moduleParameters>"]
    lines += [f'      <ipxact:moduleParameter type="int"><ipxact:name>{name}</ipxact:name><ipxact:value>{name}</ipxact:value>'
              "</ipxact:moduleParameter>" for name in parameters]
    lines.append("    </ipxact:moduleParameters>")
    lines += [f"    <ipxact:fileSetRef><ipxact:localName>{name}</ipxact:localName></ipxact:fileSetRef>" for name in sets]
    lines += ["  </ipxact:componentInstantiation></ipxact:instantiations>", "  <ipxact:ports>"]
    for name, way, left in ports:
        lines += [f"    <ipxact:port><ipxact:name>{name}</ipxact:name>",
                  f"      <ipxact:wire><ipxact:direction>{way.removesuffix('put')}</ipxact:direction>"]
        if left:
            lines.append(f"        <ipxact:vectors><ipxact:vector><ipxact:left>{escape(left)}</ipxact:left>"
                         "<ipxact:right>0</ipxact:right></ipxact:vector></ipxact:vectors>")
        lines.append("      </ipxact:wire></ipxact:port>")
    lines += ["  </ipxact:ports>", "</ipxact:model>", "<ipxact:fileSets>"]
    for wanted in sets:
        lines.append(f"  <ipxact:fileSet><ipxact:name>{wanted}</ipxact:name>")
        lines += [f"    <ipxact:file><ipxact:name>{project}/{file}</ipxact:name>"
                  "<ipxact:fileType>systemVerilogSource</ipxact:fileType></ipxact:file>"
                  for file in files if of_set[file] == wanted]
        lines.append("  </ipxact:fileSet>")
    lines += ["</ipxact:fileSets>", "<ipxact:parameters>"]
    lines += [f'  <ipxact:parameter parameterId="{name}" resolve="user" type="int"><ipxact:name>{name}</ipxact:name>'
              f"<ipxact:value>{value}</ipxact:value></ipxact:parameter>" for name, value in parameters.items()]
    return ["  " + line for line in [*lines, "</ipxact:parameters>"]]
