# SPDX-License-Identifier: Apache-2.0
"""Figures of what happens when: traffic of the memory, and phases."""
import bisect
import csv
import io
import itertools

from . import drawing
from .drawing import FINE, INK, TRAFFIC, Figure, Sheet, box_key
from .files import CSV_HEADING


def read_progress(run):
    """The share of its reads that a GEMM has made at the end of each window, from 0 on."""
    sums = [0, *itertools.accumulate(window["gemm_read"] for window in run.windows)]
    return [value / max(1, sums[-1]) for value in sums]


def behind(run, alone):
    """How far the GEMM of a run is behind the same GEMM with the memory to itself: (time, lag) in us."""
    reference, progress = read_progress(alone), read_progress(run)
    lags = []
    for window, share in enumerate(progress):
        if share >= 1:
            break
        after = bisect.bisect_left(reference, share)
        when = 0 if after == 0 else after - 1 + (share - reference[after - 1]) / (reference[after] - reference[after - 1])
        lags.append((window * alone.window_ns * 1e-3, (window - when) * alone.window_ns * 1e-3))
    return lags


def traffic_figure(found, point, name, what):
    runs = [run for mode in ("sequential", "t3", "t3-mca") if (run := point.run(mode)) and run.windows]
    if not runs:
        return None
    alone = point.run("ideal-rs-nmc")
    lags = {run.mode: behind(run, alone) for run in runs if run.mode != "sequential"} \
        if alone and read_progress(alone)[-1] else {}
    sheet = Sheet(len(runs) + bool(lags), height=140, left=74, above=30, below=36,
                  key=[box_key(title, ink) for _, title, ink in TRAFFIC])
    end = 1.12e-6 * max(run.gemm_end_ps for run in runs)
    stacks = []
    for run in runs:
        window = run.window_ns * 1e-3
        steps = [(at * window, min((at + 1) * window, end), [bytes_[kind] / run.window_ns for kind, _, _ in TRAFFIC])
                 for at, bytes_ in enumerate(run.windows) if at * window < end]
        stacks.append(steps)
    highest = max(sum(rates) for steps in stacks for _, _, rates in steps)
    for axes, run, steps in zip(sheet.panels, runs, stacks):
        times = [time for begin, till, _ in steps for time in (begin, till)]
        rates = [rates for _, _, rates in steps for _ in (0, 1)]
        axes.stackplot(times, *zip(*rates), colors=[INK[ink] for _, _, ink in TRAFFIC], linewidth=0)
        drawing.scale(axes, [0, highest], ticks=4)
        axes.set_ylabel("GB/s")
        axes.set_title(run.mode, loc="left", size=12, color=INK["text"])
        done = run.gemm_end_ps * 1e-6
        axes.plot([done, done], [0, 1.06], transform=axes.get_xaxis_transform(), color=INK["text"],
                  linestyle=(0, (3, 3)), linewidth=1.3)
        axes.text(done, 1.09, "GEMM done", transform=axes.get_xaxis_transform(), ha="right", size=FINE)
    if lags:
        axes = sheet.panels[-1]
        for mode, line in lags.items():
            axes.plot(*zip(*line), **{**drawing.LOOKS["dashed" if mode == "t3" else "solid"], "marker": ""}, label=mode)
        drawing.scale(axes, [0, *(lag for line in lags.values() for _, lag in line)], ticks=4)
        axes.set_ylabel("GEMM behind (us)")
        axes.set_title("how far the GEMM is behind", loc="left", size=12, color=INK["text"])
        axes.legend(loc="lower right")
    for axes in sheet.panels:
        drawing.scale(axes, [0, end], "x", 8)
        axes.grid(visible=False, axis="x")
        axes.set_xlim(0, end)
    sheet.panels[-1].set_xlabel("time (us)", labelpad=3)
    ends = ", ".join(f"{run.gemm_end_ps * 1e-6:.0f} us in {run.mode}" for run in runs)
    figure = sheet.finish(Figure(
        name, f"DRAM traffic over time, {point.model} {point.sublayer} on {point.gpus} GPUs{what}",
        f"One GPU. Bytes that its memory served in each window of {runs[0].window_ns * 1e-3:.0f} us, divided by the "
        "window: a step for each window, kinds stacked. RS: reduce-scatter. AG: all-gather. Last panel: how far the "
        "GEMM's reads are behind those of the same GEMM with the memory to itself; it falls behind where the curve "
        "rises.", "Panels of stacked bandwidth over time, for sequential, t3 and t3-mca, and below them how far the "
        f"GEMM is behind in t3 and t3-mca. The GEMM ends at {ends}.",
        ["sequential", "t3", "t3-mca", "ideal-rs-nmc"]), found.quick)
    figure.files[f"{name}.csv"] = traffic_data(point)
    return figure


def traffic_data(point):
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*CSV_HEADING.split(","), *(f"{title.replace(' ', '_')}_bytes" for _, title, _ in TRAFFIC)])
    for run in point.runs:
        for at, window in enumerate(run.windows):
            rows.writerow([run.mode, at * run.window_ns, (at + 1) * run.window_ns,
                           *(window[kind] for kind, _, _ in TRAFFIC)])
    return text.getvalue().encode()


def traffic(found):
    points = found.of("traffic")
    return traffic_figure(found, points[0], "traffic", "") if points else None


def traffic_by_row(found):
    points = [point for point in found.of("contention") if any(run.windows for run in point.runs)]
    return traffic_figure(found, points[0], "traffic-row-by-row", ", row by row") if points else None


def timeline(found):
    """What runs when, on one GPU: a lane for each phase of each mode."""
    point = next((point for point in found.of("all-gather")
                  if not point.study and point.preset == "t-nlg-fc2-tp8"), None)
    runs = [run for mode in ("sequential", "t3-mca", "t3-ag") if point and (run := point.run(mode)) and run.phases]
    if not runs:
        return None
    lanes = {"gemm": ("GEMM", "navy", 0.24), "reduce_scatter": ("reduce-scatter", "blue", 0),
             "all_gather": ("all-gather", "orange", -0.24)}
    sheet = Sheet(height=190, left=92, right=20, above=12, below=52, width=760,
                  key=[box_key(title, ink) for title, ink, _ in lanes.values()])
    axes = sheet.panels[0]
    for row, run in enumerate(runs):
        for name, begin, end in run.phases:
            if name in lanes:
                _, ink, lane = lanes[name]
                axes.barh(len(runs) - row + lane, (end - begin) * 1e-6, 0.24, begin * 1e-6, color=INK[ink])
    drawing.scale(axes, [0, *(end * 1e-6 for run in runs for _, _, end in run.phases)], "x", 8)
    drawing.named(axes, range(len(runs), 0, -1), [run.mode for run in runs], "y", 12)
    axes.set_ylim(0.5, len(runs) + 0.5)
    axes.set_xlabel("time (us)")
    ends = ", ".join(f"{run.time_ps * 1e-6:.0f} us in {run.mode}" for run in runs)
    return sheet.finish(Figure(
        "all-gather-timeline", "T-NLG FC-2 on 8 GPUs, before and after",
        "From the first to the last byte of each phase. In t3-mca the all-gather is a kernel that starts when everything "
        "is summed; in t3-ag each row of tiles goes round as it is summed.",
        "For sequential, t3-mca and t3-ag a bar for each phase over time: GEMM, reduce-scatter and all-gather. The last "
        f"phase ends at {ends}.", [run.mode for run in runs]), found.quick)
