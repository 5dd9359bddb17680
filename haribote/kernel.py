"""What a kernel sees and how it is declared.

A kernel is a generator of assembly lines. It gets an `Op` whose operands know their shape, layout, memory and address
and turn themselves into operand text, so that the kernel works at any address and in either local memory:

    @kernel("5.0", "Copy")  # an example: there is no such task
    def copy(op: Op) -> Iterator[str]:
        for at in range(0, op.x.words, 8):
            yield f"lpassa {op.x.long(at)} {op.y.long(at)}"

A kernel may use GRF0, GRF1, T, the mask entries, the matrix registers, L1BM, L2BM and PDM as it likes and finds nothing
useful in them; of LM it writes only its output and `op.scratch(…)`, a DL or UL its output alone. It finds base address
registers 0 and the mask default off, and leaves them so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from haribote.errors import HariboteError
from haribote.layout import Layout, dram_long_words
from simulator import isa
from simulator.messages import tr

Memory = Literal["LM0", "LM1", "DRAM"]

MOST_LINES = 50_000
"""Lines that a kernel may yield; more is taken for a loop without end."""


class KernelError(HariboteError):
    """A kernel asked its operands for something they cannot give."""


@dataclass(frozen=True)
class Operand:
    """One tensor as a kernel sees it.

    shape: of the tensor. dtype: "float32" or "int32". layout: who holds which element (in DRAM: by the rule of
    `layout.dram_layout`). memory: LM0, LM1 or DRAM. address: first word in LM, first long word in DRAM.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    layout: Layout
    memory: Memory
    address: int

    @property
    def words(self) -> int:
        """Words per PE in LM; in DRAM, long words per group."""
        return dram_long_words(self.shape) if self.memory == "DRAM" else self.layout.words

    def word(self, offset: int = 0, stride: int | None = None) -> str:
        """`$m8v`: one word per cycle from `offset` words on. stride 0: the same word in all cycles; N: `v<N>`."""
        return self._text("", offset, stride)

    def long(self, offset: int = 0, stride: int | None = None) -> str:
        """`$lm8v`: one long word per cycle, four consecutive ones; offset and stride in words, as in `word`."""
        return self._text("l", offset, stride)

    def double(self, offset: int = 0, stride: int | None = None) -> str:
        """`$llm8v`: two long words per cycle, eight consecutive ones; offset and stride in words, as in `word`."""
        return self._text("ll", offset, stride)

    def flat(self, length: Literal["", "l", "ll"], offsets: list[int]) -> str:
        """`$lm[8,8,10,10]`: one offset (in words) per cycle; length "" = word, "l" = long, "ll" = double long."""
        addresses = ",".join(str(self.address + offset) for offset in offsets)
        return f"${length}{self._letter}[{addresses}]"

    def dram(self, offset: int = 0) -> str:
        """`$d64`: the tensor in DRAM, from `offset` long words on, for use in MV instructions."""
        if self.memory != "DRAM":
            raise KernelError(
                tr(
                    "operand {name} is in {memory}; $d addresses exist only for operands in DRAM",
                    self.name,
                    self.memory,
                )
            )
        return f"$d{self.address + offset}"

    def at(self, offset: int) -> Operand:
        """The same operand `offset` words (in DRAM: long words) further on."""
        return replace(self, address=self.address + offset)

    @property
    def _letter(self) -> str:
        if self.memory == "DRAM":
            raise KernelError(tr("operand {name} is in DRAM; a PE instruction reads and writes LM only", self.name))
        return "m" if self.memory == "LM0" else "n"

    def _text(self, length: str, offset: int, stride: int | None) -> str:
        suffix = "v" if stride is None else f"v{stride}" if stride else ""
        return f"${length}{self._letter}{self.address + offset}{suffix}"


@dataclass(frozen=True)
class Op:
    """One operator to be written in assembly: its operands and attributes (`constant`, `transA`, …).

    taken: what `scratch` has given so far, to this operator and to those made of it by `replace`. scratch_from: no
    scratch lies below this word.
    """

    kind: str
    inputs: tuple[Operand, ...]
    output: Operand
    attributes: Mapping[str, Any] = field(default_factory=dict)
    taken: list[Operand] = field(default_factory=list, compare=False, repr=False)
    scratch_from: int = 0

    @property
    def x(self) -> Operand:
        """The first input."""
        return self.inputs[0]

    @property
    def y(self) -> Operand:
        """The output."""
        return self.output

    def scratch(self, words: int, memory: Literal["LM0", "LM1"] = "LM1") -> Operand:
        """`words` words per PE of LM that belong to no operand, aligned to 4 words; the same ones each time."""
        ends = [o.address + o.words for o in (*self.inputs, self.output) if o.memory == memory]
        start = -(-max([self.scratch_from, *ends]) // 4) * 4
        if start + words > isa.LM_WORDS:
            raise KernelError(
                tr(
                    "{kind}: {words} words of scratch do not fit in {memory}, which has {lm_words}, "
                    "after its operands, which take {start}",
                    kind=self.kind,
                    words=words,
                    memory=memory,
                    lm_words=isa.LM_WORDS,
                    start=start,
                )
            )
        layout = Layout.parse(f"(({max(1, words // 2)}:1, 2_W:1))")
        given = Operand("scratch", (words,), "float32", layout, memory, start)
        self.taken.append(given)
        return given


KernelFunction = Callable[[Op], Iterator[str]]
"""Writes an operator in assembly, line by line."""


@dataclass(frozen=True)
class Kernel:
    """A kernel function with the task it answers (`5.12`) and the operator it serves (`Relu`)."""

    task: str
    title: str
    emit: KernelFunction

    def __call__(self, op: Op) -> Iterator[str]:
        """The lines of assembly for one operator."""
        return self.emit(op)


def kernel(task: str, title: str) -> Callable[[KernelFunction], Kernel]:
    """Declare a kernel: `@kernel("5.12", "Relu")`."""
    return lambda emit: Kernel(task, title, emit)


def single(value: float) -> str:
    """The literal of a single-precision constant for `imm`, exact to the bit: `i"0x3e800000"`."""
    bits = int(np.float32(value).view(np.uint32))
    return f'i"0x{bits:08x}"'
