# SPDX-License-Identifier: Apache-2.0
"""Figures of every sublayer: a panel for the smaller models and one for the larger, with what all have in common."""
import math

from . import drawing
from .drawing import FINE, INK, SPEEDUP, TRAFFIC, Figure, Sheet, box_key, line_key
from .evaluation import LARGE, SMALL, all_speedups, span, speedups_in_words


def by_size(points):
    """A panel each: the smaller models, on rings of 8 and 16 GPUs, and all others. Their names in the summary, what the
    page calls them, and the points."""
    small = [point for point in points if point.model in SMALL.split(", ")]
    halves = (SMALL, "all of these", small), (LARGE, LARGE, [point for point in points if point not in small])
    return [half for half in halves if half[2]]


def sublayer_axis(axes, points, common=()):
    """Groups of a model and a degree, with a gap between them and a heading above each, and at their right `common`: a
    heading and two labels. Returns the places of the points and those of the two."""
    groups = []
    for point in points:
        heading = f"{point.model}, TP {point.gpus}"
        # With few GPUs for all (--quick) two degrees have one name: a sublayer that comes again begins a group.
        if not groups or groups[-1][0] != heading or point.sublayer in groups[-1][1:]:
            groups.append([heading])
        groups[-1].append(point.sublayer)
    groups += [common] if common else []
    x, places = 0, []
    for heading, *labels in groups:
        if places:
            axes.axvline(x, color=INK["line"], linewidth=0.8)
            x += 1
        begin, step = (x + 0.2, 1.3) if len(places) == len(points) else (x, 1)
        own = [begin + step * i for i in range(len(labels))]
        axes.text(sum(own) / len(own), 1.03, heading, transform=axes.get_xaxis_transform(), ha="center", size=FINE,
                  color=INK["quiet"])
        places += own
        x = own[-1] + 1
    axes.set_xlim(-0.7, x - 0.3)
    drawing.named(axes, places, [label for _, *labels in groups for label in labels])
    return places[:len(points)], places[len(points):]


def speedup_figure(found, points, looks, line, mark, name, title, caption, of="sublayers"):
    """Bars beside each other, and two bounds over them; at the right of each size the geometric mean and the largest
    value, beside what the paper says of them."""
    if not points:
        return None
    part, modes = points[0].part, [mode for mode, _ in looks]
    paper = [row for row in found.headlines if row["part"] == part]
    halves = by_size(points)
    key = [box_key(mode, ink) for mode, ink in looks] + [line_key(line, "line"), line_key(mark, "bound")]
    sheet = Sheet(len(halves), height=250, key=key + ([line_key("the paper", "paper")] if paper else []))
    shown = [*modes, line, mark]
    width = 0.84 / len(looks)
    for axes, (models, together, half) in zip(sheet.panels, halves):
        ranges = {mode: found.range_of(part, mode, models) for mode in shown}
        has_common = any(ranges.values())
        own, common = sublayer_axis(axes, half, (together, "mean", "largest") if has_common else ())

        def heights(mode):
            row = ranges[mode] or {"mean": math.nan, "most": math.nan}
            return [point.speedup(mode) for point in half] + ([row["mean"], row["most"]] if has_common else [])

        places = own + common
        shifts = {mode: (i - (len(looks) - 1) / 2) * width for i, mode in enumerate(modes)}
        drawing.scale(axes, all_speedups(points, shown) + [row["paper"] for row in paper])
        axes.set_ylabel(SPEEDUP)
        for mode, ink in looks:
            drawing.bars(axes, [x + shifts[mode] for x in places], [height - 1 for height in heights(mode)], width, ink, 1)
        drawing.ground(axes, 1)
        drawing.across(axes, places, heights(line), 0.9)
        drawing.marks(axes, places, heights(mark), "bound")
        stated = [row for row in paper if has_common and row["models"] == models]
        drawing.marks(axes, [common[row["statistic"] == "largest"] + shifts.get(row["mode"], 0.6)
                             for row in stated], [row["paper"] for row in stated], "paper")
    return sheet.finish(Figure(
        name, title, caption, f"{len(looks)} bars for each of {len(points)} {of}, smaller models above and larger ones below, "
        "under the marks of two bounds; at the right their geometric mean and largest value." +
        speedups_in_words(points, shown), shown), found.quick)


def sublayers(found):
    return speedup_figure(
        found, found.of("sublayers"),
        (("cu-split:8", "grey"), ("cu-split:16", "orange"), ("t3", "blue"), ("t3-mca", "navy")), "ideal-overlap", "ideal-rs-nmc",
        "sublayers-speedup", "Speedup of every sublayer over sequential",
        "Bars: simulated speedups. Lines and diamonds: the two bounds. Triangles: the paper's geometric mean and "
        "largest value (ideal-overlap's to the right of its line).")


