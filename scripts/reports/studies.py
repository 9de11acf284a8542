# SPDX-License-Identifier: Apache-2.0
"""Figures of what is varied: the paper's headlines, studies of settings, whole models, other machines."""
import itertools
import math

from . import drawing
from .drawing import FINE, INK, SPEEDUP, Figure, Sheet, box_key, line_key
from .evaluation import all_speedups, signed, span, speedups_in_words


def headlines(found):
    rows = found.headlines
    if not rows:
        return None
    sheet = Sheet(height=26 * len(rows), left=236, right=56, above=24, below=52, width=640,
                  key=[line_key("the paper", "paper"), line_key("simulated", "ours")])
    axes = sheet.panels[0]
    places = drawing.rows(axes, [row["name"] for row in rows], "speedup; for data moved, share of what sequential moves")
    drawing.scale(axes, [row[of] for row in rows for of in ("paper", "ours")], "x")
    axes.hlines(places, [row["paper"] for row in rows], [row["ours"] for row in rows], color=INK["grey"])
    drawing.marks(axes, [row["paper"] for row in rows], places, "paper")
    drawing.marks(axes, [row["ours"] for row in rows], places, "ours")
    at_right = {"transform": axes.get_yaxis_transform(), "ha": "right"}
    axes.text(1.15, len(rows) - 0.35, "points", size=FINE, color=INK["quiet"], **at_right)
    for y, row in zip(places, rows):
        axes.text(1.15, y, signed(row["difference_points"]), va="center", **at_right)
    words = "; ".join(f"{row['name']} {row['ours']:.3f} against {row['paper']:.2f}" for row in rows)
    return sheet.finish(Figure(
        "headlines", "The paper's headlines and ours",
        "At the right: simulated less paper, in hundredths. docs/evaluation.md explains each difference.",
        "A line for each figure that the paper states, its value as a triangle and ours as a dot, simulated against "
        f"paper: {words}.", ["sequential", "t3", "t3-mca", "ideal-overlap"]), found.quick)


# ---- studies: speedups over what is varied ------------------------------------------------------------------
def studies_of(points):
    studies = {}
    for point in points:
        studies.setdefault(point.study, []).append(point)
    return studies


def study_figure(found, points, modes, columns, name, title, caption):
    """A panel for each study, with a line for each mode over the values of its setting."""
    if not points:
        return None
    studies = studies_of(points)
    curves = dict(zip(modes, ("dotted", "solid", "dashed")))
    sheet = Sheet(len(studies), columns, 165, key=[line_key(mode, curve) for mode, curve in curves.items()])
    for axes, (study, members) in zip(sheet.panels, studies.items()):
        for mode, curve in curves.items():
            axes.plot(range(len(members)), [point.speedup(mode) for point in members], **drawing.LOOKS[curve])
        drawing.scale(axes, all_speedups(points, modes))
        drawing.ground(axes, 1)
        axes.set_xlim(-0.4, len(members) - 0.6)
        drawing.named(axes, range(len(members)), [point.label for point in members])
        axes.set_title(study, loc="left", size=12, color=INK["text"])
    for axes in sheet.panels[::columns]:
        axes.set_ylabel(SPEEDUP)
    return sheet.finish(Figure(
        name, title, caption, f"A panel for each of {len(studies)} settings, with a line for each mode over its values." +
        speedups_in_words(points, modes), modes), found.quick)


def contention(found):
    return study_figure(
        found, found.of("contention"), ("ideal-rs-nmc", "t3-mca", "t3"), 2,
        "contention", "What t3 loses to contention",
        "T-NLG FC-2 on 8 GPUs, one setting changed at a time. Walked row by row, the weights are read once in each wave "
        "of workgroups; in t3 more often, unless the L2 holds them.")


def sensitivity_curves(found):
    """Of these the ends of a bar do not say enough: up to which block a tracker with fewer slots costs nothing, and
    from which memory on the arbitration does."""
    wanted = ("tiles of a slot", "tiles of a slot, OP on 16", "memory channels")
    return study_figure(
        found, [point for point in found.of("sensitivity") if point.study in wanted], ("ideal-overlap", "t3-mca", "t3"), 3,
        "sensitivity-curves", "How few slots of the tracker, how wide the memory",
        "T-NLG FC-2 on 8 GPUs, and OP on 16. A slot of the tracker counts for a block of tiles, so blocks twice as large "
        "need half the slots. t3 falls behind t3-mca where the memory is narrow.")


