# SPDX-License-Identifier: Apache-2.0
"""How all figures look: colours, panels in a sheet, axes with few ticks, and the files of a figure.

One unit of a drawing is a pixel of the page. A figure is drawn once, with the light colours; in the page each
colour becomes a variable of the style sheet, so that the theme of the reader chooses.
"""
import io
import logging
import math
import os
import re
import warnings
from dataclasses import dataclass, field

# What matplotlib says of the machine (no directory for its cache, a font without a glyph) is not about the results, and
# what a user has set for it is not for them.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", "Glyph .* missing")
os.environ["MPLBACKEND"] = "svg"
import matplotlib  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator  # noqa: E402

from .files import TITLE  # noqa: E402

# Name: light, dark. Series have at least 3 to 1 against the page in both; pairs of one hue: the second is quieter.
PALETTE = {"page": ("#ffffff", "#16181b"), "text": ("#202020", "#e4e4e4"), "quiet": ("#505050", "#b4b7bc"),
           "line": ("#d9dbde", "#3a3d42"), "navy": ("#123f73", "#b5d7f5"), "blue": ("#3f87c5", "#4a8fd0"),
           "brown": ("#8a3d06", "#f3c592"), "orange": ("#c8701a", "#cf7d2a"), "slate": ("#4b4f55", "#d4d6da"),
           "grey": ("#858a91", "#858a91"), "red": ("#c00000", "#ff6b6b")}
INK = {name: light for name, (light, _) in PALETTE.items()}
WIDTH = 1000
SPEEDUP = "speedup over sequential"
TRAFFIC = (("gemm_read", "GEMM reads", "navy"), ("gemm_write", "GEMM writes", "blue"), ("rs_read", "RS reads", "brown"),
           ("rs_write", "RS writes", "orange"), ("ag_read", "AG reads", "slate"), ("ag_write", "AG writes", "grey"))
FINE = 10.5  # letters of labels beside those of the axes

matplotlib.rcdefaults()
plt.rcParams.update({
    "svg.fonttype": "none", "text.parse_math": False, "font.family": ["DejaVu Sans", "Verdana", "sans-serif"], "font.size": 12,
    "figure.dpi": 72, "figure.facecolor": INK["page"], "text.color": INK["text"], "axes.facecolor": "none",
    "axes.edgecolor": INK["quiet"], "axes.labelcolor": INK["quiet"], "axes.labelsize": 12, "axes.labelpad": 7,
    "axes.titlepad": 9, "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "xtick.color": INK["quiet"], "ytick.color": INK["quiet"], "xtick.major.size": 3, "ytick.major.size": 0,
    "grid.color": INK["line"], "grid.linewidth": 0.8, "lines.linewidth": 2, "patch.linewidth": 0,
    "legend.frameon": False, "legend.fontsize": 12})


@dataclass
class Figure:
    name: str
    title: str
    caption: str  # what to see, in words
    alt: str      # what it shows, for who cannot see it, with its main numbers
    modes: list   # that it shows, for their definitions
    files: dict = field(default_factory=dict)  # contents by name
    size: tuple = ()                           # of the drawing
    element: str = ""                          # what it has, as a part of the page


