# SPDX-License-Identifier: Apache-2.0
"""reproduce.json as objects whose members are there, have their types, and can be drawn."""
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass

SCHEMA = "t3sim-reproduce/1"
REPEATS = "all GPUs simulated"  # the study of points that repeat another one, to be put against it
SMALL = "Mega-GPT-2, T-NLG"     # models that the paper's main figures average, as the summary names them
LARGE = "PALM, MT-NLG"


class BadInput(Exception):
    pass


@dataclass
class Run:
    mode: str
    error: str        # "" if it did not fail; if it did, nothing but its mode and its error is known
    speedup: float = math.nan  # over sequential, or NaN: what is not known is not drawn
    derived: bool = False      # computed from another run
    wall_s: float = 0
    time_ps: int = 0
    prefill_ns: float = math.nan  # of all layers of a model
    phase_ns: dict = None      # exposed
    phases: tuple = ()         # (name, start, end) in ps
    dram: dict = None          # bytes by kind
    dram_total: int = 0
    gemm_end_ps: int = 0
    window_ns: float = 0
    windows: tuple = ()        # bytes by kind in each window, where the point has them


@dataclass
class Point:
    part: str
    preset: str
    model: str
    sublayer: str
    gpus: int
    study: str
    label: str
    settings: dict
    runs: list

    def run(self, mode):
        """The run of that mode, if there is one that did not fail."""
        return next((run for run in self.runs if run.mode == mode and not run.error), None)

    def speedup(self, mode):
        run = self.run(mode)
        return run.speedup if run else math.nan


@dataclass
class Evaluation:
    """Its summary has the names of reproduce.json; of a part that is not there it has [] or None."""
    build: dict
    host: dict
    quick: bool
    points: list
    headlines: list  # of which something was simulated
    ranges: list
    end_to_end: list
    sensitivity: list
    symmetric_against_explicit: list
    all_gather: dict
    pairs: dict
    switch: dict

    def of(self, part):
        """Points of a part, without those that repeat another one with all GPUs."""
        return [point for point in self.points if point.part == part and point.study != REPEATS]

    def range_of(self, part, mode, models):
        """Geometric mean, least and most of a mode over the sublayers of those models, or None."""
        return next((row for row in self.ranges
                     if (row["part"], row["mode"], row["models"]) == (part, mode, models)), None)


# ---- numbers in words ----------------------------------------------------------------------------------------
def span(values, digits):
    """"1.097 to 1.471", of those that are known; "" if none is."""
    known = [value for value in values if not math.isnan(value)]
    return f"{min(known):.{digits}f} to {max(known):.{digits}f}" if known else ""


def signed(value, digits=1):
    """"+1.5", "-1.5" or "0.0", as the program writes it."""
    rounded = round(value, digits) + 0.0  # no negative zero
    return f"{rounded:{'+' if rounded else ''}.{digits}f}"


def all_speedups(points, modes):
    return [1.0, *(point.speedup(mode) for point in points for mode in modes)]


def speedups_in_words(points, modes):
    known = [f"{mode} {words}" for mode in modes if (words := span([point.speedup(mode) for point in points], 3))]
    return f" Speedups over sequential: {', '.join(known)}."


# ---- what is expected ----------------------------------------------------------------------------------------
@dataclass
class Kind:
    words: str
    fits: Callable


TEXT = Kind("text without control characters",
            lambda value: isinstance(value, str) and not re.search("[\0-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]", value))
LIST = Kind("a list", lambda value: isinstance(value, list))
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
# The limits keep sums and quotients finite.
COUNT = Kind("a whole number from 0 to 1e18", lambda value: type(value) is int and 0 <= value <= 10**18)
NUMBER = Kind("a number from -1e15 to 1e15", lambda value: type(value) in (int, float) and -1e15 <= value <= 1e15)
POSITIVE = Kind("a number from 1e-9 to 1e18", lambda value: type(value) in (int, float) and 1e-9 <= value <= 1e18)
SETTING = Kind(TEXT.words, lambda value: TEXT.fits(value) if isinstance(value, str) else True)


def checked(value, kind, where):
    """`value`, as far as it was asked for: of a Kind; {member: kind}, or {...: kind} of all members; [kind of all elements];
    (kind, None) of what may be null or missing; what a function makes of it. Raises BadInput."""
    if isinstance(kind, tuple):
        return None if value is None else checked(value, kind[0], where)
    form = LIST if isinstance(kind, list) else OBJECT if isinstance(kind, dict) else kind
    if isinstance(form, Kind) and not form.fits(value):
        raise BadInput(f"{where}: expected {form.words}, got {json.dumps(value)[:40]}")
    if form is LIST:
        return [checked(one, kind[0], f"{where}[{i}]") for i, one in enumerate(value)]
    if form is OBJECT:
        members = dict.fromkeys(value, kind[...]) if ... in kind else kind
        for name, of in members.items():
            if name not in value and not isinstance(of, tuple):
                raise BadInput(f"{where or 'all of it'}: has no '{name}'; if an older t3sim wrote it, t3sim reproduce writes "
                               "it again, with the runs that are there")
        return {checked(name, TEXT, where): checked(value.get(name), of, f"{where}.{name}".lstrip("."))
                for name, of in members.items()}
    return value if isinstance(kind, Kind) else kind(value, where)


