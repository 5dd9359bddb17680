"""`haribote test`: run a case on a backend and compare every output with the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.compiler import compile_for_sim, lower, start_session
from haribote.graphs.cases import Case, load_case, unit_cases
from haribote.passes import tile
from haribote.passes.pad import pad_inputs
from haribote.words import word
from simulator.columns import aligned
from simulator.messages import say, shown, tr

Array = NDArray[Any]

# An output passes where |value - reference| <= TOLERANCE * max(1, largest |reference|). The chip multiplies matrices in
# pseudo-singles of 18 mantissa bits; 2^-17 covers the rounding of both factors.
TOLERANCE = 2.0**-17
HALF_TOLERANCE = 2.0**-8
"""Where products are of halves, with 9 mantissa bits."""

COLUMNS = ("Var", "Error", "Ref Min", "Ref Max", "Ref Avg", "Shape", "✓")


@dataclass(frozen=True)
class Comparison:
    """One output against its reference. error: largest absolute difference (NaN where it cannot be told)."""

    name: str
    error: float
    reference: Array | None
    passed: bool
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table, in the order of COLUMNS."""
        mark = "✓" if self.passed else f"✗ {self.note}".rstrip()
        if self.reference is None or self.reference.size == 0:
            return (self.name, "-", "-", "-", "-", "-", mark)
        reference = self.reference.astype(np.float64)
        numbers = (self.error, reference.min(), reference.max(), reference.mean())
        shape = "x".join(map(str, self.reference.shape)) or word("scalar")
        return (self.name, *(f"{number:.4g}" for number in numbers), shape, mark)


def compare(
    expected: Mapping[str, Array], actual: Mapping[str, Array], tolerance: float = TOLERANCE
) -> list[Comparison]:
    """Compare all outputs. Missing and unexpected ones, NaN and wrong shapes fail."""
    rows = [_compare_one(name, value, actual.get(name), tolerance) for name, value in expected.items()]
    rows += [Comparison(name, np.nan, None, False, tr("unexpected output")) for name in actual if name not in expected]
    return rows


def _compare_one(name: str, expected: Array, actual: Array | None, tolerance: float) -> Comparison:
    if actual is None:
        return Comparison(name, np.nan, expected, False, word("missing"))
    if actual.shape != expected.shape:
        return Comparison(name, np.nan, expected, False, tr("shape {shape}", list(actual.shape)))
    if np.isnan(actual).any():
        return Comparison(name, np.nan, expected, False, "NaN")
    wanted, got = expected.astype(np.float64), actual.astype(np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.where(wanted == got, 0.0, np.abs(wanted - got))  # equal infinities differ by nothing
    error = float(difference.max(initial=0.0))
    finite = np.abs(wanted[np.isfinite(wanted)])
    return Comparison(name, error, expected, error <= tolerance * max(1.0, float(finite.max(initial=0.0))))


def table(rows: Iterable[Comparison]) -> str:
    """The comparison as aligned text, with a header."""
    cells = [tuple(map(word, COLUMNS)), *((*row.cells[:-1], shown(row.cells[-1])) for row in rows)]
    return "\n".join(aligned(cells))


def compare_folders(
    folders: Iterable[Path],
    backend: str,
    unit: bool = False,
    solutions: bool | None = None,
    gemm: str = "",
    level: int = 0,
    precision: str = "float",
) -> bool:
    """Run every case (with `unit`: every node of it) on "sim" or "cpp" and print the tables; True when all pass."""
    failed = 0
    for folder in folders:
        case = load_case(folder)
        results = _in_cpp(case, unit, gemm) if backend == "cpp" else _on_sim(case, unit, solutions, level, precision)
        for part, outputs, summary in results:
            rows = compare(part.outputs, outputs, TOLERANCE if precision == "float" else HALF_TOLERANCE)
            failed += not all(row.passed for row in rows)
            say(f"{case.name if not unit else f'{case.name}/{part.name}'}: {shown(summary)}")
            say(table(rows) + "\n")
    say(tr("{failed} of the cases failed", failed) if failed else tr("all outputs agree with the reference"))
    return not failed


Result = tuple[Case, dict[str, Array], str]
"""A case, its outputs on a backend, and a line about how they came to be."""


def _in_cpp(case: Case, unit: bool, gemm: str) -> Iterator[Result]:
    from haribote.cpp.cases import cpp_cases, run_in_cpp
    from haribote.cpp.gemm import default_gemm

    parts = cpp_cases(case, unit)
    for part, outputs in zip(parts, run_in_cpp(parts, gemm), strict=True):
        yield part, outputs, f"C++, Gemm {gemm or default_gemm()}"


def _on_sim(case: Case, unit: bool, solutions: bool | None, level: int, precision: str) -> Iterator[Result]:
    for part, start in _parts(case, unit):
        yield part, *run_on_sim(part, solutions, start, level, precision)


def _parts(case: Case, unit: bool) -> Iterator[tuple[Case, str]]:
    """The case itself, or its nodes after padding, decomposition and tiling, with the first stage left to run."""
    if not unit:
        yield case, "simplify"
        return
    lowered = lower(case.model, stop_after="decompose")
    tiled = tile.run(lowered)
    for part in unit_cases(tiled, tile.split_inputs(tiled, pad_inputs(lowered, case.inputs))):
        yield part, "layout"


def run_on_sim(
    case: Case, solutions: bool | None, start: str = "simplify", level: int = 0, precision: str = "float"
) -> tuple[dict[str, Array], str]:
    """The outputs that the simulated chip gives, and a line that says what ran where; stages from `start` on."""
    compiled = compile_for_sim(case.model, solutions, start, level=level, precision=precision)
    session = start_session(compiled)
    for name, value in case.inputs.items():
        session.write(name, value)
    session.run()
    return session.outputs(), compiled.summary
