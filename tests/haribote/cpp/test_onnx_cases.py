"""ONNX's own cases of its operators, which the project did not write: those that C++ takes must give their outputs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from haribote.compiler import lower_for_cpp
from haribote.cpp import expand
from haribote.cpp.emit import emit
from haribote.cpp.session import sessions
from haribote.errors import HariboteError
from haribote.frontend.onnx_file import adapted
from haribote.graph import Index
from haribote.graphs.cases import Case

LONG = bool(os.environ.get("HARIBOTE_LONG"))
SHARE, LIBRARY = (1, 40) if LONG else (16, 60)
"""Every so many cases is run, and so many are built at once."""


def cases() -> Iterator[Case]:
    """What converts to our opset, has arrays as inputs and outputs, and templates for all its nodes."""
    from onnx.backend.test.case.node import collect_testcases

    with np.errstate(all="ignore"):
        found = collect_testcases(None)
    for case in found[::SHARE]:
        try:
            model = lower_for_cpp(expand.run(adapted(case.model, {})))
            emit({"graph": model}, "naive")
        except HariboteError:
            continue
        index, (inputs, outputs) = Index(model), case.data_sets[0]
        arrays = [np.asarray(value) for value in (*inputs, *outputs)]
        if all(array.dtype.kind in "fiub" for array in arrays):
            count = len(inputs)
            given = dict(zip(index.inputs, arrays[:count], strict=True))
            yield Case(case.name, model, given, dict(zip(index.outputs, arrays[count:], strict=True)))


@pytest.mark.slow
def test_they_give_their_outputs() -> None:
    found = list(cases())
    assert len(found) > (600 if LONG else 25)
    for start in range(0, len(found), LIBRARY):
        part = found[start : start + LIBRARY]
        built = sessions({f"case{number}": case.model for number, case in enumerate(part)}, "naive")
        for case, session in zip(part, built.values(), strict=True):
            for name, value in case.inputs.items():
                session.write(name, value)
            session.run()
            for name, value in case.outputs.items():
                np.testing.assert_allclose(session.read(name), value, rtol=1e-3, atol=1e-4, err_msg=case.name)
