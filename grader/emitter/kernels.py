"""Let a kernel emit its text, every line with the source line it came from; an operator as plain values.

`text_of` serves every task whose answer is assembly: its answer is `{"text": …, "sources": […]}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.emitter.limits import Budget
from grader.emitter.loading import AnswerError, Items, explained, line_of
from grader.emitter.values import Value, Values
from haribote.answers.tasks import path_shown
from haribote.kernel import MOST_LINES, Kernel, Op, Operand
from haribote.layout import Layout, dram_layout
from simulator.messages import tr

MOST_CHARACTERS = 8 * 2**20


@dataclass(frozen=True)
class Emission:
    """Assembly as it was emitted. sources[i]: line of the answer's file that gave line i + 1 of the text.

    scratch: what `op.scratch` gave, as [memory, first word, words].
    """

    lines: tuple[str, ...]
    sources: tuple[int, ...]
    scratch: tuple[list[Value], ...] = ()

    @property
    def text(self) -> str:
        """The lines as a program."""
        return "".join(f"{line}\n" for line in self.lines)

    def answer(self) -> dict[str, Value]:
        """As the answer of a Form."""
        scratch: dict[str, Value] = {"scratch": [*self.scratch]} if self.scratch else {}
        return {"text": self.text, "sources": list(self.sources), **scratch}


def emit(kernel: Kernel, op: Op, path: Path, budget: Budget) -> Emission:
    """Run a kernel. Raises AnswerError, Refused, NotWritten."""
    with explained(path, budget.seconds), budget.spending():
        items = kernel.emit(op)
        emission = _collected(items, lambda: line_of(items, path), tr("the kernel of task {task}", kernel.task), path)
        taken = dict.fromkeys((operand.memory, operand.address, *operand.shape) for operand in op.taken)
        return replace(emission, scratch=tuple([*given] for given in taken))


def text_of(items: Any, path: Path | None = None) -> dict[str, Value]:
    """The answer of a task whose function yields lines of assembly; `items` is what the function gave.

    Raises AnswerError, NotWritten.
    """
    if isinstance(items, Items):
        return _collected(items, lambda: items.line, tr("the function"), items.path).answer()
    if items is None or isinstance(items, str):
        given = tr("nothing (None)") if items is None else tr("one line of text, {items!r}", items[:40])
        raise AnswerError(
            tr("the function returned {given}, where every line is wanted", given), tr("`yield` in place of `return`")
        )
    return _collected(items, lambda: 1, tr("the function"), path or Path("the answer")).answer()


def _collected(items: Any, line: Any, what: str, path: Path) -> Emission:
    lines: list[str] = []
    sources: list[int] = []
    size = 0
    for item in _checked(items, what, path):
        source = line()
        size += len(item)
        if len(lines) >= MOST_LINES or size > MOST_CHARACTERS:
            lengthy = tr("more than {most_lines} lines", MOST_LINES)
            what = lengthy if len(lines) >= MOST_LINES else tr("more than {most} characters", MOST_CHARACTERS)
            raise AnswerError(what, tr("end the loop"), f"{path_shown(path)}:{source}")
        for text in item.splitlines() or [""]:
            lines.append(text)
            sources.append(source)
    return Emission(tuple(lines), tuple(sources))


def _checked(items: Any, what: str, path: Path) -> Iterator[str]:
    """The items, if they are lines of text."""
    if items is None or isinstance(items, str) or not isinstance(items, Iterable):
        message = tr("{what} gave {name}, not lines of assembly", what, type(items).__name__)
        raise AnswerError(message, 'yield every line: yield "nop"', path_shown(path))
    for item in items:
        if not isinstance(item, str):
            line = items.line if isinstance(items, Items) else line_of(items, path)
            message = tr("lines of assembly are text, received {name} {item}", type(item).__name__, repr(item)[:80])
            raise AnswerError(message, 'yield f"…"', f"{path_shown(path)}:{line}")
        yield item


def given_of(op: Op) -> dict[str, Value]:
    """An operator as plain values: operands with shape, dtype, layout, memory and address, and the attributes."""
    return {
        "kind": op.kind,
        "inputs": [given_operand(operand) for operand in op.inputs],
        "output": given_operand(op.output),
        "attributes": dict(op.attributes),
    }


def op_of(given: Values) -> Op:
    """The operator of `given_of`."""
    inputs, output, attributes = given["inputs"], given["output"], given["attributes"]
    assert isinstance(inputs, list) and isinstance(attributes, Mapping)
    return Op(str(given["kind"]), tuple(operand_of(item) for item in inputs), operand_of(output), attributes)


def given_operand(operand: Operand) -> dict[str, Value]:
    """An operand as plain values."""
    return {
        "name": operand.name,
        "shape": list(operand.shape),
        "dtype": operand.dtype,
        "layout": str(operand.layout),
        "memory": operand.memory,
        "address": operand.address,
    }


def operand_of(given: Any) -> Operand:
    """The operand of `given_operand`."""
    shape, memory = tuple(given["shape"]), given["memory"]
    layout = dram_layout(shape) if memory == "DRAM" else Layout.parse(given["layout"])
    return Operand(given["name"], shape, given["dtype"], layout, memory, given["address"])
