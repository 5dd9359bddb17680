"""How many of ONNX's own node tests end in the core: every operator there, and what each means as before.

    python -m benchmarks.onnx_core [FILTER] [--values]

Counted are the tests that convert to our opset and have tensors as inputs and outputs; inputs that decide how the graph
looks (axes, shapes, …) are constants. --values: also evaluate each
lowered graph on ONNX's reference and compare.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
from onnx.backend.test.case.node import collect_testcases

from haribote.core.checker import check
from haribote.core.from_onnx import lower
from haribote.errors import HariboteError
from haribote.graph import Index, evaluate
from haribote.graphs.cases import Case
from haribote.onnx_backend import deciding, specialised


def cases(named: str = "") -> Iterator[Case]:
    """The tests that convert to our opset, by name; sequences, maps and texts are left out."""
    with np.errstate(all="ignore"):
        found = collect_testcases(None)
    for case in found:
        if named not in case.name:
            continue
        if case.model is None or not case.data_sets:
            continue
        inputs, outputs = case.data_sets[0]
        if not all(isinstance(value, (np.ndarray, np.generic)) for value in (*inputs, *outputs)):
            continue
        names = [info.name for info in case.model.graph.input]
        given = {name: np.asarray(value) for name, value in zip(names, inputs, strict=False)}
        try:
            model = specialised(case.model, given, set(deciding(case.model)))
        except HariboteError:
            continue
        index = Index(model)
        feeds = {name: given[name] for name in index.inputs}
        yield Case(case.name, model, feeds, dict(zip(index.outputs, outputs, strict=True)))


def verdict(case: Case, values: bool) -> str:
    """`core`, or the operator that is left over, or `wrong`."""
    try:
        model = lower(case.model)
        check(model, "core")
    except HariboteError as error:
        return str(error).partition("(")[2].partition(")")[0] or type(error).__name__
    if values:
        with np.errstate(all="ignore"):
            found = evaluate(model, case.inputs)
        for name, wanted in case.outputs.items():
            if not np.allclose(found[name], wanted, rtol=1e-3, atol=1e-4, equal_nan=True):
                return "wrong"
    return "core"


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--values", action="store_true")
    options = parser.parse_args()
    found = Counter(verdict(case, options.values) for case in cases(options.filter))
    print(f"{found['core']} of {found.total()} end in the core")
    for left, count in found.most_common():
        if left != "core":
            print(f"  {count:4}  {left}")


if __name__ == "__main__":
    main()
