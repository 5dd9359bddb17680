"""A compiled program: graphs on a device, and between them the loops that the host runs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import numpy as np
import onnx

from haribote.errors import HariboteError
from haribote.frontend.compiled import CompiledGraph, Options
from haribote.jax.flat.values import Array, Flat, Loop, Operation, Ref, Value, refs
from haribote.jax.lower import LoweredGraph, lower
from haribote.jax.placement import parts
from haribote.jax.rules.lowering import graph_type
from haribote.partition.verdicts import reason
from haribote.words import share_of
from simulator.isa.cost import Cost
from simulator.messages import tr

Values = dict[Ref, Array]


class Graph:
    """A piece of the program that the device runs at once."""

    def __init__(self, piece: LoweredGraph, options: Options) -> None:
        self.piece = piece
        self.compiled = _compiled(piece.model, options) if piece.model.graph.node else None

    def run(self, values: Values, resident: AbstractSet[Ref]) -> None:
        """Compute the results from the values known so far, and add them.

        resident: values that are what the last run has made of them; those that the graph updates are not written.
        """
        found = {name: _as_graph(values[ref]) for name, ref in self.piece.inputs.items()}
        if self.compiled:
            there = {name for name, ref in self.piece.inputs.items() if ref in resident and ref in self.piece.updates}
            read = set(self.compiled.names) - there
            found |= self.compiled({name: array for name, array in found.items() if name in read})
        results = self.piece.known | {ref: found[name] for ref, name in self.piece.outputs.items()}
        values.update((ref, array.astype(ref.dtype, copy=False)) for ref, array in results.items())


def _compiled(model: onnx.ModelProto, options: Options) -> CompiledGraph:
    """The graph on its device; on the host where the compiler fails. What it refuses is an error, as everywhere."""
    try:
        return CompiledGraph(model, options)
    except HariboteError:
        raise
    except Exception as error:
        if options.device == "host":
            raise
        warnings.warn(tr("the host runs {node} operators: {error}", len(model.graph.node), reason(error)), stacklevel=2)
        return CompiledGraph(model, replace(options, device="host"))


def _as_graph(array: Array) -> Array:
    return array.astype(graph_type(array.dtype), copy=False)


@dataclass(eq=False)
class Rounds:
    """A loop whose body is compiled once and run `count` times."""

    loop: Loop
    body: Program

    def run(self, values: Values, resident: AbstractSet[Ref]) -> None:
        """Run all rounds, and add the results. What is carried stays on the device where one graph updates it."""
        loop = self.loop
        given = [_value(values, value) for value in loop.inputs]
        fixed, carry = given[: loop.constants], given[loop.constants : loop.constants + loop.carried]
        stacks = given[loop.constants + loop.carried :]
        rows: list[list[Array]] = []
        for number in range(loop.count)[:: -1 if loop.reverse else 1]:
            given = [*fixed, *carry, *(np.asarray(stack[number]) for stack in stacks)]
            results = self.body.run(given, set(self.body.updates) if rows else frozenset())
            carry = results[: loop.carried]
            rows.append(results[loop.carried :])
        columns = [np.stack(column) for column in zip(*(rows[:: -1 if loop.reverse else 1]), strict=True)]
        values.update(zip(loop.outputs, [*carry, *columns], strict=True))


@dataclass(eq=False)
class Program:
    """A flat program, compiled.

    Attributes:
        parts: graphs and loops, in order.
    """

    flat: Flat
    options: Options
    names: Mapping[Ref, str] = field(default_factory=dict)
    updates: Mapping[Ref, Ref] = field(default_factory=dict)
    parts: list[Graph | Rounds] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = []
        for part, device in parts(self.flat.items, self.options.device):
            if isinstance(part, Loop):
                self.parts.append(Rounds(part, Program(part.body, self.options, {}, carried(part))))
            else:
                options = self.options if device == self.options.device else replace(self.options, device="host")
                self.parts.append(Graph(lower(part, *self._crossing(part), self.names, self.updates), options))

    def _crossing(self, operations: Sequence[Operation]) -> tuple[list[Ref], list[Ref]]:
        """What operations read of others, and what others read of them."""
        made = {ref for operation in operations for ref in operation.outputs}
        read = refs([value for operation in operations for value in operation.inputs])
        own = set(operations)
        others = [item for item in self.flat.items if item not in own]
        wanted = {*refs([value for item in others for value in item.inputs]), *refs(self.flat.outputs)}
        inputs = [ref for ref in read if ref not in made]
        return inputs, [ref for operation in operations for ref in operation.outputs if ref in wanted]

    def run(self, arguments: Sequence[Array], resident: AbstractSet[Ref] = frozenset()) -> list[Array]:
        """The results for these arguments, in the order of the flat program's.

        resident: arguments that are updated, and are now what the last run has made of them.
        """
        values = dict(zip(self.flat.inputs, arguments, strict=True))
        for part in self.parts:
            part.run(values, resident)
        return [_value(values, value) for value in self.flat.outputs]

    @property
    def models(self) -> list[onnx.ModelProto]:
        """All graphs, those of loops too."""
        return [
            model
            for part in self.parts
            for model in ([part.piece.model] if isinstance(part, Graph) else part.body.models)
        ]

    @property
    def graphs(self) -> list[tuple[CompiledGraph, int]]:
        """Every graph on the device, and how often a call runs it."""
        found: list[tuple[CompiledGraph, int]] = []
        for part in self.parts:
            if isinstance(part, Rounds):
                found += [(graph, times * part.loop.count) for graph, times in part.body.graphs]
            elif part.compiled:
                found.append((part.compiled, 1))
        return found

    @property
    def nodes(self) -> int:
        """How many nodes all graphs have."""
        return sum(len(model.graph.node) for model in self.models)

    @property
    def coverage(self) -> str:
        """How many nodes run on the chip, `n of n`."""
        counts = [int(graph.coverage.split()[0]) for graph, _ in self.graphs]
        return share_of(sum(counts), self.nodes)

    @property
    def cycles(self) -> int | None:
        """Of one call on the chip, the rounds of its loops included; None on the host."""
        if self.options.device == "host":
            return None
        costs: list[tuple[Cost, int]] = [(graph.cost, times) for graph, times in self.graphs if graph.cost]
        return round(sum(cost.cycles * times for cost, times in costs))


def carried(loop: Loop) -> dict[Ref, Ref]:
    """What a loop carries: the body's input, and its next value where the body makes one."""
    before = loop.body.inputs[loop.constants : loop.constants + loop.carried]
    pairs = zip(before, loop.body.outputs[: loop.carried], strict=True)
    return {ref: after for ref, after in pairs if isinstance(after, Ref) and after not in loop.body.inputs}


def _value(values: Values, value: Value) -> Array:
    return values[value] if isinstance(value, Ref) else value
