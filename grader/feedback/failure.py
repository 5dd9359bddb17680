"""What is wrong with an answer: the first case that fails, where, by how much, and the likely cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from simulator.messages import tr
from simulator.terminal import RoleLine

if TYPE_CHECKING:
    from grader.feedback.dependence import Dependence
    from simulator.effects.places import Place

Array = NDArray[Any]


@dataclass(frozen=True)
class WrongWord:
    """The first wrong word of a run: where a debugger begins.

    name: of the element, such as `y[0, 3]`. received, expected: bits; None where no value would be the right one.
    poison: the kind of junk that was in the memories before.
    """

    place: Place
    name: str
    received: int
    expected: int | None
    poison: int


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
    word: of a run on the machine, the first wrong word.
    output: the operand that the explanation is about, where there may be several.
    stopped: whether the machine refused to run `line`.
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
    word: WrongWord | None = None
    output: str = ""
    stopped: bool = False

    def __str__(self) -> str:
        return self.told()

    def told(self, say: Callable[[str], str] = str) -> str:
        """The failure as text. say: from each part of it to what is shown; in English it is stored."""
        return "\n".join(self.lines(say))

    def lines(self, say: Callable[[str], str] = str) -> list[str]:
        """The same in its parts, the likely cause marked as such."""
        head = "".join(f"{name}: " for name in (self.where, say(self.output)) if name)
        lines = [say(tr("case: {case}", self.case)), head + say(self.explanation)]
        if self.cause:
            lines.append(RoleLine(say(tr("likely cause: {cause}", self.cause)), "cause"))
        return [*lines, *([say(self.picture)] if self.picture else [])]
