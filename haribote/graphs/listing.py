"""A graph as lines of text, and the time that each operator takes: what one wants to see before a picture."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import onnx

from haribote.graph import Index, attributes, evaluate
from haribote.operators.reference import Array, operators, run_nodes


def listing(model: onnx.ModelProto, flags: bool = False) -> str:
    """One line per node, in order: operator, what it reads, what it makes, and the shape of that.

    The names are lined up. A left-out input is shown as "-". flags: with the attributes that are set, "Gemm transB=1".
    """
    index, rows = Index(model), []
    for node in model.graph.node:
        made = ", ".join(f"{name}[{'x'.join(map(str, index.shape[name]))}]" for name in node.output if name)
        op = " ".join([node.op_type, *(f"{key}={value}" for key, value in attributes(node).items() if flags)])
        rows.append((op, ", ".join(name or "-" for name in node.input), made))
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    return "\n".join(f"{op:<{widths[0]}}  {read:<{widths[1]}}  ->  {made}" for op, read, made in rows)


def times(model: onnx.ModelProto, feeds: Mapping[str, Array], rounds: int = 20) -> dict[str, float]:
    """Milliseconds by operator of one evaluation (the mean of several) with the reference operators, the longest first.

    feeds: every graph input by name. Raises GraphError as `graph.evaluate` does.
    """
    evaluate(model, feeds)  # refuses feeds that do not fit, and loads what the first run would have to load
    compute, spent = operators(model), dict.fromkeys((node.op_type for node in model.graph.node), 0.0)

    def timed(node: onnx.NodeProto, arrays: Sequence[Array | None]) -> Sequence[Array]:
        start = time.perf_counter()
        results = compute(node, arrays)
        spent[node.op_type] += 1000 / rounds * (time.perf_counter() - start)
        return results

    for _ in range(rounds):
        run_nodes(model.graph.node, {**Index(model).constants, **feeds}, timed)
    return dict(sorted(spent.items(), key=lambda item: -item[1]))
