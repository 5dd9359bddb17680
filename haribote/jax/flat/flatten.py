"""From a jaxpr to a flat program: calls are inlined, branches selected, loops unrolled or left to the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from haribote.errors import HariboteError, UnsupportedOp
from haribote.jax.flat import keys, loops
from haribote.jax.flat.fold import compute
from haribote.jax.flat.source import of_jax, where
from haribote.jax.flat.values import Array, Flat, Loop, Operation, Ref, Value, live
from simulator.messages import tr

CALLS = ("jaxpr", "call_jaxpr", "fun_jaxpr")
"""Parameters in which a primitive carries the program that it calls."""
SAME = frozenset(
    (
        "copy",
        "copy_p",
        "device_put",
        "layout_constraint",
        "name",
        "optimization_barrier",
        "pvary",
        "random_unwrap",
        "random_wrap",
        "sharding_constraint",
        "stop_gradient",
    )
)
"""Primitives whose results are their arguments."""


def flatten(closed: ClosedJaxpr, limit: int) -> Flat:
    """The program of a jaxpr. limit: loops of at most so many rounds are unrolled.

    Raises:
        UnsupportedOp: a loop whose number of rounds is not known when tracing, or an effect, with the user's line.
    """
    inputs = [Ref(*described(var.aval)) for var in closed.jaxpr.invars]
    walk = Flattener(limit)
    outputs = walk.call(closed, inputs)
    return Flat(inputs, live(walk.items, outputs), outputs)


def described(aval: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and dtype of a value; a key of random numbers is its words."""
    if is_key(aval):
        return (*aval.shape, *aval.dtype._impl.key_shape), np.dtype(np.uint32)
    return tuple(aval.shape), np.dtype(aval.dtype)


def is_key(aval: Any) -> bool:
    """Whether values are keys of random numbers."""
    return bool(jax.dtypes.issubdtype(getattr(aval, "dtype", np.float32), jax.dtypes.extended))


