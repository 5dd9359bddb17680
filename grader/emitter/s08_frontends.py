"""Stage 08: what the emitter does for its tasks. None of them needs JAX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
import onnx

from grader.emitter.forms import Form, Function
from grader.emitter.graphs import graph_answer, in_place_of
from grader.emitter.loading import REFUSED, AnswerError, required
from grader.emitter.values import Value, Values, ints
from haribote.errors import HariboteError
from simulator.messages import tr


def cumprod(function: Function, given: Values) -> dict[str, Value]:
    """Given: shape, dim, dtype. Answer: the graph of torch.cumprod(x, dim) from `x` to `logits`, traced; it multiplies
    in this type."""
    import torch

    from haribote.frontend.aten import RULES, Lowering
    from haribote.frontend.torch import trace_inference

    dim, dtype = int(str(given["dim"])), getattr(torch, str(given["dtype"]))

    class Running(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cumprod(x.to(dtype), dim).to(x.dtype)

    def named(g: Lowering, x: str, *args: Any, **kwargs: Any) -> str:
        found = function(g, x, *args, **kwargs)
        if found not in (g.result, x):
            what = tr("must return the name of the result, {result!r}, received {found!r}", g.result, found)
            raise AnswerError(what, tr('part="…" for every node but the last one, which then takes the result\'s name'))
        return str(found)

    target: Any = torch.ops.aten.cumprod.default
    with in_place_of(RULES, target, wraps(function)(named)):
        return graph_answer(lambda: trace_inference(Running(), torch.zeros(ints(given["shape"]))))


def adam(function: Function, given: Values) -> dict[str, Value]:
    """Given: parameter, grads [steps, …], rates and roots [steps], beta1, beta2, eps, amsgrad. Answer: the parameter,
    the states and the gradients after all steps."""
    import torch

    def tensor(name: str) -> torch.Tensor:
        value = given[name]
        assert isinstance(value, np.ndarray)
        return torch.from_numpy(value.copy())

    parameter, grads = tensor("parameter"), tensor("grads")
    names = ["exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if given["amsgrad"] else [])]
    state = {name: torch.zeros_like(parameter) for name in names}
    group = {"betas": (given["beta1"], given["beta2"]), "eps": given["eps"], "amsgrad": given["amsgrad"]}
    for number, grad in enumerate(grads):
        changing = {"mncore_step_size": tensor("rates")[number], "mncore_root_correction": tensor("roots")[number]}

        def scalar(name: str, known: Mapping[str, torch.Tensor] = changing) -> torch.Tensor:
            if name not in known:
                raise HariboteError(tr("there is no number {name!r}", name), " or ".join(known))
            return known[name]

        with torch.no_grad():
            function(parameter, grad, state, group, scalar)
    for name in names:
        value = state.get(name)
        if not isinstance(value, torch.Tensor):
            raise AnswerError(tr("state[{name!r}] must stay a tensor, it is {name2}", name, type(value).__name__))
    answer: dict[str, Value] = {"parameter": parameter.numpy(), "grads": grads.numpy()}
    return answer | {name: state[name].numpy() for name in names}


def integer_pow(function: Function, given: Values) -> dict[str, Value]:
    """Given: shape, dtype, exponent. Answer: the graph of x ** exponent, from `x` to `y`."""
    from haribote.jax.flat.values import Operation, Ref
    from haribote.jax.rules.lowering import Held, Lowering

    shape, dtype = tuple(ints(given["shape"])), np.dtype(str(given["dtype"]))
    exponent = int(str(given["exponent"]))

    def make() -> onnx.ModelProto:
        g, x = Lowering("power"), Ref(shape, dtype)
        g.input(x, "x")
        g.operation = Operation("integer_pow", [x], [Ref(shape, dtype)], {"y": exponent})
        found = required(function(g, x, exponent), Held, tr("must return what holds the result"), "g.each(…)")
        g.builder.output(g.builder.op("Identity", g.full(found, shape), name="y"))
        return g.builder.finish()

    return graph_answer(make)


def convolution(function: Function, given: Values) -> dict[str, Value]:
    """Given: x, w, step. Answer: the convolution by the reference in NumPy, and whether `fuse` finds a product."""
    from haribote import lazy
    from haribote.lazy.primitives.arrays import Product, walk

    values = {name: np.asarray(given[name]) for name in ("x", "w")}
    x, w = (lazy.array(name, value.shape) for name, value in values.items())
    try:
        found = function(x, w, int(str(given["step"])))
    except AnswerError as error:  # what a guarded function makes of every error
        if isinstance(error.__cause__, lazy.LazyError):
            return {REFUSED: str(error)}
        raise
    result = required(found, lazy.Array, tr("must return a lazy array"), "lazy_reduce(…)")
    product = any(isinstance(part, Product) for part in walk(*lazy.fuse(result)))
    return {"y": lazy.evaluate(result, "numpy", **values), "product": product}


def stretches(function: Function, given: Values) -> dict[str, Value]:
    """Given: reads and sides by node, the side `first`. Answer: the stretch of each node."""
    found = function(given["reads"], given["sides"], given["first"])
    if not isinstance(found, Mapping):
        raise AnswerError(tr("must return a dictionary from node to number, received {name}", type(found).__name__))
    for node, number in found.items():
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise AnswerError(
                tr("the stretch of node {node!r} must be a whole number, received {number!r}", node, number)
            )
    return {"found": {str(node): int(number) for node, number in found.items()}}


def place(function: Function, given: Values) -> dict[str, Value]:
    """Given: buffers, an array of rows [size, first, last]. Answer: their offsets."""
    from haribote.cpp.arena import Buffer

    rows = given["buffers"]
    assert isinstance(rows, np.ndarray)
    found = function([Buffer(*(int(number) for number in row)) for row in rows])
    whole = isinstance(found, Sequence) and all(isinstance(at, int | np.integer) for at in found)
    if not whole or len(found) != len(rows):
        raise AnswerError(
            tr("must return a list of {rows} offsets in bytes, received {found}", len(rows), str(found)[:80])
        )
    return {"offsets": np.array([int(at) for at in found], np.int64)}


FORMS: dict[str, Form] = {
    "8.1": cumprod, "8.2": adam, "8.3": integer_pow, "8.4": convolution, "8.5": stretches, "8.6": place,
}  # fmt: skip
