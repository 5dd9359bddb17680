"""`mnjit` in place of `jax.jit`: the function runs on MN-Core 2, or on the host by ONNX's reference operators."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import jax
import onnx
from jax.extend.core import ClosedJaxpr

from haribote.errors import HariboteError
from haribote.frontend.compiled import DEVICES, Options
from haribote.jax import binding
from haribote.jax.arguments import StaticArguments, leaf_names, next_values
from haribote.jax.arrays import to_jax, to_numpy
from haribote.jax.flat.flatten import flatten
from haribote.jax.flat.values import Flat, Ref
from haribote.jax.program import Program
from haribote.progress import aloud
from simulator.messages import tr

UNROLL = 16
"""Loops of at most so many rounds become part of the graph."""


def mnjit(
    function: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Iterable[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    device: Literal["chip", "host", "auto"] = "chip",
    level: int = 2,
    precision: str = "float",
    unroll: int = UNROLL,
    **others: Any,
) -> Any:
    """Compile a function of JAX for MN-Core 2.

    Args:
        function: of any pytrees of arrays; without it, a decorator.
        static_argnums, static_argnames: arguments that are values of the compiler, as for `jax.jit`.
        donate_argnums, donate_argnames: arguments whose next values are results, such as a state: they stay on the
            device, and are not written again when a call gets what the last one has returned. Nothing is deleted.
        device, level, precision: as of `haribote.frontend.compiled.Options`.
        unroll: loops of more rounds than this are run by the host, round by round.
        others: what else `jax.jit` takes; it passes them on.

    Returns:
        A function that takes and gives what `jax.jit(function)` does, an `Mnjit`.

    Raises:
        HariboteError: there is no such device. Calls raise `UnsupportedOp` with the line of the user's program that
            cannot be compiled.
    """
    if device not in DEVICES:
        raise HariboteError(tr("there is no device {device!r}", device), tr("one of {devices}", ", ".join(DEVICES)))
    given = {"static_argnums": static_argnums, "static_argnames": static_argnames}
    given |= {"donate_argnums": donate_argnums, "donate_argnames": donate_argnames}
    settings = {name: value for name, value in (given | others).items() if value is not None}
    make = functools.partial(Mnjit, settings=settings, options=Options(device, level, precision), unroll=unroll)
    return make if function is None else make(function)


@dataclass(eq=False)
class Compiled:
    """A function for arguments of certain shapes and types, and for certain static values.

    Attributes:
        jaxpr: the function as JAX has traced it.
        program: what it became, made at the first call.
        kept: arguments that stay on the device, by number, each with the number of the result that is its next value.
        first_seconds, last_seconds: what the first call and the last one took, compilation included.
    """

    jaxpr: ClosedJaxpr
    out_tree: Any
    options: Options
    unroll: int
    names: list[str]
    kept: dict[int, int] = field(default_factory=dict)
    first_seconds: float = 0.0
    last_seconds: float = 0.0
    _last: list[Any] = field(default_factory=list)

    @functools.cached_property
    def flat(self) -> Flat:
        """The program without calls."""
        return flatten(self.jaxpr, self.unroll)

    @functools.cached_property
    def program(self) -> Program:
        """The program, compiled."""
        return self.on(self.options)

    def on(self, options: Options) -> Program:
        """The program, compiled with other options. The graphs are the same on every device."""
        names = dict(zip(self.flat.inputs, self.names, strict=True))
        pairs = {self.flat.inputs[before]: self.flat.outputs[after] for before, after in self.kept.items()}
        updates = {ref: after for ref, after in pairs.items() if isinstance(after, Ref) and after not in names}
        with aloud():
            return Program(self.flat, options, names, updates)

    def run(self, leaves: list[Any]) -> list[Any]:
        """The results for these leaves, in order. What a call only passes on stays the object that it was given."""
        started = time.perf_counter()
        given = dict(zip(self.flat.inputs, leaves, strict=True))
        arrays = [to_numpy(leaf, var.aval) for leaf, var in zip(leaves, self.jaxpr.jaxpr.invars, strict=True)]
        last = dict(enumerate(self._last))
        resident = {self.flat.inputs[k] for k, after in self.kept.items() if leaves[k] is last.get(after)}
        self._last = []  # if this call fails, nobody knows what is on the device
        results = self.program.run(arrays, resident)
        outputs = [
            given[value]
            if isinstance(value, Ref) and value in given and isinstance(given[value], jax.Array)
            else to_jax(array, aval)
            for value, array, aval in zip(self.flat.outputs, results, self.jaxpr.out_avals, strict=True)
        ]
        self._last = outputs if self.kept else []
        self.last_seconds = time.perf_counter() - started
        self.first_seconds = self.first_seconds or self.last_seconds
        return outputs


class Mnjit:
    """A function that is compiled when it is called, once for all arguments of the same shapes and static values."""

    def __init__(self, function: Callable[..., Any], settings: dict[str, Any], options: Options, unroll: int) -> None:
        functools.update_wrapper(self, function)
        self.function, self.options, self.unroll = function, options, unroll
        self._jit = jax.jit(function, **settings)
        self._static = StaticArguments(function, settings)
        self.cache: dict[int, Compiled] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's value."""
        compiled, leaves = self._compiled(args, kwargs)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in [*leaves, *compiled.jaxpr.consts]):
            results = binding.bind(compiled.jaxpr, leaves, self.options, self.unroll)
        else:
            results = compiled.run(leaves)
        return jax.tree_util.tree_unflatten(compiled.out_tree, results)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A method, where the function is one."""
        return self if instance is None else functools.partial(self, instance)

    def compiled(self, *args: Any, **kwargs: Any) -> Compiled:
        """What a call with such arguments runs; arrays may be `jax.ShapeDtypeStruct`."""
        return self._compiled(args, kwargs)[0]

    def graphs(self, *args: Any, **kwargs: Any) -> list[onnx.ModelProto]:
        """The ONNX graphs of a call with such arguments: one, or several where the host runs loops."""
        return self.compiled(*args, **kwargs).on(replace(self.options, device="host")).models

    def _compiled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Compiled, list[Any]]:
        """What runs, and its arguments: values of an outer trace that the function has caught, then the leaves."""
        traced = self._jit.trace(*args, **kwargs)
        caught = list(traced._consts)
        leaves, tree = jax.tree_util.tree_flatten(self._static.without(args, kwargs))
        assert tree == traced.in_tree, f"{tree} is not {traced.in_tree}"
        found = self.cache.get(id(traced.jaxpr))
        if found is None:
            names = [f"caught{number}" for number in range(len(caught))] + leaf_names(tree)
            donated = [False] * len(caught) + [info.donated for info in jax.tree_util.tree_leaves(traced.args_info)]
            kept = next_values(donated, traced.jaxpr.in_avals, traced.jaxpr.out_avals)
            found = Compiled(traced.jaxpr, traced.out_tree, self.options, self.unroll, names, kept)
            if not any(isinstance(const, jax.core.Tracer) for const in traced.jaxpr.consts):
                self.cache[id(traced.jaxpr)] = found  # which keeps the jaxpr, so that no other one gets its id
        return found, [*caught, *leaves]


_derived: dict[tuple[int, Options, int], Compiled] = {}
"""Programs that transformations have made: derivatives, transpositions, batches."""


@binding.use
def _run(jaxpr: ClosedJaxpr, options: Options, unroll: int, leaves: list[Any]) -> list[Any]:
    """The results of a program that a transformation calls."""
    key = (id(jaxpr), options, unroll)
    if key not in _derived:
        names = [f"arg{number}" for number in range(len(jaxpr.in_avals))]
        _derived[key] = Compiled(jaxpr, None, options, unroll, names)
    return _derived[key].run(leaves)