def run_of(value, where):
    run = checked(value, {"mode": TEXT, "status": TEXT, "error": (TEXT, None)}, where)
    if run["status"] != "ok":
        return Run(run["mode"], run["error"] or "failed")
    data = checked(value, RUN, where)
    windows = data["memory"] and data["per_gpu"] and data["memory"]["bytes_over_time"]
    if windows:
        checked(value, {"memory": {"window_ns": POSITIVE}, "per_gpu": [{"gemm_end_ps": POSITIVE}]}, where)
    others = sum(one["dram_read"] + one["dram_write"] for one in data["other_collectives"] or ())
    return Run(run["mode"], "", speedup=data["speedup"] or math.nan, derived=data["derived_from"] is not None,
               wall_s=data["host"]["wall_s"], time_ps=data["time_ps"],
               prefill_ns=data["prefill_ns"] or math.nan, phase_ns=data["phase_ns"],
               phases=[tuple(phase.values()) for phase in data["phases"]],
               dram=checked(value["dram_bytes"], TRAFFIC, f"{where}.dram_bytes"),
               dram_total=sum(data["dram_bytes"].values()) + others,
               gemm_end_ps=data["per_gpu"][0]["gemm_end_ps"] if windows else 0,
               window_ns=data["memory"]["window_ns"] if windows else 0, windows=windows or ())


def point_of(value, where):
    return Point(**{name: "" if member is None else member for name, member in checked(value, POINT, where).items()})


def headline_of(value, where):
    """None if nothing of it was simulated."""
    ours = checked(value, {"ours": (NUMBER, None)}, where)["ours"]
    return None if ours is None else checked(value, HEADLINE, where)


TRAFFIC = dict.fromkeys(("gemm_read", "gemm_write", "rs_read", "rs_write", "ag_read", "ag_write"), COUNT)
RUN = {"time_ps": COUNT, "speedup": (POSITIVE, None), "derived_from": (TEXT, None), "prefill_ns": (POSITIVE, None), "host": {"wall_s": NUMBER},
       "phase_ns": dict.fromkeys(("gemm", "reduce_scatter", "all_gather", "norm", "consumer"), NUMBER),
       "phases": [{"name": TEXT, "start_ps": COUNT, "end_ps": COUNT}], "dram_bytes": {...: COUNT},
       "other_collectives": ([{"dram_read": COUNT, "dram_write": COUNT}], None), "per_gpu": [{"gemm_end_ps": COUNT}],
       "memory": ({"window_ns": NUMBER, "bytes_over_time": [TRAFFIC]}, None)}
POINT = {"part": TEXT, "preset": TEXT, "model": TEXT, "sublayer": TEXT, "gpus": COUNT, "study": (TEXT, None),
         "label": (TEXT, None), "settings": {...: SETTING}, "runs": [run_of]}
HEADLINE = {"name": TEXT, "part": TEXT, "mode": TEXT, "models": TEXT, "statistic": TEXT, "paper": NUMBER, "ours": NUMBER,
            "default_machine": (NUMBER, None), "difference_points": NUMBER}
MEANS = {"t3_mca": NUMBER, "t3_ag": NUMBER, "ideal_ag": NUMBER}
GAIN = {"points": COUNT, "mean": NUMBER, "least": NUMBER, "most": NUMBER}
END = {"value": TEXT, "speedup": NUMBER, "change": NUMBER}
PHASE = {"sequential_ms": POSITIVE, "rest_ms": NUMBER, "speedup_t3": NUMBER, "speedup_t3_mca": NUMBER}
SUMMARY = {"headlines": [headline_of], "ranges": [{"part": TEXT, "mode": TEXT, "models": TEXT, **GAIN}],
           "end_to_end": [{"model": TEXT, "gpus": COUNT, "training": PHASE, "prompt": PHASE, "training_unfused": PHASE,
                           "prompt_unfused": PHASE}],
           "sensitivity": [{"setting": TEXT, "mode": TEXT, "low": END, "high": END}],
           "symmetric_against_explicit": [{"preset": TEXT, "mode": TEXT, "time_difference": NUMBER,
                                           "gemm_read_difference": NUMBER, "link_bytes_equal": FLAG}],
           "all_gather": ({**MEANS, "sublayers": COUNT, "ideal_rs_nmc": NUMBER, "gap_closed": (NUMBER, None),
                           "least_over_t3_mca": NUMBER, "gemm_reads_geomean": NUMBER, "gemm_reads_largest": NUMBER}, None),
           "pairs": ({**MEANS, "pairs": COUNT, "ag_split": NUMBER, "consumer_alone": NUMBER}, None),
           "switch": ({"sublayers": GAIN, "over_nvls": GAIN}, None)}
DOCUMENT = {"build": {"version": TEXT, "commit": TEXT, "dirty": FLAG, "rtl_sha256": TEXT},
            "host": {"command": TEXT, "date": TEXT, "machine": TEXT, "elapsed_s": NUMBER, "jobs": COUNT},
            "quick": (FLAG, None), "points": [point_of], "summary": SUMMARY}


def read(path):
    """Raises BadInput, in one line."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; t3sim reproduce --out {path.parent} writes it") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: damaged: {' '.join(str(error).split())}") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise BadInput(f"{path}: expected schema {SCHEMA}, got {repr(schema)[:40]}")
    try:
        known = checked(data, DOCUMENT, "")
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    summary = known.pop("summary")
    return Evaluation(**known, **{**summary, "headlines": [row for row in summary["headlines"] if row]})