def all_gather_studies(found):
    return study_figure(
        found, [point for point in found.of("all-gather") if point.study], ("ideal-ag", "t3-ag", "t3-mca"), 3,
        "all-gather-sensitivity", "What the speedup of t3-ag depends on",
        "T-NLG FC-2 on 8 GPUs; one setting changed at a time.")


def tornado(found):
    swings = found.sensitivity
    if not swings:
        return None
    sheet = Sheet(height=28 * len(swings), left=190, right=120, above=26, below=52, width=840)
    axes = sheet.panels[0]
    places = drawing.rows(axes, [swing["setting"] for swing in swings],
                          f"change of the speedup of {swings[0]['mode']} against the usual setting (%)")
    ends = [(100 * swing["low"]["change"], 100 * swing["high"]["change"]) for swing in swings]
    drawing.scale(axes, [0, *itertools.chain(*ends)], "x", 8)
    low, high = axes.get_xlim()
    axes.set_xlim(low - 0.16 * (high - low), high + 0.24 * (high - low))  # beside the bars their ends are named
    axes.barh(places, [end - begin for begin, end in ends], 0.5, [begin for begin, _ in ends], color=INK["navy"])
    axes.axvline(0, color=INK["text"], linewidth=1)
    at_right, quiet = {"transform": axes.get_yaxis_transform(), "ha": "right"}, {"size": FINE, "color": INK["quiet"]}
    for x, heading in ((1.115, "lowest"), (1.22, "highest")):
        axes.text(x, len(swings) - 0.3, heading, **at_right, **quiet)
    for y, swing, (begin, end) in zip(places, swings, ends):
        for of, x, shift, align in (("low", begin, -5, "right"), ("high", end, 5, "left")):
            axes.annotate(swing[of]["value"], (x, y), (shift, 0), textcoords="offset points", ha=align, va="center", **quiet)
        for x, change in ((1.115, begin), (1.22, end)):
            axes.text(x, y, signed(change), va="center", **at_right)
    words = "; ".join(f"{swing['setting']} {signed(begin)} ({swing['low']['value']}) to {signed(end)} ({swing['high']['value']})"
                      for swing, (begin, end) in zip(swings, ends))
    return sheet.finish(Figure(
        "sensitivity", "What the speedup depends on",
        "T-NLG FC-2 on 8 GPUs, where the row names no other sublayer. One setting is changed at a time; a bar reaches "
        "from the value with the lowest speedup, named at its left, to that with the highest. 0: the usual setting.",
        f"A bar for each setting, from the lowest to the highest speedup of {swings[0]['mode']}, in per cent of that with "
        f"the usual setting: {words}.", ["sequential", swings[0]["mode"]]), found.quick)


# ---- groups of bars ------------------------------------------------------------------------------------------
def bar_panel(axes, title, labels, heights, looks):
    """`heights` of each look, over the labels."""
    for i, (_, ink) in enumerate(looks):
        drawing.bars(axes, [x + (i - (len(looks) - 1) / 2) * 0.36 for x in range(len(labels))],
                     [height - 1 for height in heights[i]], 0.36, ink, 1)
    drawing.ground(axes, 1)
    axes.set_xlim(-0.7, len(labels) - 0.3)
    drawing.named(axes, range(len(labels)), labels)
    axes.set_title(title, loc="left", size=12, color=INK["text"])


T3_BARS = (("t3", "blue"), ("t3-mca", "navy"))


def end_to_end(found):
    models = found.end_to_end
    if not models:
        return None
    sheet = Sheet(2, 2, 180, below=56, key=[box_key(mode, ink) for mode, ink in T3_BARS])
    values = [1.0, *(model[phase][of] for model in models for phase in ("training", "prompt")
                     for of in ("speedup_t3", "speedup_t3_mca"))]
    labels = [f"{model['model'].replace('-GPT', '-' + chr(10) + 'GPT')}\nTP {model['gpus']}" for model in models]
    for axes, (phase, title) in zip(sheet.panels, (("training", "training iteration"),
                                                   ("prompt", "prompt (forward only)"))):
        bar_panel(axes, title, labels, [[model[phase][of] for model in models]
                                        for of in ("speedup_t3", "speedup_t3_mca")], T3_BARS)
        drawing.scale(axes, values)
    sheet.panels[0].set_ylabel(SPEEDUP)
    words = "; ".join(f"{model['model']} on {model['gpus']} GPUs {model['training']['speedup_t3_mca']:.3f} and "
                      f"{model['prompt']['speedup_t3_mca']:.3f}" for model in models)
    return sheet.finish(Figure(
        "end-to-end", "Whole models",
        "All layers, with the rest of a layer by roofline (docs/evaluation.md names its assumptions). No figure of the "
        "paper is known for this.",
        "Two panels, a training iteration and a prompt, with two bars for each model. Speedups of t3-mca, training and "
        f"prompt: {words}.", ["sequential", "t3", "t3-mca"]), found.quick)


