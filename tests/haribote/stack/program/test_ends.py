"""What comes in and goes out: inputs that nothing reads, outputs that are inputs or constants, truths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.errors import GraphError
from haribote.graph import Builder, evaluate
from haribote.stack.program.compiled import planned
from haribote.stack.program.executable import from_bytes, to_bytes
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build
from simulator import Machine


def test_ends_of_every_kind() -> None:
    builder = Builder("ends")
    feeds: dict[str, NDArray[Any]] = {
        "x": np.arange(15, dtype=np.float32).reshape(3, 5),
        "unread": np.ones(2, np.int64),
    }
    feeds |= {"t": np.eye(3, 5, dtype=np.bool_), "labels": np.array([4, 1])}
    for name, value in feeds.items():
        builder.input(name, value.shape, value.dtype)
    axes = builder.constant(np.array([0]), "axes")
    for name in ("same", "again"):
        builder.op("Identity", "x", name=name)
    builder.op("ReduceMax", "t", axes, name="any", keepdims=0)
    builder.op("Unsqueeze", "labels", axes, name="column")
    for name in ("x", "same", "again", "axes", "any", "column"):
        builder.output(name)
    model = builder.finish()
    executable = from_bytes(to_bytes(build(planned(model)).executable))
    session = session_of(executable, Machine("native"))
    for name, value in feeds.items():
        session.write(name, value)
    with pytest.raises(GraphError, match=r"'unread' has shape \[2\], received \[3\]"):
        session.write("unread", np.ones(3, np.int64))
    session.run()
    found = session.outputs()
    for name, value in evaluate(model, feeds).items():
        assert found[name].dtype == value.dtype and np.array_equal(found[name], value), name
