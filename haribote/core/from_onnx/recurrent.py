"""Recurrent networks, one step after another: RNN, GRU, LSTM in both directions.

The products with the input are one for all steps; a step adds that of the state before it. After the end of a sequence
that is shorter than others its state stays and its results are 0; backwards it begins at its own end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
DEFAULTS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
PLAIN = frozenset(("Elu", "HardSigmoid", "LeakyRelu", "Relu", "Sigmoid", "Softplus", "Softsign", "Tanh"))
"""Activations that are operators with the same parameters."""
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "Elu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
}


@rule("RNN", "GRU", "LSTM")
def recurrent(g: Rewriter) -> str | bool:
    """RNN, GRU and LSTM of the activations that are operators."""
    directions = 2 if g.given.get("direction", b"forward") == b"bidirectional" else 1
    named = [name.decode() for name in g.given.get("activations", [])] or DEFAULTS[g.node.op_type] * directions
    fewer = g.node.op_type == "LSTM" and g.given.get("input_forget", 0)
    if any(name not in PLAIN for name in named) or fewer:
        return False
    _Network(g, directions, named).write()
    return True


class _Network:
    """node's inputs: x [steps, batch, inputs] (with layout 1 batch first), w and r [directions, gates * hidden, …], b,
    lengths [batch], initial states [directions, batch, hidden], and of an LSTM the weights of peepholes.
    """

    def __init__(self, g: Rewriter, directions: int, named: Sequence[str]) -> None:
        self.g, self.directions, self.named = g, directions, named
        self.kind, self.gates = g.node.op_type, GATES[g.node.op_type]
        self.batch_first = bool(g.given.get("layout", 0))
        first, second, self.inputs = g.shapes[g.node.input[0]]
        self.steps, self.batch = (second, first) if self.batch_first else (first, second)
        self.hidden = g.shapes[g.node.input[2]][-1]
        self.dtype = g.dtypes[g.node.input[0]]
        self.zero = g.builder.constant(
            np.zeros((self.batch, self.hidden), self.dtype), f"zeros_{self.batch}x{self.hidden}"
        )

    def write(self) -> None:
        """All directions, and the outputs."""
        g, x = self.g, self.g.node.input[0]
        if self.batch_first:
            x = g.op("Transpose", x, part="steps", perm=[1, 0, 2])
        backwards = g.given.get("direction", b"forward") == b"reverse"
        made = [self._direction(number, x, backwards or number == 1) for number in range(self.directions)]
        rows, states, cells = zip(*made, strict=True)
        self._output(0, rows, 1, [2, 0, 1, 3])
        self._output(1, states, 0, [1, 0, 2])
        self._output(2, cells, 0, [1, 0, 2])

    def _output(self, number: int, parts: Sequence[str], axis: int, batch_first: Sequence[int]) -> None:
        """An output of all directions, its axes as the layout says."""
        if number >= len(self.g.node.output) or not self.g.node.output[number]:
            return
        name, value = self.g.node.output[number], self._stacked(parts, axis)
        if self.batch_first:
            self.g.op("Transpose", value, name=name, perm=list(batch_first))
        else:
            self.g.op("Identity", value, name=name)

    def _direction(self, number: int, x: str, backwards: bool) -> tuple[str, str, str]:
        """All states [steps, batch, hidden], the last one and the last cell [batch, hidden]."""
        w, r = self._part(1, number, [-1, self.inputs]), self._part(2, number, [-1, self.hidden])
        biases = self._part(3, number, [2, self.gates * self.hidden])
        bias = [self._slice(biases, 0, k, k + 1, f"bias_{k}") if biases else "" for k in range(2)]
        state = self._part(5, number, [self.batch, self.hidden]) or self.zero
        cell = (self._part(6, number, [self.batch, self.hidden]) if self.kind == "LSTM" else "") or self.zero
        peepholes = self._part(7, number, [3, self.hidden]) if self.kind == "LSTM" else ""
        all_inputs = self.g.op("MatMul", x, self.g.op("Transpose", w, part="w", perm=[1, 0]), part="inputs")
        if bias[0]:
            all_inputs = self.g.op("Add", all_inputs, bias[0], part="biased")
        recurrence = self.g.op("Transpose", r, part="r", perm=[1, 0])
        step = {"RNN": self._rnn, "GRU": self._gru, "LSTM": self._lstm}[self.kind]
        active = self._activations(number)
        made = [""] * self.steps
        for at in range(self.steps)[:: -1 if backwards else 1]:
            there = self._slice(all_inputs, 0, at, at + 1, "step", squeeze=True)
            new, new_cell = step(there, state, cell, recurrence, bias[1], peepholes, active)
            state, cell, made[at] = self._until_its_end(at, (new, new_cell), (state, cell))
        return self._stacked(made, 0), state, cell

    def _until_its_end(self, at: int, new: tuple[str, str], old: tuple[str, str]) -> tuple[str, str, str]:
        """State, cell and result where the sequence has this step; the old ones and 0 where it has ended."""
        lengths = self.g.input(4)
        known = self.g.index.constants.get(lengths)
        if not lengths or (known is not None and (known > at).all()):
            return (*new, new[0])
        column = self.g.shaped(lengths, [self.batch, 1], part="lengths")
        goes_on = self.g.op("Greater", column, self.g.number(at, lengths), part="goes_on")
        state, cell = (
            self.g.op("Where", goes_on, first, second, part="kept") if first != second else first
            for first, second in zip(new, old, strict=True)
        )
        return state, cell, self.g.op("Where", goes_on, new[0], self.zero, part="result")

    # --- steps: x [batch, gates * hidden], with its bias --------------------------------------------------------------

    def _rnn(self, x: str, h: str, c: str, r: str, bias: str, _: str, f: Sequence[Any]) -> tuple[str, str]:
        return f[0](self._sum(x, h, r, bias)), c

    def _gru(self, x: str, h: str, c: str, r: str, bias: str, _: str, f: Sequence[Any]) -> tuple[str, str]:
        """Update, reset and hidden gates, in this order."""
        size = self.hidden
        if self.g.given.get("linear_before_reset", 0):
            old = self._product(h, r, bias)
            parts = [self._gate(old, k) for k in range(3)]
            z, reset = (f[0](self.g.op("Add", self._gate(x, k), parts[k], part="sum")) for k in range(2))
            inner = self.g.op("Mul", reset, parts[2], part="reset")
        else:
            first = self._slice(r, 1, 0, 2 * size, "r_gates")
            both = self._sum(self._slice(x, 1, 0, 2 * size, "gates"), h, first, self._bias(bias, 0, 2))
            z, reset = (f[0](self._gate(both, k)) for k in range(2))
            kept = self.g.op("Mul", reset, h, part="reset")
            inner = self._product(kept, self._slice(r, 1, 2 * size, 3 * size, "r_hidden"), self._bias(bias, 2, 3))
        new = f[1](self.g.op("Add", self._gate(x, 2), inner, part="hidden"))
        rest = self.g.op("Sub", self.g.builder.scalar(1, self.dtype), z, part="rest")
        old_part, new_part = self.g.op("Mul", z, h, part="old"), self.g.op("Mul", rest, new, part="new")
        return self.g.op("Add", new_part, old_part, part="state"), c

    def _lstm(self, x: str, h: str, c: str, r: str, bias: str, p: str, f: Sequence[Any]) -> tuple[str, str]:
        """Input, output, forget and cell gates, in this order; peepholes of the first three."""
        gates = [self._gate(self._sum(x, h, r, bias), k) for k in range(4)]

        def seen(gate: str, number: int, cell: str) -> str:
            if not p:
                return gate
            weight = self._slice(p, 0, number, number + 1, "peephole")
            return self.g.op("Add", gate, self.g.op("Mul", weight, cell, part="seen"), part="with_cell")

        enters, forgets = f[0](seen(gates[0], 0, c)), f[0](seen(gates[2], 2, c))
        entering = self.g.op("Mul", enters, f[1](gates[3]), part="entering")
        cell = self.g.op("Add", self.g.op("Mul", forgets, c, part="kept"), entering, part="cell")
        leaves = f[0](seen(gates[1], 1, cell))
        return self.g.op("Mul", leaves, f[2](cell), part="state"), cell

    def _sum(self, x: str, h: str, r: str, bias: str) -> str:
        return self.g.op("Add", x, self._product(h, r, bias), part="sum")

    def _product(self, h: str, r: str, bias: str) -> str:
        found = self.g.op("MatMul", h, r, part="state")
        return self.g.op("Add", found, bias, part="state_biased") if bias else found

    def _bias(self, bias: str, first: int, end: int) -> str:
        return self._slice(bias, 1, first * self.hidden, end * self.hidden, "bias_part") if bias else ""

    def _gate(self, value: str, number: int) -> str:
        return self._slice(value, 1, number * self.hidden, (number + 1) * self.hidden, "gate")

    def _activations(self, direction: int) -> list[Callable[[str], str]]:
        """What a direction applies; parameters are handed out to the activations that take some, in order."""
        count = len(DEFAULTS[self.kind])
        values = {name: list(self.g.given.get(f"activation_{name}", [])) for name in ("alpha", "beta")}
        found: list[Callable[[str], str]] = []
        for number, op_type in enumerate(self.named):
            taken: dict[str, Any] = {name: values[name].pop(0) for name in PARAMETERS.get(op_type, ()) if values[name]}
            if number // count == direction:
                found.append(self._activation(op_type, taken))
        return found

    def _activation(self, op_type: str, parameters: Mapping[str, Any]) -> Callable[[str], str]:
        limit = self.g.given.get("clip")

        def active(value: str) -> str:
            if limit is not None:
                bounds = (self.g.builder.scalar(bound, self.dtype) for bound in (-limit, limit))
                value = self.g.op("Clip", value, *bounds, part="clipped")
            return self.g.op(op_type, value, part=op_type.lower(), **parameters)

        return active

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _part(self, number: int, direction: int, shape: Sequence[int]) -> str:
        """What an input has for a direction, "" for one that is left out."""
        name = self.g.input(number)
        if not name:
            return ""
        if self.batch_first and number in (5, 6):
            name = self.g.op("Transpose", name, part="directions", perm=[1, 0, 2])
        if self.directions > 1:
            name = self._slice(name, 0, direction, direction + 1, "direction")
        return self.g.shaped(name, shape, part="own")

    def _stacked(self, parts: Sequence[str], axis: int) -> str:
        wide = [self.g.wide(part, [axis], part="wide") for part in parts]
        return self.g.op("Concat", *wide, part="all", axis=axis) if len(wide) > 1 else wide[0]

    def _slice(self, value: str, axis: int, start: int, end: int, part: str, squeeze: bool = False) -> str:
        numbers = [self.g.ints([k], "number") for k in (start, end, axis)]
        found = self.g.op("Slice", value, *numbers, part=part)
        return self.g.op("Squeeze", found, numbers[2], part=part) if squeeze else found
