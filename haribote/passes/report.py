"""What a pass did to a graph: node counts before and after, per operator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import onnx
import onnx.printer

from simulator.messages import tr


@dataclass(frozen=True)
class Report:
    """Node counts by operator, before and after one pass."""

    name: str
    before: Counter[str]
    after: Counter[str]

    @classmethod
    def of(cls, name: str, before: onnx.ModelProto, after: onnx.ModelProto) -> Report:
        """The report of the pass `name` that made `after` from `before`."""
        return cls(name, counts(before), counts(after))

    def __str__(self) -> str:
        """One line: `simplify: 34 -> 28 nodes (Transpose 9 -> 0, MatMul 5 -> 0, Gemm 0 -> 5)`."""
        operators = [op for op in {**self.before, **self.after} if self.before[op] != self.after[op]]
        changes = ", ".join(f"{op} {self.before[op]} -> {self.after[op]}" for op in operators)
        return tr(
            "{name}: {total} -> {total2} nodes ({value})",
            name=self.name,
            total=self.before.total(),
            total2=self.after.total(),
            value=changes or tr("no operator changed"),
        )


def counts(model: onnx.ModelProto) -> Counter[str]:
    """Operator to the number of its nodes."""
    return Counter(node.op_type for node in model.graph.node)


def as_text(model: onnx.ModelProto) -> str:
    """The graph in ONNX's text form, one line per node: what `--print-after` shows."""
    text: str = onnx.printer.to_text(model)
    return text
