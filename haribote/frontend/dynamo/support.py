"""Whether the compiler takes one operation of an fx graph, and if not, why: its rule is tried on it alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, fx

from haribote.errors import HariboteError
from haribote.frontend.aten import IN_SINGLE, Lowering, numpy_dtype
from haribote.frontend.dynamo.partition import is_item
from haribote.frontend.lowering import RULES, write
from haribote.graph import Builder, Index
from simulator.messages import tr

DTYPES = (
    torch.float32,
    *IN_SINGLE,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
)
"""What the compiler computes with. On the chip an int64 is a word of 32 bits; what is narrower wraps as it should."""


class Support:
    """Why an operation stays with PyTorch, by operation; remembered, since many are alike."""

    def __init__(self, program: fx.GraphModule) -> None:
        self.program = program
        self.reasons: dict[fx.Node, str] = {}

    def taken(self, node: fx.Node) -> bool:
        """Whether the compiler takes it."""
        if _is_empty(node):  # nothing is computed: torch has it at no cost
            self.reasons[node] = ""
            return False
        if node not in self.reasons:
            self.reasons[node] = self._reason(node)
        return not self.reasons[node]

    def _reason(self, node: fx.Node) -> str:
        if node.op != "call_function" or node.target not in RULES:
            return _no_rule(node)
        for value in (*node.all_input_nodes, node):
            for tensor in _tensors(value.meta.get("val")):
                if unfit := _unfit(tensor):
                    return unfit
        key = _key(node)
        if key in _TAKEN:
            return ""
        reason = self._tried(node)
        if not reason:  # a rule that fails may be a learner's, who is mending it
            _TAKEN.add(key)
        return reason

    def _tried(self, node: fx.Node) -> str:
        """What its rule says to it; the result must have the shape and the dtype that torch has found."""
        g, env = Lowering(Builder("one")), dict[fx.Node, Any]()
        for position, read in enumerate(node.all_input_nodes):
            env[read] = g.declare(f"x{position}", read.meta["val"])
        items = [user for user in node.users if is_item(user)]
        try:
            write(g, self.program, [node, *items], env, {})
            return _compared(g, {result: env[result] for result in items or [node]})
        except HariboteError as error:
            return str(error).splitlines()[0]
        except Exception as error:  # whatever a rule makes of arguments that its author has not thought of
            return tr("its rule fails: {name}: {error}", type(error).__name__, error)


CONTROL = ("cond", "while_loop", "scan", "map_impl")
"""Operations of torch that hold graphs, of which the data says what runs."""


def _no_rule(node: fx.Node) -> str:
    if random(node):
        return tr("its numbers are random: they stay torch's")
    if str(node.target) in CONTROL:
        return tr("what runs depends on values: it stays with PyTorch")
    return tr("no rule")


_TAKEN: set[str] = set()
"""Operations whose rule has been tried and fits."""


def _compared(g: Lowering, results: Mapping[fx.Node, Any]) -> str:
    """Why the results of a rule are not what torch expects; "" where they are."""
    if any(not isinstance(name, str) for name in results.values()):
        return tr("its rule computes no such result")
    for name in dict.fromkeys(results.values()):
        g.builder.output(g.builder.op("Identity", name, name=f"{name}.out"))
    index = Index(g.builder.finish())
    for node, name in results.items():
        value = node.meta["val"]
        found, wanted = (index.dtype[name], index.shape[name]), (numpy_dtype(value.dtype), tuple(value.shape))
        if found != wanted:
            return tr(
                "its rule gives {found}{found2} instead of {wanted}{wanted2}",
                found=found[0],
                found2=list(found[1]),
                wanted=wanted[0],
                wanted2=list(wanted[1]),
            )
    return ""


def _is_empty(node: fx.Node) -> bool:
    """Whether all its results are tensors without elements."""
    found = [tensor for tensor in _tensors(node.meta.get("val")) if isinstance(tensor, Tensor)]
    return bool(found) and not any(tensor.numel() for tensor in found)


def random(node: fx.Node) -> bool:
    """Whether it draws random numbers."""
    tags = getattr(node.target, "tags", ())
    return torch.Tag.nondeterministic_seeded in tags


def _unfit(tensor: Any) -> str:
    if not isinstance(tensor, Tensor):
        return tr("{name} is no tensor", type(tensor).__name__)
    if tensor.dtype not in DTYPES:
        return tr("{dtype} is none of {value}", tensor.dtype, ", ".join(str(dtype) for dtype in DTYPES))
    if tensor.device.type != "cpu":
        return tr("its tensors are on {device}", tensor.device)
    if tensor.layout != torch.strided or tensor.is_complex():
        return tr("{layout} is no dense layout", tensor.layout)
    return ""


def _tensors(value: Any) -> list[Any]:
    if value is None:
        return []
    return [x for x in value if x is not None] if isinstance(value, list | tuple) else [value]


def _key(node: fx.Node) -> str:
    """All that its rule sees of an operation."""
    items = sorted(int(str(user.args[1])) for user in node.users if is_item(user))
    return str((node.target, fx.map_arg((node.args, tuple(node.kwargs.items())), _shape), items))


def _shape(node: fx.Node) -> Any:
    value = node.meta["val"]
    return f"<{value.dtype}{list(value.shape)}>"


def where(node: fx.Node) -> str:
    """The line of the user's program that an operation comes from, where torch knows it."""
    frames = re.findall(r'File "(.+)", line (\d+), in .*\n\s*(.*)', node.meta.get("stack_trace") or "")
    return f"{frames[-1][0]}:{frames[-1][1]}: {frames[-1][2].strip()}" if frames else ""
