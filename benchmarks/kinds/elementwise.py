"""Element-wise operators, of every type and with operands that are broadcast."""

from __future__ import annotations

import numpy as np
import onnx

from benchmarks.growing import COUNT, FLOAT, LABEL, TRUTH, Grower
from haribote.errors import GraphError

SMOOTH = (
    "Exp", "Sigmoid", "Tanh", "Erf", "Softplus", "Gelu", "Softsign", "Elu", "Sin", "Cos", "Atan", "Selu", "Celu",
    "Mish", "HardSwish", "Sinh", "Cosh", "Asinh",
)  # fmt: skip
STRAIGHT = ("Relu", "Neg", "Abs", "LeakyRelu", "HardSigmoid", "Identity", "Shrink", "ThresholdedRelu")
JUMPS = ("Floor", "Ceil", "Sign", "Round", "IsNaN", "IsInf")
WHOLE = (LABEL, LABEL, COUNT)


def _smooth(g: Grower) -> None:
    x = g.some()
    if np.abs(g.values[x]).max() > 8:
        raise GraphError("too large")
    g.add(g.random.choice(SMOOTH), x, rounds=True)


def _straight(g: Grower) -> None:
    g.add(g.random.choice(STRAIGHT), g.some(exact=True))


def _jump(g: Grower) -> None:
    g.add(g.random.choice(JUMPS), g.some(exact=True))


def _positive(g: Grower) -> str:
    """A value that is positive everywhere."""
    x = g.some(exact=True)
    return x if g.values[x].min() >= 0.25 else g.given((np.abs(g.values[x]) + 0.25).astype(np.float32))


def _root(g: Grower) -> None:
    x = _positive(g)
    g.add(g.random.choice(("Sqrt", "Log", "Reciprocal")), x, rounds=True)


def _power(g: Grower) -> None:
    x, exponent = g.some(exact=True), g.random.choice((-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 7.0, 0.3))
    least = g.values[x].min()
    if least < 0.25 and not (exponent.is_integer() and exponent >= 0):
        raise GraphError("no power")
    kind = g.random.choice((FLOAT, FLOAT, LABEL, COUNT)) if exponent.is_integer() else FLOAT
    g.add("Pow", x, g.builder.scalar(exponent, kind), rounds=True)


def _power_computed(g: Grower) -> None:
    x = _positive(g)
    g.add("Pow", x, g.beside(x), rounds=True)


def _binary(g: Grower) -> None:
    x = g.some()
    g.add(g.random.choice(("Add", "Sub", "Mul", "Max", "Min")), *g.two(x, g.beside(x)))


def _several(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, *WHOLE)))
    whole = g.values[x].dtype.kind == "i"
    names = [x, *(g.beside(x) for _ in range(g.random.choice((0, 2, 3))))]
    g.random.shuffle(names)
    op_type = g.random.choice(("Max", "Min") if whole else ("Max", "Min", "Sum", "Mean"))
    g.add(op_type, *names, rounds=op_type == "Mean")


def _divide(g: Grower) -> None:
    x = g.some()
    y = g.beside(x)
    if np.abs(g.values[y]).min() < 0.25:
        raise GraphError("a small divisor")
    g.add("Div", x, y, rounds=True)


def _remainder(g: Grower) -> None:
    x = g.some(exact=True)
    y = g.beside(x, exact=True)
    if np.abs(g.values[y]).min() < 0.25:
        raise GraphError("a small divisor")
    g.add("Mod", x, y, fmod=1)


def _whole(g: Grower) -> None:
    x = g.some(g.random.choice(WHOLE))
    g.add(g.random.choice(("Add", "Sub", "Mul", "Max", "Min")), *g.two(x, g.beside(x)))


def _whole_one(g: Grower) -> None:
    g.add(g.random.choice(("Neg", "Abs", "Sign", "Identity", "BitwiseNot")), g.some(g.random.choice(WHOLE)))


def _whole_divide(g: Grower) -> None:
    x = g.some(g.random.choice(WHOLE))
    y = g.beside(x)
    if (g.values[y] < 1).any() or (g.values[x] < 0).any():
        raise GraphError("a divisor that is not positive")
    g.add(g.random.choice(("Div", "Mod")), x, y)


def _whole_remainder(g: Grower) -> None:
    x = g.some(g.random.choice(WHOLE))
    y = g.beside(x)
    if (g.values[y] == 0).any():
        raise GraphError("a divisor of 0")
    g.add("Mod", x, y, fmod=g.random.randint(0, 1))


def _bits(g: Grower) -> None:
    x = g.some(g.random.choice(WHOLE))
    g.add(g.random.choice(("BitwiseAnd", "BitwiseOr", "BitwiseXor")), *g.two(x, g.beside(x)))


def _compare(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, *WHOLE)), exact=True)
    op_type = g.random.choice(("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"))
    g.add(op_type, *g.two(x, g.beside(x, exact=True)))


def _logic(g: Grower) -> None:
    x = g.some(TRUTH)
    if g.random.random() < 0.3:
        g.add("Not", x)
    else:
        g.add(g.random.choice(("And", "Or", "Xor", "Equal")), *g.two(x, g.beside(x)))


def _where(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, LABEL, COUNT, TRUTH)))
    shape = g.values[x].shape
    truths = [n for n, v in g.values.items() if v.dtype == TRUTH and v.shape == shape]
    thin = [size if g.random.random() < 0.7 else 1 for size in shape][g.random.choice((0, 0, len(shape))) :]
    g.add("Where", g.random.choice(truths) if truths else g.input(thin, TRUTH), *g.two(x, g.beside(x)))


def _cast(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, LABEL, COUNT, TRUTH)), exact=True)
    kind = g.random.choice([k for k in (FLOAT, LABEL, COUNT, TRUTH) if k != g.values[x].dtype])
    g.add("Cast", x, to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind)))


def _cast_like(g: Grower) -> None:
    kind = g.random.choice((FLOAT, LABEL, COUNT, TRUTH))
    g.add("CastLike", g.some(g.random.choice((FLOAT, LABEL, COUNT, TRUTH)), exact=True), g.some(kind))


def _clip(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, *WHOLE)))
    ends = [g.builder.scalar(value, g.values[x].dtype) for value in g.random.choice(((-1.5, 2.0), (1.0, 3.0)))]
    g.add("Clip", x, *g.random.choice((ends, ends[:1], ["", ends[1]], [])))


def _slope(g: Grower) -> None:
    x = g.some()
    shape = g.values[x].shape
    g.add("PRelu", x, g.input(shape[g.random.randint(0, len(shape)) :]))


def _deep(g: Grower) -> None:
    shape = [g.random.choice((1, 2, 3, 4)) for _ in range(g.random.choice((5, 6)))]
    x = g.input(shape)
    y = g.input([size if g.random.random() < 0.6 else 1 for size in shape][g.random.randint(0, 3) :])
    g.add(g.random.choice(("Add", "Mul", "Max")), *g.two(x, y))


ALL = (
    _smooth, _straight, _jump, _root, _power, _power_computed, _binary, _several, _divide, _remainder, _whole,
    _whole_one, _whole_divide, _whole_remainder, _bits, _compare, _logic, _where, _cast, _cast_like, _clip, _slope,
    _deep,
)  # fmt: skip
