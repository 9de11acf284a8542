# SPDX-License-Identifier: Apache-2.0
"""reproduce.json as objects whose members are there and have their types."""
import json
from dataclasses import dataclass

SCHEMA = "t3sim-reproduce/1"
REPEATS = "all GPUs simulated"  # the study of points that repeat another one, to be put against it
SMALL = "Mega-GPT-2, T-NLG"     # models that the paper's main figures average, as the summary names them
LARGE = "PALM, MT-NLG"
KINDS = ("gemm_read", "gemm_write", "rs_read", "rs_write", "ag_read", "ag_write")


class BadInput(Exception):
    pass


@dataclass
class Run:
    mode: str
    error: str        # "" if it did not fail
    time_ps: int
    speedup: float    # over sequential, or None
    derived: bool     # computed from another run
    wall_s: float
    phase_ns: dict    # exposed
    phases: list      # (name, start, end) in ps
    dram: dict        # bytes by kind
    dram_total: int
    gemm_end_ps: int
    window_ns: float
    windows: list     # bytes by kind in each window, where the point has them


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
        return run.speedup if run else None

    @property
    def is_small(self):
        return self.model in SMALL.split(", ")


@dataclass
class Evaluation:
    build: dict
    host: dict
    quick: bool
    points: list
    headlines: list
    ranges: list
    models: list       # end to end
    swings: list       # of the sensitivity
    agreements: list   # of one GPU for all with all of them
    all_gather: dict   # None where the part is not there, as are the next two
    pairs: dict
    switch: dict

    def of(self, part):
        """Points of a part, without those that repeat another one with all GPUs."""
        return [point for point in self.points if point.part == part and point.study != REPEATS]

    def range_of(self, part, mode, models):
        """Geometric mean, least and most of a mode over the sublayers of those models, or None."""
        return next((row for row in self.ranges
                     if (row["part"], row["mode"], row["models"]) == (part, mode, models)), None)


def span(values, digits):
    """"1.097 to 1.471", of those that are not None."""
    known = [value for value in values if value is not None]
    return f"{min(known):.{digits}f} to {max(known):.{digits}f}"


def speedups_in_words(points, modes):
    known = [(mode, [point.speedup(mode) for point in points if point.speedup(mode) is not None]) for mode in modes]
    return " Speedups over sequential: " + ", ".join(f"{mode} {span(values, 3)}" for mode, values in known if values) + "."


def all_speedups(points, modes):
    return [1.0, *(value for point in points for mode in modes if (value := point.speedup(mode)) is not None)]


def read(path):
    """Raises BadInput, in one line."""
    def not_a_number(word):
        raise ValueError(f"{word} is no number")

    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_constant=not_a_number)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; t3sim reproduce --out {path.parent} writes it") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: damaged: {' '.join(str(error).split())}") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise BadInput(f"{path}: expected schema {SCHEMA}, got {schema!r}")
    try:
        return evaluation_of(data)
    except KeyError as error:
        raise BadInput(f"{path}: has no {error}; if an older t3sim wrote it, t3sim reproduce writes it again, "
                       "with the runs that are there") from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadInput(f"{path}: damaged: {error}") from None


def evaluation_of(data):
    summary = data["summary"]
    ends = {"value": str, "speedup": float, "change": float}
    phase = {"sequential_ms": float, "rest_ms": float, "speedup_t3": float, "speedup_t3_mca": float}
    means = {"t3_mca": float, "t3_ag": float, "ideal_ag": float}
    gain = {"points": int, "mean": float, "least": float, "most": float}
    return Evaluation(
        build=record(data["build"], {"version": str, "commit": str, "dirty": bool, "rtl_sha256": str}),
        host=record(data["host"], {"command": str, "date": str, "machine": str, "elapsed_s": float, "jobs": int}),
        quick=bool(data.get("quick")),
        points=[point_of(one) for one in items(data["points"])],
        headlines=records(summary["headlines"], {
            "name": str, "part": str, "mode": str, "models": str, "statistic": str, "paper": float,
            "ours": (float, None), "default_machine": (float, None), "difference_points": (float, None)}),
        ranges=records(summary["ranges"], {"part": str, "mode": str, "models": str, **gain}),
        models=records(summary["end_to_end"], {
            "model": str, "gpus": int, "training": phase, "prompt": phase, "training_unfused": phase,
            "prompt_unfused": phase}),
        swings=records(summary["sensitivity"], {
            "setting": str, "mode": str, "low": ends, "high": ends}),
        agreements=records(summary["symmetric_against_explicit"], {
            "preset": str, "mode": str, "time_difference": float, "gemm_read_difference": float,
            "link_bytes_equal": bool}),
        all_gather=value_of(summary.get("all_gather"), ({
            **means, "sublayers": int, "ideal_rs_nmc": float, "gap_closed": (float, None),
            "least_over_t3_mca": float, "gemm_reads_geomean": float, "gemm_reads_largest": float}, None)),
        pairs=value_of(summary.get("pairs"), ({**means, "pairs": int, "ag_split": float, "consumer_alone": float}, None)),
        switch=value_of(summary.get("switch"), ({"sublayers": gain, "over_nvls": gain}, None)))


def point_of(data):
    known = record(data, {"part": str, "preset": str, "model": str, "sublayer": str, "gpus": int, "settings": dict})
    return Point(**known, study=value_of(data.get("study", ""), str), label=value_of(data.get("label", ""), str),
                 runs=[run_of(one) for one in items(data["runs"])])


def run_of(data):
    known = record(data, {"mode": str, "time_ps": int, "speedup": (float, None)})
    phase_ns = record(data["phase_ns"], dict.fromkeys(
        ("gemm", "reduce_scatter", "all_gather", "norm", "consumer"), float))
    dram = {kind: value_of(count, int) for kind, count in data["dram_bytes"].items()}
    others = sum(value_of(one[way], int) for one in data.get("other_collectives", ())
                 for way in ("dram_read", "dram_write"))
    memory = data.get("memory", {})
    return Run(**known, phase_ns=phase_ns, dram={kind: dram[kind] for kind in KINDS},
               dram_total=sum(dram.values()) + others,
               error=value_of(data["error"] or "failed", str) if data["status"] != "ok" else "",
               derived=data["derived_from"] is not None, wall_s=value_of(data["host"]["wall_s"], float),
               phases=[(value_of(one["name"], str), value_of(one["start_ps"], int), value_of(one["end_ps"], int))
                       for one in items(data["phases"])],
               gemm_end_ps=value_of(data["per_gpu"][0]["gemm_end_ps"], int) if data["per_gpu"] else 0,
               window_ns=value_of(memory.get("window_ns", 1), float),
               windows=[{kind: value_of(window[kind], int) for kind in KINDS}
                        for window in memory.get("bytes_over_time", ())])


def value_of(value, kind):
    """`value`, if it is of that type, a record of such members or, with (type, None), null."""
    if isinstance(kind, tuple):
        return None if value is None else value_of(value, kind[0])
    if isinstance(kind, dict):
        return record(value, kind)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"expected {kind.__name__}, got {json.dumps(value)[:40]}")
    return value


def record(data, members):
    return {name: value_of(data[name], kind) for name, kind in members.items()}


def records(data, members):
    return [record(one, members) for one in items(data)]


def items(data):
    return value_of(data, list)
