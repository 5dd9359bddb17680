"""What the benchmark found: as a table, as JSON, and as a picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture


@dataclass(frozen=True)
class Figure:
    """One measured number. target: what the project asks for, at most or `at_least` this much; None for nothing."""

    section: str
    name: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target

    def __str__(self) -> str:
        line = f"  {self.name:<44} {_digits(self.value):>8} {self.unit:<3}"
        if self.target is not None:
            line += f"  {'✓' if self.met else '✗'} target {'≥' if self.at_least else '≤'} {self.target:g} {self.unit}"
        return (line + (f"  {self.note}" if self.note else "")).rstrip()


@dataclass(frozen=True)
class FamilyTime:
    """An instruction family. lines: how many of the train step have it; native, numpy: microseconds per line."""

    name: str
    lines: int
    native: float
    numpy: float

    def __str__(self) -> str:
        """A row of the table, with the native engine's milliseconds for all its lines in one train step."""
        share = f"{self.lines * self.native / 1e3:.2f}"
        ratio = f"{self.numpy / self.native:.1f}"
        return f"  {self.name:<16} {self.lines:>6} {self.native:>10.1f} {self.numpy:>10.1f} {ratio:>10} {share:>10}"


@dataclass
class Report:
    """Everything that one run of the benchmark found. skipped: what could not be measured, and why."""

    machine: dict[str, Any]
    figures: list[Figure] = field(default_factory=list)
    families: list[FamilyTime] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        figures = [asdict(figure) | {"met": figure.met} for figure in self.figures]
        return asdict(self) | {"figures": figures}


def _digits(value: float) -> str:
    """Three digits or more, never an exponent."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def section_text(figures: Sequence[Figure]) -> str:
    """The figures, section by section."""
    lines = []
    for section, group in groupby(figures, lambda figure: figure.section):
        lines += [section, *map(str, group)]
    return "\n".join(lines)


def families_text(families: Sequence[FamilyTime]) -> str:
    """The table of instruction families."""
    head = f"  {'family':<16} {'lines':>6} {'native us':>10} {'NumPy us':>10} {'ratio':>10} {'ms a step':>10}"
    title = "Each instruction family on the step's own lines, microseconds per line; last column: native, all its lines"
    return "\n".join([title, head, *map(str, families)])


# --- the picture -----------------------------------------------------------------------------------------------------

FAST, SLOW, OTHER = "tab:blue", "tab:orange", "tab:gray"


def draw(report: Report, steps: Sequence[str]) -> bytes:
    """A PNG: the train step on everything that can run it (sections `steps`), families, how near the targets are.

    Of backends in several sections, the first one is shown.
    """
    times: dict[str, float] = {}
    for figure in report.figures:
        if figure.section in steps and figure.unit == "ms":
            times.setdefault(figure.name, figure.value)
    picture = Picture(figsize=(11, 9), layout="constrained")
    grid = picture.add_gridspec(2, 2, height_ratios=(1, 1.35))
    _draw_step(picture.add_subplot(grid[0, 0]), times)
    _draw_targets(picture.add_subplot(grid[0, 1]), [f for f in report.figures if f.target is not None])
    _draw_families(picture.add_subplot(grid[1, :]), report.families)
    content = io.BytesIO()
    picture.savefig(content, format="png", dpi=110)
    return content.getvalue()


def _draw_step(axes: Axes, times: Mapping[str, float]) -> None:
    colours = [FAST if "native" in name else SLOW if "NumPy" in name else OTHER for name in times]
    bars = axes.barh(list(times), list(times.values()), color=colours)
    axes.bar_label(bars, [f"{_digits(time)} ms" for time in times.values()], padding=3)
    axes.set(xscale="log", title="One train step of 784-16-10, batch 256", xlabel="milliseconds (logarithmic)")
    axes.margins(x=0.3)
    axes.invert_yaxis()


def _draw_targets(axes: Axes, figures: Sequence[Figure]) -> None:
    """How much of each target is used; below 100 % it is met, for "at least" the other way round."""
    shares = [100 * (f.target / f.value if f.at_least else f.value / f.target) for f in figures if f.target]
    bars = axes.barh([f.name for f in figures], shares, color=["tab:green" if f.met else "tab:red" for f in figures])
    axes.axvline(100, color="black", linewidth=1, linestyle="--")
    texts = axes.bar_label(bars, [f"{_digits(figure.value)} {figure.unit}" for figure in figures], padding=3)
    for text in texts:  # readable where the dashed line passes behind it
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})
    axes.set(title="Targets: met up to the dashed line", xlabel="% of the target")
    axes.margins(x=0.3)
    axes.invert_yaxis()


def _draw_families(axes: Axes, families: Sequence[FamilyTime]) -> None:
    places = range(len(families))
    native, numpy = ([family.native for family in families], [family.numpy for family in families])
    for offset, label, values, colour in ((-0.2, "native", native, FAST), (0.2, "NumPy", numpy, SLOW)):
        bars = axes.bar([place + offset for place in places], values, 0.4, label=f"{label} engine", color=colour)
        axes.bar_label(bars, [_digits(value) for value in values], padding=2, fontsize=8)
    axes.set_xticks(places, [f"{family.name}\n{family.lines} lines" for family in families], fontsize=9)
    axes.set(yscale="log", title="Instruction families on the step's own lines", ylabel="microseconds per line (log.)")
    axes.margins(y=0.15)
    axes.legend(loc="upper left")
