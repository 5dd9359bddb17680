"""ONNX's own tests of its operators on our devices: how many pass, and why the others do not.

    python -m benchmarks.onnx_scoreboard [--device CHIP|CPU] [--every N] [--json] [--page FILE] [FILTER]

The tests are the node tests of the installed onnx on numbers, integers and bools with static shapes, without chance.
Verdicts and options: see `benchmarks.scoreboard`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import onnx

from benchmarks.scoreboard import Test, parser_of, told
from haribote import onnx_backend
from haribote.passes.fold_constants import RANDOM

LEAST_TOLERANCE = 1e-6
"""Differences that are none, whatever a test says: results of single precision that are near 0."""


def tests(device: str, part: str = "") -> list[Test]:
    """All with `part` in their names."""
    return [Test(case.name, partial(tried, case, device)) for case in _cases() if part in case.name]


def _cases() -> list[Any]:
    from onnx.backend.test.case.node import collect_testcases

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases(None)
    return [case for case in found if _counts(case)]


def _counts(case: Any) -> bool:
    """Whether a test is on what we speak of."""
    domains = {entry.domain for entry in case.model.opset_import}
    chance = any(node.op_type in RANDOM for node in case.model.graph.node) or "training_dropout" in case.name
    inputs, outputs = case.data_sets[0]
    plain = all(isinstance(v, np.ndarray | np.generic) and v.dtype.kind in "fiub" for v in (*inputs, *outputs))
    static = all(
        info.type.HasField("tensor_type") and all(dim.dim_value > 0 for dim in info.type.tensor_type.shape.dim)
        for info in case.model.graph.input
    )
    return domains <= {"", "ai.onnx"} and not chance and plain and static


def tried(case: Any, device: str) -> tuple[str, str]:
    """The verdict of one test, and the reason where it did not pass whole."""
    rep = onnx_backend.prepare(case.model, device)
    for inputs, outputs in case.data_sets:
        with np.errstate(all="ignore"):
            results = rep.run(inputs)
        for number, (got, wanted) in enumerate(zip(results, outputs, strict=True)):
            if problem := _difference(np.asarray(got), np.asarray(wanted), case):
                return "wrong", f"output {number}: {problem}"
    last = rep.last
    assert last is not None
    if last.constant:
        return "constant", ""
    if last.refused or last.coverage.startswith("0 "):
        return "host", last.refused or _joined(last.reasons)
    return ("pieces", _joined(last.reasons)) if last.reasons else ("passed", "")


def _joined(reasons: Mapping[str, str]) -> str:
    return "; ".join(dict.fromkeys(reasons.values()))


def _difference(got: Any, wanted: Any, case: Any) -> str:
    """What ONNX's own runner would complain of."""
    if got.shape != wanted.shape:
        return f"shape {list(got.shape)}, wanted {list(wanted.shape)}"
    if got.dtype != wanted.dtype:
        return f"type {got.dtype}, wanted {wanted.dtype}"
    if not np.allclose(got, wanted, rtol=case.rtol, atol=max(case.atol, LEAST_TOLERANCE), equal_nan=True):
        gap = np.nanmax(np.abs(got.astype(np.float64) - wanted.astype(np.float64)))
        return f"differs by up to {gap:.3g}"
    return ""


def warm(device: str) -> None:
    """Import what every test imports, once for all processes that are forked."""
    text = '<ir_version: 10, opset_import: ["": 21]> sums (float[2] x) => (float[2] y) { y = Add (x, x) }'
    onnx_backend.run_model(onnx.parser.parse_model(text), [np.ones(2, np.float32)], device)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 where something is wrong, crashed or too slow."""
    parser = parser_of(__doc__)
    parser.add_argument("--device", choices=onnx_backend.DEVICES, default="CHIP")
    given = parser.parse_args(arguments)
    warm(given.device)
    return told(tests(given.device, given.filter), given, f"onnx {onnx.__version__} on {given.device}", given.device)


if __name__ == "__main__":
    raise SystemExit(main())
