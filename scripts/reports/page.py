# SPDX-License-Identifier: Apache-2.0
"""The page: what came out in sentences, figures with their captions, tables, and where all of it comes from."""
import base64
import hashlib
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

import jinja2

from . import over_time, studies, sublayers
from .drawing import PALETTE
from .evaluation import signed
from .files import TITLE

HERE = Path(__file__).resolve().parent
# In their order.
FIGURES = (studies.headlines, sublayers.sublayers, sublayers.phases, sublayers.data_movement, over_time.traffic,
           studies.contention, over_time.traffic_by_row, studies.end_to_end, studies.future, studies.tornado,
           studies.sensitivity_curves, sublayers.all_gather, over_time.timeline, studies.all_gather_studies, sublayers.pairs,
           studies.models)
# What the modes are, for readers of the page; K is the number behind the colon.
MODES = {
    "sequential": "The GEMM, then a ring reduce-scatter and a ring all-gather, both as kernels on the compute units. All "
                  "speedups are over this mode.",
    "nvls": "The GEMM, then one kernel that loads each line of its chunk as the sum of what all GPUs have there, which the "
            "switch makes, and stores it in all GPUs at once.",
    "cu-split": "The overlap that needs no new hardware: the reduce-scatter kernel runs on K compute units while the GEMM "
                "has the others; then the all-gather kernel on all.",
    "ag-split": "What software can do where a GEMM follows: sequential, but the all-gather kernel runs on K compute units "
                "while the second GEMM has the others, and works on the rows that are there.",
    "t3": "Output stores are updates that the memory adds; the track-and-trigger unit starts the DMA of each finished tile "
          "while the GEMM goes on; then the all-gather kernel. The memory serves compute and communication in turn.",
    "t3-mca": "t3, and the memory controllers serve first whom the sublayer waits for, the GEMM or the ring.",
    "t3-ag": "t3-mca, and the GEMM produces the first rows of all chunks first, so that the trackers drive the all-gather "
             "beside it as well: no kernel follows. They release rows to a norm and to a second GEMM.",
    "ideal-overlap": "Bound: GEMM and reduce-scatter of sequential overlap without disturbing each other; then the "
                     "all-gather. No simulated machine.",
    "ideal-rs-nmc": "Bound: the GEMM of t3 and a reduce-scatter by DMA engines and near-memory adders, each alone; the "
                    "longer one counts, then the all-gather.",
    "ideal-ag": "Bound: the GEMM of t3-ag, and its reduce-scatter and all-gather on the links, each alone; the longer of "
                "computing and communicating counts.",
}


@dataclass
class Table:
    """The first `heads` cells of a row say what the row is of."""
    caption: str
    heading: list
    rows: list
    heads: int
    scrolls: bool = False  # where the page is too narrow; else a row becomes a list
    terms: tuple = ()

    @property
    def words(self):
        """Which columns have words: a vowel beside another letter, as "2 x compute", but not 1e+05 or GB/s."""
        return [i < self.heads or any(re.search("[aeiou][A-Za-z]|[A-Za-z][aeiou]", row[i]) for row in self.rows)
                for i in range(len(self.heading))]


def draw(found):
    """All figures but those of parts that were not simulated."""
    return [figure for make in FIGURES if (figure := make(found))]


def render(found, figures):
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    script = (HERE / "sort.js").read_text()
    tables = {"end-to-end": end_to_end, "all-gather-speedup": all_gather, "pairs-speedup": pairs}
    return environment.get_template("page.html.j2").render(
        title=TITLE, found=found, figures=figures, definitions=definitions, script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=(HERE / "page.css").read_text(), light=inks(0), dark=inks(1), failures=failures(found),
        paper=[sentence_of(row) for row in found.headlines], beyond=list(beyond(found)),
        tables={name: make(found) for name, make in tables.items()}, agreement=agreement(found),
        every_run=[(part, runs_of(found, part)) for part in dict.fromkeys(point.part for point in found.points)],
        run_terms=RUN_TERMS, modes=definitions(dict.fromkeys(run.mode for point in found.points for run in point.runs)), origin=origin(found))


def inks(theme):
    return " ".join(f"--{name}: {colours[theme]};" for name, colours in PALETTE.items())


def definitions(modes):
    """(mode, what it is), of those that have a definition."""
    return [(mode, re.sub(r"\bK\b", lambda _: number or "K", MODES[kind])) for mode in modes
            for kind, _, number in (mode.partition(":"),) if kind in MODES]


def failures(found):
    return [f"FAILED {' '.join(filter(None, (point.preset, point.study, point.label)))}, {run.mode}: {run.error}"
            for point in found.points for run in point.runs if run.error]


