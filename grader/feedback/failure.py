"""What is wrong with an answer: the first case that fails, where, by how much, and the likely cause."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from grader.feedback.dependence import Dependence

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Failure:
    """The first case that fails.

    cause: the likely cause in a few words, one of `causes.CAUSES`, or "" where none is known. explanation: what
    was seen, in sentences. where: file and line of the answer, if one is to blame. inputs: by operand name.
    error: absolute error of every element of the tensor (inf where it is no number), None without a result.
    machine: the largest error in every PE, [L2B 8, L1B 8, MAB 16, PE 4]; of a result in DRAM, [group 4].
    line: of the answer's assembly, counted from 1, if one is to blame; `where` is found from it.
    place: the unit of the first wrong element: L2B, L1B, MAB, PE; of a result in DRAM, its group; () where unknown.
    depends: what one wrong element of a kernel's result depends on, where that is not what it should.
    """

    case: str
    cause: str
    explanation: str
    where: str = ""
    inputs: dict[str, Array] = field(default_factory=dict)
    expected: Array | None = None
    received: Array | None = None
    error: Array | None = None
    machine: Array | None = None
    picture: str = ""
    line: int = 0
    place: tuple[int, ...] = ()
    depends: Dependence | None = None

    def __str__(self) -> str:
        head = f"{self.where}: " if self.where else ""
        lines = [f"case: {self.case}", f"{head}{self.explanation}"]
        if self.cause:
            lines.append(f"likely cause: {self.cause}")
        return "\n".join([*lines, *([self.picture] if self.picture else [])])
