"""Making cases of one operator, which the tests of the templates share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.commands.run_cases import compare, table
from haribote.graph import Builder, Index
from haribote.graphs.cases import Case, reference_case, unit_name

Array = NDArray[Any]
SHAPES = [(), (1,), (7,), (5, 1), (3, 17), (2, 3, 5), (1, 4, 1, 9)]
BROADCASTS = [
    ((), (3, 5)),
    ((5,), (3, 5)),
    ((3, 1), (3, 5)),
    ((3, 1, 5), (4, 1)),
    ((2, 1, 1, 3), (7, 1)),
    ((1, 6), (6, 1)),
]

random = np.random.default_rng(11)


def normal(*shape: int) -> Array:
    return np.asarray(random.standard_normal(shape), np.float32)


def positive(*shape: int) -> Array:
    return np.asarray(random.uniform(0.1, 4, shape), np.float32)


def integers(bound: int, *shape: int) -> Array:
    return np.asarray(random.integers(-bound, bound, shape))


def case(op_type: str, *inputs: Array | Sequence[float] | int, outputs: int = 1, **attributes: Any) -> Case:
    """One node: arrays are its inputs, plain numbers its constants."""
    builder, feeds, names = Builder(op_type), {}, []
    for i, value in enumerate(inputs):
        name = f"in{i}"
        if isinstance(value, np.ndarray):
            feeds[name] = value
            names.append(builder.input(name, value.shape, value.dtype))
        else:
            names.append(
                builder.constant(np.asarray(value, np.float32 if op_type == "OneHot" and i == 2 else np.int64), name)
            )
    builder.op(op_type, *names, name="y", **attributes)
    if outputs > 1:
        builder.model.graph.node[-1].output.append("second")
    for name in builder.model.graph.node[-1].output:
        builder.output(name)
    model = builder.finish()
    return reference_case(unit_name(model.graph.node[0], Index(model)), model, feeds)


def check(cases: list[Case], outputs: list[dict[str, Array]]) -> None:
    """All outputs agree, with the same element types; the message shows those that do not."""
    wrong = []
    for part, got in zip(cases, outputs, strict=True):
        rows = compare(part.outputs, got, tolerance=1e-5)
        types = {name: value.dtype for name, value in got.items()} == {k: v.dtype for k, v in part.outputs.items()}
        if not types or not all(row.passed for row in rows):
            wrong.append(f"{part.name} {part.model.graph.node[0].attribute}\n{table(rows)}")
    assert not wrong, "\n".join(wrong)