# ---- sentences: (before, number, after) ----------------------------------------------------------------------
def sentence_of(row):
    """Of a headline: what was simulated, what the paper says, and the difference."""
    is_bytes, mean = row["part"] == "data-movement", row["statistic"] == "geomean"
    bound = "" if mean else "at least " if is_bytes else "at most "

    def number(value, digits):
        return f"{100 * value:.{digits[0]}f} %" if is_bytes else f"{value:.{digits[1]}f}"

    ours, _, unit = number(row["ours"], (1, 3)).partition(" ")
    after = f" {unit} of the DRAM bytes of sequential" if is_bytes else " times as fast as sequential"
    after += " on PALM and MT-NLG" if row["models"].startswith("PALM") else ""
    after += " in the mean" if mean else ""
    after += f"; the paper says {number(row['paper'], (0, 2))}: {signed(row['difference_points'])} points"
    if row["default_machine"] is not None:
        after += f"; on the default machine it is {number(row['default_machine'], (1, 3))}"
    return f"{row['mode']} {'moves' if is_bytes else 'is'} {bound}", ours, after + "."


def beyond(found):
    """What the paper does not ask."""
    if ag := found.all_gather:
        gap = ag["gap_closed"]
        if gap is None:
            after = ("; the bounds with the all-gather at the end and with it hidden are too close together for a share of "
                     "their gap.")
        elif gap <= 0:
            after = "; the bound with the all-gather at the end is as fast."
        else:
            after = ("; of the gap between the bounds with the all-gather at the end and with it hidden it closes "
                     f"{100 * gap:.0f} %.")
        yield ("With the all-gather hidden as well, t3-ag is ", f"{ag['t3_ag']:.3f}",
               f" times as fast as sequential in the mean, t3-mca {ag['t3_mca']:.3f} times{after}")
    if of := found.pairs:
        yield ("Where a second GEMM follows, t3-ag is ", f"{of['t3_ag']:.3f}",
               f" times as fast as sequential in the mean of {of['pairs']} pairs, t3-mca {of['t3_mca']:.3f} times, and "
               f"software alone (ag-split:2) {of['ag_split']:.3f} times.")
    if of := found.switch:
        yield ("With a switch that adds, t3-ag is ", f"{of['sublayers']['mean']:.3f}",
               " times as fast in the mean as with one that does not, and "
               f"{of['over_nvls']['mean']:.3f} times as fast as the NVLS kernel on the same switch.")


# ---- tables --------------------------------------------------------------------------------------------------
def end_to_end(found):
    rows = []
    for model in found.end_to_end:
        for attention, suffix in (("fused", ""), ("unfused", "_unfused")):
            cells = [model["model"], str(model["gpus"]), attention]
            for phase in (model["training" + suffix], model["prompt" + suffix]):
                cells += [f"{phase['sequential_ms']:.1f}", f"{100 * phase['rest_ms'] / phase['sequential_ms']:.0f}",
                          f"{phase['speedup_t3']:.3f}", f"{phase['speedup_t3_mca']:.3f}"]
            rows.append(cells)
    return Table("Whole models: training iteration and prompt",
                 ["model", "GPUs", "attention", "training, sequential (ms)", "not simulated (%)", "training, t3",
                  "training, t3-mca", "prompt, sequential (ms)", "not simulated (%)", "prompt, t3", "prompt, t3-mca"],
                 rows, 3, terms=(
                     ("training", "One iteration: forward and backward pass and the optimizer."),
                     ("prompt", "One forward pass over the prompt."),
                     ("attention", "Fused: one kernel, scores stay on chip. Unfused: scores go through memory between "
                                   "GEMMs, scaling with mask, softmax and dropout."),
                     ("not simulated", "Share of sequential's time that is not an all-reduced sublayer: computed by "
                                       "roofline, the same in all modes."),
                     ("t3, t3-mca", "Speedup of the whole over sequential.")))


def all_gather(found):
    ag = found.all_gather
    if not ag:
        return None
    mean = f"Geometric mean of the speedups over sequential, over {ag['sublayers']} sublayers of Mega-GPT-2 and T-NLG"
    rows = [[name, f"{ag[name.replace('-', '_')]:.3f}", mean] for name in ("t3-mca", "t3-ag", "ideal-rs-nmc", "ideal-ag")]
    if ag["gap_closed"] is not None:
        rows.append(["gap closed (%)", f"{100 * ag['gap_closed']:z.0f}",
                     "Of the gap between the means of the two bounds, what t3-ag closes"])
    rows += [["least gain", f"{ag['least_over_t3_mca']:.3f}", "Smallest speedup of t3-ag over t3-mca, of all sublayers"],
             ["GEMM reads, mean", f"{ag['gemm_reads_geomean']:.3f}", "What the GEMM reads from memory in t3-ag, divided by "
              "t3-mca's: geometric mean over all sublayers"],
             ["GEMM reads, largest", f"{ag['gemm_reads_largest']:.3f}", "The largest of these"]]
    return Table("What hiding the all-gather is worth", ["figure", "value", "what it is"], rows, 1)