def future(found):
    points = found.of("future")
    if not points:
        return None
    studies = studies_of(points)
    modes = ["t3", "t3-mca", "ideal-overlap"]
    sheet = Sheet(len(studies), 2, 160, below=46,
                  key=[box_key(mode, ink) for mode, ink in T3_BARS] + [line_key("ideal-overlap", "line")])
    for axes, (study, members) in zip(sheet.panels, studies.items()):
        labels = ["\n".join(point.label.rsplit(" ", 1)) if len(point.label) > 5 else point.label for point in members]
        bar_panel(axes, study, labels, [[point.speedup(mode) for point in members] for mode in modes[:2]], T3_BARS)
        drawing.across(axes, range(len(members)), [point.speedup("ideal-overlap") for point in members], 0.84)
        drawing.scale(axes, all_speedups(points, modes))
    for axes in sheet.panels[::2]:
        axes.set_ylabel(SPEEDUP)
    return sheet.finish(Figure(
        "future", "Larger models, faster parts",
        "Lines: ideal-overlap. The reduce-scatter hides best where it takes about as long as the GEMM.",
        f"A panel for each of {len(studies)} models or changed machines, with two bars and a line for the bound at each "
        "point." + speedups_in_words(points, modes), modes), found.quick)


# ---- layers of a model ---------------------------------------------------------------------------------------
MODEL_CURVES = (("without communication", "none", "", "sequential", "line"),
                ("kernels in a ring", None, "", "sequential", "dotted"),
                ("kernels, the switch adds", None, ", switch that adds", "nvls", "faint"),
                ("t3-ag", None, "", "t3-ag", "solid"),
                ("the same, room for stores", None, ", room for stores", "t3-ag", "dashed"),
                ("the same, the switch adds", None, ", switch that adds", "t3-ag", "warm"))


def models(found):
    studies = studies_of(found.of("models"))
    if not studies:
        return None
    panels = [study for study in studies if study.count(", ") == 1 and not study.endswith(", none")]

    def speedups(study, schedule, added, mode):
        """Of the prefill, over that of the dense schedule by kernels in a ring."""
        machine = study.split(", ")[0]
        base = {point.label: point.run("sequential") for point in studies.get(f"{machine}, dense", ())}
        runs = {point.label: point.run(mode) for point in studies.get(f"{machine}, {schedule}" if schedule else study + added, ())}
        return [base[point.label].prefill_ns / runs[point.label].prefill_ns if base.get(point.label) and runs.get(point.label)
                else math.nan for point in studies[study]]

    curves = {(study, label): speedups(study, *of) for study in panels for label, *of, _ in MODEL_CURVES}
    sheet = Sheet(len(panels), min(3, len(panels)), 230, key=[line_key(label, look) for label, *_, look in MODEL_CURVES])
    for axes, study in zip(sheet.panels, panels):
        for label, *_, look in MODEL_CURVES:
            axes.plot(range(len(studies[study])), curves[study, label], **drawing.LOOKS[look])
        drawing.scale(axes, [1.0, *itertools.chain(*curves.values())])
        drawing.ground(axes, 1)
        axes.set_xlim(-0.4, len(studies[study]) - 0.6)
        drawing.named(axes, range(len(studies[study])), [point.label for point in studies[study]])
        axes.set_title(study, loc="left", size=12, color=INK["text"])
    for axes in sheet.panels[::3]:
        axes.set_ylabel("speedup over dense, kernels in a ring")
    for axes in sheet.panels[-3:]:
        axes.set_xlabel("tokens")
    words = "; ".join(f"{label} {span(list(itertools.chain(*(curves[study, label] for study in panels))), 2)}"
                      for label, *_ in MODEL_CURVES)
    return sheet.finish(Figure(
        "models", "What a tracker adds to software that overlaps",
        "Prefill of Llama-3-70B on 8 GPUs. Each panel: a machine and what its software overlaps. Where t3-ag is above both "
        "lines of kernels, a tracker is worth something to that software (docs/worth.md).",
        f"A panel for each of {len(panels)} machines and schedules, with a line over the tokens for each way to reduce. "
        f"Speedups over the dense schedule: {words}.", ["sequential", "nvls", "t3-ag"]), found.quick)