class Flattener:
    """Walks through jaxprs and lists their operations."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.items: list[Operation | Loop] = []
        self._line, self._known_only_outside = "", False

    def apart(self) -> Flattener:
        """Another one, for the body of a loop."""
        return type(self)(self.limit)

    def where(self, equation: Any) -> str:
        """The line of the user's program; of what a function of JAX does, the line that calls it."""
        own = "" if self._known_only_outside else where(equation)
        return own or self._line or tr("a line inside jax")

    def _inline(self, inner: ClosedJaxpr, equation: Any, inputs: list[Value]) -> list[Value]:
        """The results of a call."""
        before = self._line, self._known_only_outside
        self._line, self._known_only_outside = self.where(equation), self._known_only_outside or of_jax(inner)
        results = self.call(inner, inputs)
        self._line, self._known_only_outside = before
        return results

    def call(self, closed: ClosedJaxpr, arguments: Sequence[Value]) -> list[Value]:
        """The outputs of a jaxpr, its operations listed."""
        jaxpr = closed.jaxpr
        env: dict[Any, Value] = dict(zip(jaxpr.invars, arguments, strict=True))
        env |= {var: known(const) for var, const in zip(jaxpr.constvars, closed.consts, strict=True)}

        def read(atom: Any) -> Value:
            return np.asarray(atom.val, atom.aval.dtype) if isinstance(atom, Literal) else env[atom]

        for equation in jaxpr.eqns:
            results = self.equation(equation, [read(atom) for atom in equation.invars])
            env.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def trace(self, function: Callable[..., Any], *arguments: Value) -> list[Value]:
        """The outputs of a function in JAX, its operations listed."""
        shaped = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in arguments]
        return self.call(jax.make_jaxpr(function)(*shaped), arguments)

    def equation(self, equation: Any, inputs: list[Value]) -> list[Value]:
        """The results of one equation."""
        name, params = equation.primitive.name, equation.params
        if name in SAME:
            return inputs
        if name == "cond":
            return self._cond(equation, inputs)
        if name == "scan":
            return loops.scan(self, equation, inputs)
        if name == "while":
            return loops.while_loop(self, equation, inputs)
        if name in keys.KEYS:
            return keys.KEYS[name](self, equation, inputs)
        if name == "platform_index":
            return [np.asarray(_default_platform(params["platforms"]), np.int32)]
        inner = next((params[key] for key in CALLS if key in params), None)
        if inner is not None and _takes(closed(inner), inputs):
            return self._inline(closed(inner), equation, inputs)
        if equation.effects:
            raise UnsupportedOp(
                tr("{name} has an effect outside the graph, at {equation}", name, self.where(equation)),
                tr("leave it out"),
            )
        if any(is_key(var.aval) for var in [*equation.invars, *equation.outvars]):
            return self._on_words(equation, inputs)
        if all(isinstance(value, np.ndarray) for value in inputs):
            return self.folded(equation, inputs)
        return self.operation(name, inputs, [var.aval for var in equation.outvars], params, self.where(equation))

    def operation(
        self, name: str, inputs: list[Value], avals: Sequence[Any], params: dict[str, Any], source: str
    ) -> list[Value]:
        """List an operation; its results."""
        outputs = [Ref(*described(aval)) for aval in avals]
        self.items.append(Operation(name, inputs, outputs, params, source))
        return list(outputs)

    def _on_words(self, equation: Any, inputs: list[Value]) -> list[Value]:
        """What moves keys moves each of their words."""
        axes = [-1 if is_key(atom.aval) else None for atom in equation.invars]
        several = equation.primitive.multiple_results

        def move(*arrays: Any) -> Any:
            results = equation.primitive.bind(*arrays, **equation.params)
            return results if several else [results]

        return self.trace(jax.vmap(move, in_axes=axes, out_axes=-1), *inputs)

    def folded(self, equation: Any, inputs: list[Value]) -> list[Value]:
        """The results of an equation whose arguments are known."""
        arrays: list[Array] = [value for value in inputs if isinstance(value, np.ndarray)]
        try:
            return list(compute(equation.primitive, arrays, equation.params))
        except HariboteError:
            raise
        except Exception as error:
            raise UnsupportedOp(
                tr("{name} fails at {equation}: {error}", equation.primitive.name, self.where(equation), error)
            ) from error

    def _cond(self, equation: Any, inputs: list[Value]) -> list[Value]:
        """The branch that is known; else all of them, and the results selected."""
        branches = equation.params["branches"]
        which, *arguments = inputs
        if isinstance(which, np.ndarray):
            return self.call(closed(branches[int(np.clip(which, 0, len(branches) - 1))]), arguments)
        results = [self.call(closed(branch), arguments) for branch in branches]
        source = self.where(equation)
        return [
            self._chosen(which, list(cases), var.aval, source)
            for var, *cases in zip(equation.outvars, *results, strict=True)
        ]

    def _chosen(self, which: Value, cases: list[Value], aval: Any, source: str) -> Value:
        if all(case is cases[0] for case in cases):
            return cases[0]
        return self.operation("select_n", [which, *cases], [aval], {}, source)[0]


def _takes(inner: ClosedJaxpr, inputs: Sequence[Value]) -> bool:
    """Whether a program has these inputs, as that of a call; that of a reduction takes single elements."""
    shapes = [getattr(var.aval, "shape", ()) for var in inner.jaxpr.invars]
    keys_of = [is_key(var.aval) for var in inner.jaxpr.invars]
    given = [value.shape[:-1] if key else value.shape for key, value in zip(keys_of, inputs, strict=False)]
    return shapes == given


def _default_platform(platforms: Sequence[Any]) -> int:
    """Which of a function's versions for other machines is the one for every machine."""
    return next((number for number, names in enumerate(platforms) if names is None), 0)


def closed(jaxpr: Any) -> ClosedJaxpr:
    """A jaxpr with its constants; one that has none may come without."""
    return jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, [])


def known(const: Any) -> Array:
    """A constant as an array."""
    if is_key(const):
        const = jax.random.key_data(const)
    return np.asarray(const)