def pairs(found):
    of = found.pairs
    if not of:
        return None
    mean = f"Geometric mean of the speedups over sequential, over {of['pairs']} pairs of Mega-GPT-2 and T-NLG"
    rows = [["ag-split:2", "ag_split", mean], ["t3-mca", "t3_mca", mean], ["t3-ag", "t3_ag", mean],
            ["t3-ag, chunk by chunk", "consumer_alone",
             "The same where only the second GEMM overlaps with the all-gather"], ["ideal-ag", "ideal_ag", mean]]
    return Table("What it is worth to start the second GEMM early", ["mode", "speedup", "what it is"],
                 [[mode, f"{of[name]:.3f}", meaning] for mode, name, meaning in rows], 1)


def agreement(found):
    rows = [[row["preset"], row["mode"], f"{100 * row['time_difference']:z.2f}",
             f"{100 * row['gemm_read_difference']:z.2f}", "equal" if row["link_bytes_equal"] else "different"]
            for row in found.symmetric_against_explicit]
    return rows and Table("One GPU simulated for all, less all simulated",
                          ["preset", "mode", "time (%)", "GEMM reads (%)", "link bytes"], rows, 2, terms=(
                              ("time", "Time of the run in which one GPU stands for all, over that with all GPUs, minus 1."),
                              ("GEMM reads", "The same of the bytes that the GEMM reads from memory."),
                              ("link bytes", "Whether a GPU sends the same number of bytes in both.")))


RUN_TERMS = (
    ("time", "Simulated time of the sublayer, from its beginning to the end of its last phase."),
    ("speedup", "Time of sequential in the same scenario, divided by this time."),
    ("GEMM, + RS, + norm, + AG, + 2nd GEMM", "Parts of the time: the GEMM, and what each of the others adds after what is "
     "before it has ended. Only pairs have a norm and a second GEMM."),
    ("DRAM", "Bytes that the memory of one GPU served, mean of the GPUs. An update counts once, as a write."),
    ("study, changed", "Points that belong together, and in what they differ."),
    ("settings", "The differences from the preset. simulated_gpus=symmetric: one GPU is simulated for all."),
)


def runs_of(found, part):
    """The table of a part. What no point of the part has gets no column."""
    points = [point for point in found.points if point.part == part]
    has_studies = any(point.study for point in points)
    rows = []
    for point in points:
        settings = " ".join(f"{key}={value if isinstance(value, str) else '{...}' if isinstance(value, dict) else json.dumps(value)}"
                            for key, value in point.settings.items())
        for run in point.runs:
            numbers = ["FAILED"] * 8 if run.error else [
                f"{run.time_ps * 1e-6:.1f}", "" if math.isnan(run.speedup) else f"{run.speedup:.3f}",
                *(f"{run.phase_ns[phase] * 1e-3:z.1f}"
                  for phase in ("gemm", "reduce_scatter", "norm", "all_gather", "consumer")), f"{run.dram_total * 1e-6:.1f}"]
            rows.append([f"{point.model} {point.sublayer} TP {point.gpus}",
                         *([point.study, point.label] if has_studies else []), run.mode, *numbers, settings])
    return Table(f"Every run of {part}",
                 ["sublayer", *(["study", "changed"] if has_studies else []), "mode", "time (us)", "speedup", "GEMM (us)",
                  "+ RS (us)", "+ norm (us)", "+ AG (us)", "+ 2nd GEMM (us)", "DRAM (MB)", "settings"],
                 rows, 4 if has_studies else 2, scrolls=True)


# ---- where it comes from -------------------------------------------------------------------------------------
def duration(seconds):
    """"42 s", "7 min 3 s", "5 h 12 min"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def origin(found):
    times = [run.wall_s for point in found.points for run in point.runs if not run.derived]
    build, host = found.build, found.host
    return (("command", host["command"]), ("made", host["date"]), ("on", host["machine"]),
            ("run time", f"{duration(host['elapsed_s'])} with {host['jobs']} at a time. {len(times)} runs, "
                         f"{duration(sum(times))} together, the longest {duration(max(times, default=0))}; runs that an "
                         "earlier start had finished are not made again"),
            ("program", f"t3sim {build['version']}, commit {build['commit'][:12]}"
                        f"{' with changes' if build['dirty'] else ''}; RTL {build['rtl_sha256'][:12]}"))
