"""Hypothesis strategies for programs: valid ones, made from the table of instructions, and texts close to valid."""

from __future__ import annotations

from hypothesis import strategies as st

from benchmarks.fuzz import generate
from benchmarks.fuzz.search import mutate
from simulator import isa

randoms = st.randoms(use_true_random=False)

names = st.sampled_from([*isa.INSTRUCTIONS, *isa.MOVES])
"""Rows of the table."""


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A valid line of program."""
    return generate.line_with(draw(randoms), draw(names))


@st.composite
def programs(draw: st.DrawFn, length: int = 10) -> str:
    """A valid program that has the nops that it needs."""
    return generate.program(draw(randoms), length)


@st.composite
def damaged_programs(draw: st.DrawFn) -> str:
    """A program after a few changes to its text: still valid, or nearly so."""
    return mutate(draw(randoms), draw(programs()))
