"""Operators of one's own: what they mean, and kernels for them. See docs/final_project.md.

    define('''Cube (x) => (y) { square = Mul (x, x) y = Mul (square, x) }''')     # a meaning, in ONNX's text form
    serve("Cube", kernel)                                                        # and a kernel for 256x16 in layout A

Lowering rules are registered with `frontend.aten.rule`, gradients with `autodiff.rules.gradient`; the compiler knows
then all that it has to know of an element-wise operator.
"""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser

from haribote.answers.resolve import OWN_KERNELS
from haribote.errors import HariboteError
from haribote.graph import Builder, evaluate
from haribote.kernel import Kernel
from haribote.kernel_table import BY_NAME, OWN_ROWS, A, KernelRow
from haribote.operators.functions import DOMAIN, FUNCTIONS, OPSET
from haribote.passes import pad_sizes, tile_sizes
from simulator.messages import tr


def define(body: str) -> str:
    """Add an element-wise operator to the domain `haribote`; returns its name.

    body: a function in ONNX's text form, made of standard operators; what it makes of zeros must be 0, since padding
    adds zeros. Raises HariboteError for a text that is no function, for a name that the course has, and for a
    function that is not 0 of zeros.
    """
    try:
        function = onnx.parser.parse_function(f'<domain: "{DOMAIN}", opset_import: ["": {OPSET}]>\n{body}')
    except onnx.parser.ParseError as error:
        raise HariboteError(
            tr("this is no function in ONNX's text form: {error}", error), "Twice (x) => (y) { y = Add (x, x) }"
        ) from error
    known = FUNCTIONS.get(function.name)
    if known is not None and function.name not in _DEFINED:
        raise HariboteError(tr("the course has an operator {name} of its own", function.name), tr("another name"))
    FUNCTIONS[function.name] = function
    _DEFINED.add(function.name)
    _require_zero(function)
    pad_sizes.ELEMENTWISE.add(function.name)
    tile_sizes.ELEMENTWISE.add(function.name)
    return str(function.name)


def serve(op_type: str, kernel: Kernel, inputs: int = 1, par: int = 100) -> KernelRow:
    """Let a kernel do an operator on tensors of 256x16 in layout A, operands in LM0 and result in LM1.

    par: its steps, for reports. Raises HariboteError for an operator that was not defined.
    """
    if op_type not in _DEFINED:
        raise HariboteError(tr("{op_type} is not defined", op_type), tr("define(…) says what it means"))
    row = KernelRow("", op_type.lower(), "", op_type, (A,) * inputs, A, par)
    OWN_ROWS[:] = [*(other for other in OWN_ROWS if other.op != op_type), row]
    BY_NAME[row.name] = row
    OWN_KERNELS[row.name] = kernel
    return row


def forget(op_type: str) -> None:
    """Take an operator of one's own away again, with its kernel."""
    _DEFINED.discard(op_type)
    FUNCTIONS.pop(op_type, None)
    pad_sizes.ELEMENTWISE.discard(op_type)
    tile_sizes.ELEMENTWISE.discard(op_type)
    OWN_ROWS[:] = [row for row in OWN_ROWS if row.op != op_type]
    BY_NAME.pop(op_type.lower(), None)
    OWN_KERNELS.pop(op_type.lower(), None)


def _require_zero(function: onnx.FunctionProto) -> None:
    """Raise HariboteError, and forget the operator, where zeros do not give 0."""
    builder = Builder("zeros")
    names = [builder.input(name, (1,), np.float32) for name in function.input]
    builder.output(builder.op(function.name, *names, name="result"))
    result = evaluate(builder.finish(), {name: np.zeros(1, np.float32) for name in names})["result"]
    if result.item() != 0:
        forget(function.name)
        raise HariboteError(tr("{name} of zeros must be 0, for zeros are padding; it "
                               "is {item:g}", function.name, result.item()),
                            tr("a function that goes through the origin"))  # fmt: skip


_DEFINED: set[str] = set()