def all_gather(found):
    return speedup_figure(
        found, [point for point in found.of("all-gather") if not point.study],
        (("t3-mca", "blue"), ("t3-ag", "navy")), "ideal-ag", "ideal-rs-nmc",
        "all-gather-speedup", "The all-gather hidden as well",
        "Lines: no machine with these compute units, memories and links can be faster. Diamonds: the same, but with an "
        "all-gather after everything else. Where both are one, the links are busy all the time, and there is nothing "
        "left to hide.")


def pairs(found):
    return speedup_figure(
        found, [point for point in found.of("pairs") if not point.study],
        (("ag-split:2", "orange"), ("t3-mca", "blue"), ("t3-ag", "navy")), "ideal-ag", "ideal-rs-nmc",
        "pairs-speedup", "The next GEMM starts before the gather is over",
        "A GEMM, its reduce-scatter, a norm, the all-gather and the GEMM that reads the gathered rows. In t3-ag the "
        "tracker releases each row of tiles when it is complete, to the norm and to the second GEMM; in ag-split "
        "software does, and pays with compute units. Lines: what t3-ag cannot be faster than. Diamonds: the same of "
        "t3-mca.", "pairs of GEMMs")


def phases(found):
    points = [point for point in found.of("sublayers") if point.run("sequential")]
    if not points:
        return None
    parts = (("gemm", "GEMM", "navy"), ("reduce_scatter", "reduce-scatter", "blue"), ("all_gather", "all-gather", "grey"))

    def shares(point):
        times = [point.run("sequential").phase_ns[name] for name, _, _ in parts]
        return [100 * time / (sum(times) or 1) for time in times]

    halves = by_size(points)
    sheet = Sheet(len(halves), height=150, key=[box_key(title, ink) for _, title, ink in parts])
    for axes, (_, _, half) in zip(sheet.panels, halves):
        stack(axes, sublayer_axis(axes, half)[0], [shares(point) for point in half], [ink for _, _, ink in parts], 0.7)
        drawing.scale(axes, [0, 100], ticks=5)
        axes.set_ylabel("share of time (%)")
    return sheet.finish(Figure(
        "sublayers-phases", "Where sequential's time goes",
        "GEMM, reduce-scatter and all-gather as shares of the run time. Overlap can hide at most the smaller of the "
        "first two.",
        f"A bar for each of {len(points)} sublayers, divided into GEMM, reduce-scatter and all-gather. The GEMM takes "
        f"{span([shares(point)[0] for point in points], 0)} % of the time.", ["sequential"]), found.quick)


def stack(axes, places, columns, inks, width):
    """A bar of several kinds at each place."""
    grounds = [0.0] * len(places)
    for kind, ink in enumerate(inks):
        heights = [column[kind] for column in columns]
        drawing.bars(axes, places, heights, width, ink, grounds)
        grounds = [ground + height for ground, height in zip(grounds, heights)]


def data_movement(found):
    points = [point for point in found.of("data-movement") if point.run("sequential") and point.run("t3-mca")]
    if not points:
        return None
    paper = [row for row in found.headlines if row["part"] == "data-movement"]
    moved = [100 * point.run("t3-mca").dram_total / (point.run("sequential").dram_total or 1) for point in points]
    halves = by_size(points)
    sheet = Sheet(len(halves), height=230, key=[box_key(title, ink) for _, title, ink in TRAFFIC] +
                  [box_key("t3-mca, all", "text"), line_key("the paper", "paper")])
    for axes, (models, together, half) in zip(sheet.panels, halves):
        row = found.range_of("data-movement", "t3-mca", models)
        own, common = sublayer_axis(axes, half, (together, "mean", "least") if row else ())
        for mode, shift in (("sequential", -0.19), ("t3-mca", 0.19)):
            stack(axes, [x + shift for x in own],
                  [[100 * point.run(mode).dram[kind] / (point.run("sequential").dram_total or 1)
                    for kind, _, _ in TRAFFIC] for point in half], [ink for _, _, ink in TRAFFIC], 0.36)
        if row:
            drawing.bars(axes, common, [100 * row["mean"], 100 * row["least"]], 0.36, "text")
        stated = [one for one in paper if row and one["models"] == models]
        drawing.marks(axes, [common[one["statistic"] == "least"] + 0.4 for one in stated],
                      [100 * one["paper"] for one in stated], "paper")
        drawing.scale(axes, [0, 119, *moved], ticks=6)
        axes.set_ylabel("DRAM bytes, sequential = 100")
    return sheet.finish(Figure(
        "data-movement", "DRAM bytes by kind",
        "Left bar: sequential. Right bar: t3-mca. An update counts once, as a write; zeroing is a write of its phase. "
        "RS: reduce-scatter. AG: all-gather.",
        f"Two bars for each of {len(points)} sublayers, divided into reads and writes of GEMM, reduce-scatter and "
        f"all-gather. Of what sequential moves, t3-mca moves {span(moved, 0)} %.", ["sequential", "t3-mca"]),
        found.quick)
