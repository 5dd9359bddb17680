"""Answers that do nothing for their points: always refusing, constants, what was given, zeros, nops everywhere."""

from __future__ import annotations

from haribote.answers.tasks import Task

_HEAD = """\
import numpy as np
import onnx
from haribote.errors import HariboteError, UnsupportedOp, UnsupportedShape
from haribote.kernel import kernel

def given(args, kwargs):
    return [*args, *kwargs.values()]

def zeros(value):
    shape = getattr(value, "shape", None)
    return np.zeros(shape if isinstance(shape, tuple) else ())

def lines_of(values):
    return [line for value in values if isinstance(value, list) for line in value]
"""
# what the function of a task that is no kernel does, by name; `values` is all that it is given
FUNCTIONS = {
    "refuse a shape": "raise UnsupportedShape('something else', 'this')",
    "refuse an operator": "raise UnsupportedOp('not this one')",
    "refuse by g.require": "values[0].require(False, 'not this one')",
    "refuse the odd": "values[0].require(not kwargs and len(getattr(values[1], 'attribute', ())) < 2, 'odd')",
    "nothing": "return None",
    "nothing yielded": "return iter(())",
    **{f"always {value}": f"return {value}" for value in (
        "0", "1", "0.5", "-1", "True", "''", "'nop'", "[]", "{}", "(0, 0)", "[0.0]", "np.zeros(3)", "['']")},
    "zeros": "return zeros(values[0])",
    "two zeros": "return (0, 64)",
    "ones": "return zeros(values[0]) + 1",
    "the first": "return values[0]",
    "the second": "return values[1]",
    "the last": "return values[-1]",
    "all": "return values",
    "the first twice": "return values[0], values[0]",
    "the first and more": "return values[0], values[0] + 64",
    "the result's name": "return values[0].result",
    "the gradient of each": "return iter([values[2]] * len(values[1].input))",
    "no gradient": "return iter([None] * len(values[1].input))",
    "a copy": "return dict(values[1])",
    "a copied graph": "m = onnx.ModelProto(); m.CopyFrom(values[0]); return m",
    "each by itself": "return {n.name: [n] for n in values[0].graph.node}",
    "all together": "c = list(values[0].graph.node); return {n.name: c for n in c}",
    "keep": "values[0].keep(values[1])",
    "the parts as named": (
        "from haribote.passes.decompose import Softmax; x = values[0].op('Identity', values[1]); "
        "return Softmax(x, x, x, x)"),
    "an identity": "return values[0].op('Identity', values[1])",
    "nops": "return ['nop/3'] * 4",
    "the lines": "return lines_of(values)",
    **{f"the lines, nop/{n} everywhere": f"return [t for line in lines_of(values) for t in (line, 'nop/{n}')]"
       for n in (2, 3, 4)},
    "zeros in C++": "return [f'for (int i = 0; i < {values[0]} * {values[1]}; ++i) y[i] = 0;']",
    "the input in C++": "return [f'for (int i = 0; i < {values[0]} * {values[1]}; ++i) y[i] = a[0];']",
}  # fmt: skip
# what a kernel does
KERNELS = {
    "refuse": "raise UnsupportedShape('something else', 'this')",
    "nothing": "return []",
    "nops": "return ['nop/3'] * 4",
    "zeros": "return [f'lpassa $lr0 {op.y.long(at)}' for at in range(0, op.y.words, 8)]",
    "the first input": "return [f'lpassa {op.x.long(at)} {op.y.long(at)}' for at in range(0, op.y.words, 8)]",
    "the last input": "return [f'lpassa {op.inputs[-1].long(at)} {op.y.long(at)}' for at in range(0, op.y.words, 8)]",
    "a move": "return [f'mvp/n{op.y.words} {op.x.dram()}@0 {op.y.dram()}@0']",
}


def degenerate(task: Task) -> dict[str, str]:
    """Files of answers to a task, by name."""
    if task.is_kernel:
        head = f"{_HEAD}\n@kernel('{task.id}', 'x')\ndef answer(op):\n    "
        return {name: f"{head}{body}\n" for name, body in KERNELS.items()}
    head = f"{_HEAD}\ndef {task.name}(*args, **kwargs):\n    values = given(args, kwargs)\n    "
    return {name: f"{head}{body}\n" for name, body in FUNCTIONS.items()}
