"""`python -m grader.emitter.whole_step < order > replies`: a training step compiled by one submission's answers alone.

The order is a line `{"forward": ONNX, "rate": of SGD, "levels": [0, …]}`. Of each level there is a reply `{"level",
"model": the placed graph, "programs": [assembly]}`, or `{"level", "error"}`. Nothing of the course's own answers lies
where this runs: what the answers do not do is not done. What runs and counts are the programs, in the judge's hands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import onnx

from grader.emitter.guard import only_this_course
from grader.emitter.values import Value, decode, encode
from haribote.answers.resolve import resolve_row
from haribote.autodiff.reverse import train_step
from haribote.chip.codegen import ChipPiece, generate
from haribote.chip.program import Compiled, ProgramPart, describe, link
from haribote.compiler import compile_learners, compile_resident, lower
from haribote.errors import HariboteError
from haribote.operators.opset import at_our_opset
from simulator.messages import tr


def compiled_at(level: int, step: onnx.ModelProto) -> Compiled:
    """A training step by the answers that are here. Raises HariboteError, and whatever an answer raises."""
    if level == 0:
        placed = lower(step)
        return link(placed, generate(placed, False))
    if level == 1:
        return compile_resident(step, False)
    found = compile_learners(step, "simplify", resolve_row)
    if found is None:
        raise HariboteError(tr("a kernel is missing"))
    return found


def programs_of(compiled: Compiled) -> list[str]:
    """The programs of a step. Raises HariboteError where some of it is not made by the answers."""
    if left := compiled.host_nodes:
        raise HariboteError(tr("on the host: {value}", describe(left[0])))
    chip = [piece for piece in compiled.pieces if isinstance(piece, ChipPiece)]
    other = next((piece for piece in chip if piece.owner != "yours"), None)
    if other is not None:
        raise HariboteError(tr("not by an answer: {op_type} {name}", other.node.op_type, other.node.name))
    programs = [part for part in compiled.parts if isinstance(part, ProgramPart)]
    if any("product" in (part.nops, part.scheduler) for part in programs):
        raise HariboteError(tr("its nop placer or its scheduler gave no program that is right"))
    return [part.program.source for part in programs]


def replies(order: dict[str, Any]) -> Iterator[dict[str, Value]]:
    """What comes of each level that is asked for."""
    for level in order["levels"]:
        try:
            forward = onnx.load_from_string(order["forward"])
            compiled = compiled_at(level, at_our_opset(train_step(forward, order["rate"])))
            programs: list[Value] = [*programs_of(compiled)]
            yield {"level": level, "model": compiled.model.SerializeToString(), "programs": programs}
        except (Exception, SystemExit) as error:  # whatever an answer does
            yield {"level": level, "error": f"{type(error).__name__}: {error}"}


def main() -> int:
    """Reply to the order on standard input."""
    only_this_course()
    order = decode(sys.stdin.buffer.readline())
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as answers:
        os.dup2(2, 1)  # what the answers print is no reply
        for reply in replies(order):
            print(encode(reply), file=answers, flush=True)
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
