"""Loops: unrolled where they are short, else left to the host, which runs their body once a round.

The number of rounds must be known when tracing: `scan` says it; the condition of `while` must follow from values that
are known, such as a counter that starts at a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

from haribote.errors import UnsupportedOp
from haribote.jax.flat.values import Array, Flat, Loop, Ref, Value, live
from haribote.jax.flat.walk import Walk
from simulator.messages import tr

MOST_ROUNDS = 1_000_000
"""A `while` of more rounds than this counts as one without a known end."""


def scan(walk: Walk, equation: Any, inputs: list[Value]) -> list[Value]:
    """The results of `scan`, which `fori_loop` with known bounds and `map` are too."""
    params = equation.params
    constants, carried, count = params["num_consts"], params["num_carry"], params["length"]
    body, reverse = params["jaxpr"], params["reverse"]
    if count > walk.limit:
        return _by_host(walk, body, inputs, constants, carried, count, reverse, equation)
    carry = inputs[constants : constants + carried]
    stacks: list[list[Value]] = [[] for _ in equation.outvars[carried:]]
    for round_ in range(count)[:: -1 if reverse else 1]:
        slices = [_slice(walk, stack, round_) for stack in inputs[constants + carried :]]
        results = walk.call(body, [*inputs[:constants], *carry, *slices])
        carry = results[:carried]
        for stack, value in zip(stacks, results[carried:], strict=True):
            stack.append(value)
    joined = [
        _stacked(walk, stack[::-1] if reverse else stack, var.aval)
        for stack, var in zip(stacks, equation.outvars[carried:], strict=True)
    ]
    return [*carry, *joined]


def while_loop(walk: Walk, equation: Any, inputs: list[Value]) -> list[Value]:
    """The results of `while`.

    Raises:
        UnsupportedOp: its number of rounds depends on values that are not known when tracing.
    """
    params = equation.params
    of_test, of_body = params["cond_nconsts"], params["body_nconsts"]
    test_constants, constants = inputs[:of_test], inputs[of_test : of_test + of_body]
    carry = inputs[of_test + of_body :]
    count = _rounds(params["cond_jaxpr"], params["body_jaxpr"], test_constants, constants, carry)
    if count is None:
        raise UnsupportedOp(
            tr("while: the number of rounds is not known when tracing, at {equation}", walk.where(equation)),
            tr(
                "a `fori_loop` or a `scan` with a fixed number of rounds, or the loop outside of mnjit, around its body"
            ),
        )
    if count > walk.limit:
        return _by_host(walk, params["body_jaxpr"], [*constants, *carry], of_body, len(carry), count, False, equation)
    for _ in range(count):
        carry = walk.call(params["body_jaxpr"], [*constants, *carry])
    return list(carry)


def _by_host(
    walk: Walk,
    body: ClosedJaxpr,
    inputs: list[Value],
    constants: int,
    carried: int,
    count: int,
    reverse: bool,
    equation: Any,
) -> list[Value]:
    """A loop that the host runs; constants that are known stay known in its body."""
    arguments: list[Value] = [
        value if position < constants and isinstance(value, np.ndarray) else Ref(tuple(var.aval.shape), var.aval.dtype)
        for position, (value, var) in enumerate(zip(inputs, body.jaxpr.invars, strict=True))
    ]
    inner = walk.apart()
    results = inner.call(body, arguments)
    free = [value for value in arguments if isinstance(value, Ref)]
    given = [value for value, argument in zip(inputs, arguments, strict=True) if isinstance(argument, Ref)]
    flat = Flat(free, live(inner.items, results), results)
    outputs = [Ref(tuple(var.aval.shape), np.dtype(var.aval.dtype)) for var in equation.outvars]
    left = constants - (len(inputs) - len(given))
    walk.items.append(Loop(flat, count, left, carried, given, outputs, reverse))
    return list(outputs)


def _slice(walk: Walk, stack: Value, round_: int) -> Value:
    if isinstance(stack, np.ndarray):
        return np.asarray(stack[round_])
    return walk.trace(lambda x: jax.lax.index_in_dim(x, round_, keepdims=False), stack)[0]


def _stacked(walk: Walk, values: Sequence[Value], aval: Any) -> Value:
    known = [value for value in values if isinstance(value, np.ndarray)]
    if len(known) == len(values):
        return np.stack(known) if known else np.zeros(aval.shape, aval.dtype)
    rows = [walk.trace(lambda x: jax.lax.expand_dims(x, (0,)), value)[0] for value in values]
    return walk.trace(lambda *parts: jax.lax.concatenate(parts, 0), *rows)[0]


def _rounds(
    test: ClosedJaxpr, body: ClosedJaxpr, test_constants: list[Value], constants: list[Value], carry: list[Value]
) -> int | None:
    """How often the body runs; None where that is not known.

    The carried values that the condition reads, and those that these follow from, must be known at the start.
    """
    needs = _needs(test)
    needed = {i - len(test_constants) for i in needs[0] if i >= len(test_constants)}
    of_body = _needs(body)
    while more := {i - len(constants) for place in needed for i in of_body[place] if i >= len(constants)} - needed:
        needed |= more
    read = [test_constants[i] for i in needs[0] if i < len(test_constants)]
    read += [constants[i] for place in needed for i in of_body[place] if i < len(constants)]
    read += [carry[place] for place in needed]
    if not all(isinstance(value, np.ndarray) for value in read):
        return None
    return _counted(test, body, _anything(test_constants), _anything(constants), _anything(carry), needed)


def _counted(
    test: ClosedJaxpr,
    body: ClosedJaxpr,
    test_constants: list[Array],
    constants: list[Array],
    carry: list[Array],
    needed: set[int],
) -> int | None:
    """Run the part of the loop that the condition needs, on the CPU."""
    places = sorted(needed)

    def goes_on(state: tuple[Any, ...]) -> Any:
        return jaxpr_as_fun(test)(*test_constants, *_placed(carry, places, state[1]))[0] & (state[0] < MOST_ROUNDS)

    def round_(state: tuple[Any, ...]) -> tuple[Any, ...]:
        results = jaxpr_as_fun(body)(*constants, *_placed(carry, places, state[1]))
        return state[0] + 1, [results[place] for place in places]

    with jax.ensure_compile_time_eval():
        count, _ = jax.lax.while_loop(goes_on, round_, (np.int32(0), [jax.numpy.asarray(carry[k]) for k in places]))
    return int(count) if int(count) < MOST_ROUNDS else None


def _placed(carry: list[Array], places: list[int], values: Sequence[Any]) -> list[Any]:
    changed: dict[int, Any] = dict(zip(places, values, strict=True))
    return [changed.get(position, value) for position, value in enumerate(carry)]


def _anything(values: list[Value]) -> list[Array]:
    """Arrays; zeros for what is not known, which nothing here reads."""
    return [value if isinstance(value, np.ndarray) else np.zeros(value.shape, value.dtype) for value in values]


def _needs(closed: ClosedJaxpr) -> list[set[int]]:
    """For every output the numbers of the inputs that it follows from."""
    jaxpr = closed.jaxpr
    found: dict[Any, set[int]] = {var: {position} for position, var in enumerate(jaxpr.invars)}
    for equation in jaxpr.eqns:
        read = set().union(*(found.get(atom, set()) for atom in equation.invars if not isinstance(atom, Literal)))
        found.update(dict.fromkeys(equation.outvars, read))
    return [set() if isinstance(atom, Literal) else found.get(atom, set()) for atom in jaxpr.outvars]
