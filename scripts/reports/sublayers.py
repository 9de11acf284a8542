# SPDX-License-Identifier: Apache-2.0
"""Figures of every sublayer: a panel for the smaller models and one for the larger, with what all have in common."""
from . import drawing
from .drawing import FINE, INK, SPEEDUP, TRAFFIC, Figure, Sheet, box_key, line_key, mark_key
from .evaluation import LARGE, SMALL, all_speedups, span, speedups_in_words


def by_size(points):
    """The smaller models, on rings of 8 and 16 GPUs, in one panel and all others in the next."""
    halves = [[p for p in points if p.is_small], [p for p in points if not p.is_small]]
    return [half for half in halves if half]


class SublayerAxis:
    """Groups of a model and a degree, with a gap between them and a heading above each."""

    def __init__(self, axes, points, common=None):
        self.axes, self.places, self.heads, self.names, self.edges = axes, [], [], [], []
        x, group, seen = 0.0, None, set()
        for point in points:
            name = f"{point.model}, TP {point.gpus}"
            # With few GPUs for all (--quick) two degrees have one name: a sublayer that comes again begins a group.
            if name != group or point.sublayer in seen:
                x = self.begin(x, name, bool(self.places))
                group, seen = name, set()
            seen.add(point.sublayer)
            self.add(x, point.sublayer)
            x += 1
        if common:  # two places that all sublayers share
            x = self.begin(x, common[0], True) + 0.2
            for label in common[1:]:
                self.add(x, label)
                x += 1.3
            x -= 0.3
        self.common = self.places[len(points):]
        self.places = self.places[:len(points)]
        axes.set_xlim(-0.7, x - 0.3)
        drawing.named(axes, self.places + self.common, self.names)
        for edge in self.edges:
            axes.axvline(edge, color=INK["line"], linewidth=0.8)
        for heading, places in self.heads:
            axes.text(sum(places) / len(places), 1.03, heading, transform=axes.get_xaxis_transform(), ha="center",
                      size=FINE, color=INK["quiet"])

    def begin(self, x, heading, is_next):
        if is_next:
            self.edges.append(x)
            x += 1
        self.heads.append((heading, []))
        return x

    def add(self, x, label):
        self.places.append(x)
        self.names.append(label)
        self.heads[-1][1].append(x)


def models_of(half):
    return SMALL if half[0].is_small else LARGE


def common_of(half):
    return "all of these" if half[0].is_small else LARGE


def speedup_figure(found, figure, points, looks, line, mark, paper=()):
    """Bars beside each other, and two bounds over them; at the right of each size the geometric mean and the largest
    value, beside what the paper says of them."""
    part, modes = points[0].part, [mode for mode, _ in looks]
    halves = by_size(points)
    key = [box_key(mode, ink) for mode, ink in looks] + [line_key(line), mark_key(mark, "bound")]
    sheet = Sheet(len(halves), height=250, key=key + ([mark_key("the paper", "paper")] if paper else []))
    values = all_speedups(points, [*modes, line, mark]) + [row["paper"] for row in paper]
    width = 0.84 / len(looks)
    for axes, half in zip(sheet.panels, halves):
        models = models_of(half)
        ranges = {mode: found.range_of(part, mode, models) for mode in (*modes, line, mark)}
        has_common = any(ranges.values())
        axis = SublayerAxis(axes, half, (common_of(half), "mean", "largest") if has_common else None)

        def heights(mode):
            row = ranges[mode] or {"mean": None, "most": None}
            return [point.speedup(mode) for point in half] + ([row["mean"], row["most"]] if has_common else [])

        places = axis.places + axis.common
        shifts = {mode: (i - (len(looks) - 1) / 2) * width for i, mode in enumerate(modes)}
        drawing.scale(axes, values)
        axes.set_ylabel(SPEEDUP)
        for mode, ink in looks:
            drawing.bars(axes, [x + shifts[mode] for x in places], heights(mode), width, ink, bottom=1)
        drawing.ground(axes, 1)
        drawing.across(axes, places, heights(line), 0.9)
        drawing.marks(axes, places, heights(mark), "bound")
        stated = [row for row in paper if has_common and row["models"] == models]
        drawing.marks(axes, [axis.common[row["statistic"] == "largest"] + shifts.get(row["mode"], 0.6)
                             for row in stated], [row["paper"] for row in stated], "paper")
    figure.modes = [*modes, line, mark]
    figure.alt += speedups_in_words(points, figure.modes)
    return sheet.finish(figure, found.quick)