class Sheet:
    """A drawing in the making: a key across its top and equal panels below, in rows of `columns`."""

    def __init__(self, panels=1, columns=1, height=200, key=(), left=62, right=12, above=30, below=40, width=WIDTH):
        top = 34 if key else 6
        rows = -(-panels // columns)
        total = top + rows * (above + height + below)
        cell = width / columns
        self.figure = plt.figure(figsize=(width / 72, total / 72))
        self.panels = []
        for i in range(panels):
            row, column = divmod(i, columns)
            bottom = total - top - (row + 1) * (above + height + below) + below
            self.panels.append(self.figure.add_axes(
                ((column * cell + left) / width, bottom / total, (cell - left - right) / width, height / total)))
        if key:
            self.figure.legend(handles=list(key), loc="upper left", ncol=len(key), borderaxespad=0.2, handlelength=1.5,
                               handletextpad=0.5, columnspacing=1.5, borderpad=0.2)

    def finish(self, figure, quick):
        """Fills in the figure's drawings."""
        if quick:
            self.figure.text(0.995, 0.002, "tiny outputs (--quick)", ha="right", va="bottom", size=FINE,
                             color=INK["red"])
            figure.alt += " The outputs are tiny (--quick): the numbers mean nothing."
        for axes in self.panels:
            for artist in axes.get_children():
                artist.set_clip_on(False)
        matplotlib.rcParams["svg.hashsalt"] = figure.name
        stream = io.StringIO()
        self.figure.savefig(stream, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
        svg = re.sub(r'\n *<(metadata|clipPath).*?</\1>| clip-path="[^"]*"', "", stream.getvalue(), flags=re.S)
        svg = re.sub(r' d="[^"]*"', lambda path: re.sub(r"\s+", " ", re.sub(r"(\.\d\d)\d+", r"\1", path[0])),
                     svg.replace('pt"', '"', 2).replace("<svg", f"<!-- {TITLE} -->\n<svg", 1))
        picture = io.BytesIO()
        self.figure.savefig(picture, format="png", dpi=144, metadata={"Software": None, "Title": TITLE})
        plt.close(self.figure)
        figure.files |= {f"{figure.name}.svg": svg.encode(), f"{figure.name}.png": picture.getvalue()}
        figure.size = tuple(round(72 * inches) for inches in self.figure.get_size_inches())
        figure.element = element_of(svg, figure.name)
        return figure


def element_of(svg, name):
    """What the drawing has, for the page: colours are variables, and ids are of this figure alone."""
    svg = re.sub(r"<style.*?</style>", "", svg[svg.index(">", svg.index("<svg")) + 1:svg.rindex("</svg>")], flags=re.S)
    svg = svg.replace("xlink:href=", "href=")
    for before in (' id="', '"#'):
        svg = svg.replace(before, f"{before}{name}-")
    for ink, colour in INK.items():
        svg = svg.replace(colour, f"var(--{ink})")
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", svg)
    return re.sub(r"\n *", "\n", svg)


# ---- what a panel has; of values that are NaN there is nothing to see ------------------------------------------------------------------------------------------
def scale(axes, values, along="y", ticks=6):
    """Round ticks over all values, from the first to the last, with as many digits as they need."""
    known = [value for value in values if not math.isnan(value)]
    low, high = min(known), max(known)
    places = MaxNLocator(ticks, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high if high > low else low + 1e-3)
    step = places[1] - places[0]
    digits = next((n for n in range(9) if abs(round(step, n) - step) < 1e-6 * step), 9)
    axis = axes.yaxis if along == "y" else axes.xaxis
    (axes.set_ylim if along == "y" else axes.set_xlim)(places[0], places[-1])
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:z.{digits}f}"))
    axes.grid(axis=along)


def named(axes, places, names, along="x", size=FINE):
    axis = axes.xaxis if along == "x" else axes.yaxis
    axis.set_ticks(places, names, fontsize=size, linespacing=1.1)
    axis.set_tick_params(length=0, pad=6)


def ground(axes, y):
    """What bars stand on."""
    axes.axhline(y, color=INK["quiet"], linewidth=1)


def bars(axes, places, heights, width, ink, bottom=0):
    axes.bar(places, heights, width, bottom, color=INK[ink], edgecolor=INK["page"], linewidth=0.5)


def across(axes, places, heights, width):
    """Lines over bars: a bound."""
    axes.hlines(heights, [x - width / 2 for x in places], [x + width / 2 for x in places], **LOOKS["line"])


def marks(axes, places, heights, look):
    axes.plot(places, heights, zorder=4, **LOOKS[look])


def rows(axes, names, what):
    """A row for each name, from the top; returns their places."""
    places = range(len(names) - 1, -1, -1)
    named(axes, places, names, "y", 12)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.spines.left.set_visible(False)
    axes.set_xlabel(what)
    return places


LOOKS = {"paper": {"marker": "^", "markersize": 9, "color": INK["red"], "markeredgecolor": INK["page"],
                   "markeredgewidth": 0.5, "linestyle": "none"},
         "bound": {"marker": "D", "markersize": 5, "markerfacecolor": "none", "markeredgecolor": INK["text"],
                   "markeredgewidth": 1, "linestyle": "none"},
         "ours": {"marker": "o", "markersize": 8, "color": INK["navy"], "linestyle": "none"},
         "line": {"color": INK["text"], "linewidth": 1.8},
         "dotted": {"color": INK["text"], "linestyle": (0, (2, 2)), "linewidth": 1.3, "marker": "D",
                    "markersize": 4.5, "markerfacecolor": "none"},
         "solid": {"color": INK["navy"], "marker": "o", "markersize": 5.5},
         "dashed": {"color": INK["blue"], "linestyle": (0, (4, 2)), "marker": "o", "markersize": 5.5,
                    "markerfacecolor": "none"},
         "faint": {"color": INK["grey"], "linestyle": (0, (2, 2)), "linewidth": 1.3, "marker": "s", "markersize": 4.5},
         "warm": {"color": INK["orange"], "marker": "^", "markersize": 5.5}}


def box_key(label, ink):
    return Patch(facecolor=INK[ink], label=label)


def line_key(label, look):
    return Line2D([], [], label=label, **LOOKS[look])
