"""What the notebook about the scheduler shows: a program of three threads, its jobs, the words of a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from haribote.speed.dependence import Access, accesses_of
from haribote.speed.scheduler import problem_of
from simulator import assemble
from simulator.isa.program import Program
from simulator.schedule.nodes import nodes_of

THREADS = "".join(
    f"l1bmm $lb{64 * k} $lm{8 * k}v\nnop/2\nfvmul $lm{8 * k}v $lm{8 * k}v $ln{8 * k}v\nnop/2\n"
    f"l1bmm@{k} $ln{8 * k}v $lb{1024 + 64 * k}\nnop/2\n"
    for k in range(3)
)
"""Three threads, one after another: fetch, square, send back."""


def line_accesses(*lines: str) -> Iterator[tuple[str, Access]]:
    """Lines of one instruction each, with the words that they read and write: numbers, no base addresses."""
    nodes = nodes_of(assemble("\n".join(lines) + "\n"))
    for line, access in zip(lines, accesses_of(nodes), strict=True):
        reads, writes = (
            frozenset(word for word in words if word[0] != "bar") for words in (access.reads, access.writes)
        )
        yield line, Access(reads, writes)


def jobs_of(program: Program, critical_path: Callable[..., list[int]]) -> Iterator[tuple[int, str, int]]:
    """The jobs of a program: number, text, and the steps that are left by this critical path."""
    problem = problem_of(program)
    left = critical_path(problem.order, problem.lengths, [dict(others) for others in problem.after])
    for number, group in enumerate(problem.groups):
        texts = (node.instruction.text if node.instruction else node.line.text for node in group.times)
        yield number, "; ".join(texts), left[number]