def sublayers(found):
    points = found.of("sublayers")
    if not points:
        return None
    return speedup_figure(found, Figure(
        "sublayers-speedup", "Speedup of every sublayer over sequential",
        "Bars: simulated speedups. Lines and diamonds: the two bounds. Triangles: the paper's geometric mean and "
        "largest value (ideal-overlap's to the right of its line).",
        f"Bars for each of {len(points)} sublayers, smaller models above and larger ones below, and at the right their "
        "geometric mean and largest value.", []), points,
        (("cu-split:8", "grey"), ("cu-split:16", "orange"), ("t3", "blue"), ("t3-mca", "navy")),
        "ideal-overlap", "ideal-rs-nmc", [row for row in found.headlines if row["part"] == "sublayers"])


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
    for axes, half in zip(sheet.panels, halves):
        axis = SublayerAxis(axes, half)
        stack(axes, axis.places, [shares(point) for point in half], [ink for _, _, ink in parts], 0.7)
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
        axes.bar(places, heights, width, grounds, color=INK[ink], edgecolor=INK["page"], linewidth=0.5)
        grounds = [ground + height for ground, height in zip(grounds, heights)]


def data_movement(found):
    points = [point for point in found.of("data-movement") if point.run("sequential") and point.run("t3-mca")]
    if not points:
        return None
    paper = [row for row in found.headlines if row["part"] == "data-movement"]
    moved = [100 * point.run("t3-mca").dram_total / (point.run("sequential").dram_total or 1) for point in points]
    halves = by_size(points)
    sheet = Sheet(len(halves), height=230, key=[box_key(title, ink) for _, title, ink in TRAFFIC] +
                  [box_key("t3-mca, all", "text"), mark_key("the paper", "paper")])
    for axes, half in zip(sheet.panels, halves):
        models = models_of(half)
        row = found.range_of("data-movement", "t3-mca", models)
        axis = SublayerAxis(axes, half, (common_of(half), "mean", "least") if row else None)
        for mode, shift in (("sequential", -0.19), ("t3-mca", 0.19)):
            stack(axes, [x + shift for x in axis.places],
                  [[100 * point.run(mode).dram[kind] / (point.run("sequential").dram_total or 1)
                    for kind, _, _ in TRAFFIC] for point in half], [ink for _, _, ink in TRAFFIC], 0.36)
        if row:
            drawing.bars(axes, axis.common, [100 * row["mean"], 100 * row["least"]], 0.36, "text")
        stated = [one for one in paper if row and one["models"] == models]
        drawing.marks(axes, [axis.common[one["statistic"] == "least"] + 0.4 for one in stated],
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


def all_gather(found):
    points = [point for point in found.of("all-gather") if not point.study]
    return points and speedup_figure(found, Figure(
        "all-gather-speedup", "The all-gather hidden as well",
        "Lines: no machine with these compute units, memories and links can be faster. Diamonds: the same, but with an "
        "all-gather after everything else. Where both are one, the links are busy all the time, and there is nothing "
        "left to hide.",
        f"Two bars for each of {len(points)} sublayers, smaller models above and larger ones below, under the lines of "
        "two bounds.", []), points, (("t3-mca", "blue"), ("t3-ag", "navy")), "ideal-ag", "ideal-rs-nmc")


def pairs(found):
    points = [point for point in found.of("pairs") if not point.study]
    return points and speedup_figure(found, Figure(
        "pairs-speedup", "The next GEMM starts before the gather is over",
        "A GEMM, its reduce-scatter, a norm, the all-gather and the GEMM that reads the gathered rows. In t3-ag the "
        "tracker releases each row of tiles when it is complete, to the norm and to the second GEMM; in ag-split "
        "software does, and pays with compute units. Lines: what t3-ag cannot be faster than. Diamonds: the same of "
        "t3-mca.",
        f"Three bars for each of {len(points)} pairs of GEMMs, smaller models above and larger ones below, under the "
        "lines of two bounds.", []), points,
        (("ag-split:2", "orange"), ("t3-mca", "blue"), ("t3-ag", "navy")), "ideal-ag", "ideal-rs-nmc")
