"""The backend `haribote` of torch.compile: forward and backward graphs by AOTAutograd, each compiled piece by piece."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, fx
from torch._dynamo import config, disable
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch._functorch.aot_autograd import aot_module_simplified
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.backends import mkldnn
from torch.nn.attention import SDPBackend, sdpa_kernel

from haribote.errors import HariboteError
from haribote.frontend.compiled import Options
from haribote.frontend.decomposed.resizing import by_products
from haribote.frontend.decompositions import COMPILED, decompositions
from haribote.frontend.dynamo.graphs import GraphReport, compile_graph, left_alone
from haribote.frontend.dynamo.options import options_of
from haribote.frontend.dynamo.piece import StaysWithPyTorch
from simulator.messages import tr

Compiled = Callable[..., Any]

config.allow_rnn = True
"""TorchDynamo leaves RNN, GRU and LSTM out where it is not asked for them, and all of the model around them."""

reports: ContextVar[list[GraphReport] | None] = ContextVar("reports", default=None)
"""Where reports of graphs go while `explain` looks; else what stays with PyTorch is a warning."""


def backend(
    program: fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Compiled:
    """What torch.compile(model, backend="haribote", options={…}) calls with each graph that it has found.

    options: "device", "level", "precision", as `haribote.frontend.compiled.Options`. A mistake in them is raised
    as a HariboteError when the compiled function is called, as torch would wrap it in an error of its own here.
    """
    try:
        if mode is not None:
            raise HariboteError(tr("the backend haribote has no modes, received mode={mode!r}", mode), "options={…}")
        chosen = options_of(options)
    except HariboteError as error:
        return _failing(error)
    if any(_is_dynamic(value) for value in example_inputs):
        return PerShape(program, chosen)
    return _compile(program, example_inputs, chosen)


def _failing(error: HariboteError) -> Compiled:
    def fail(*_: Any) -> Any:
        raise error

    return fail


def _is_dynamic(value: Any) -> bool:
    if isinstance(value, Tensor):
        return any(isinstance(size, torch.SymInt) for size in (*value.shape, *value.stride()))
    return isinstance(value, torch.SymInt | torch.SymFloat)


def _compile(program: fx.GraphModule, inputs: Sequence[Any], options: Options) -> Compiled:
    """By AOTAutograd. Attention is traced as its products and its softmax, which have gradients, and an LSTM as its
    steps, not as oneDNN's operator.
    """

    def compiler(name: str) -> Compiled:
        def compile_one(graph: fx.GraphModule, _: Sequence[Any]) -> Compiled:
            try:
                joined, report = compile_graph(graph, name, options)
            except Exception as error:  # PyTorch can run it, whatever ours raises
                joined, report = graph, left_alone(graph, name, error)
            _tell(report)
            return _undisturbed(make_boxed_func(joined.forward))

        return compile_one

    try:
        with sdpa_kernel(SDPBackend.MATH), mkldnn.flags(enabled=False, allow_tf32=None, fp32_precision=None):
            found = aot_module_simplified(
                by_products(program),
                inputs,
                fw_compiler=compiler("forward"),
                bw_compiler=compiler("backward"),
                inference_compiler=compiler("inference"),
                partition_fn=min_cut_rematerialization_partition,
                decompositions=decompositions() | COMPILED,
            )
    except Exception as error:  # torch does not trace it with our decompositions: it runs as it was
        _tell(left_alone(program, "graph", error))
        found = program.forward
    return _undisturbed(found)


def _undisturbed(function: Compiled) -> Compiled:
    """Torch does not try to compile it once more."""
    found: Compiled = disable(function, reason="compiled already")  # type: ignore[no-untyped-call]
    return found


def _tell(report: GraphReport) -> None:
    asked = reports.get()
    if asked is not None:
        asked.append(report)
    elif report.left:
        first = report.left[0]
        warnings.warn(
            tr(
                "{name}: {taken} of {count} operations are compiled; {operation} stays with "
                "PyTorch ({reason}){value}; "
                "haribote.frontend.dynamo.explain(model, x) says all",
                name=report.name,
                taken=report.taken,
                count=report.count,
                operation=first.operation,
                reason=first.reason,
                value=", …" if report.left[1:] else "",
            ),
            StaysWithPyTorch,
            stacklevel=2,
        )


class PerShape:
    """A graph whose sizes torch has left open, compiled for every set of sizes that it is called with."""

    def __init__(self, program: fx.GraphModule, options: Options) -> None:
        self.program, self.options = program, options
        self._compiled: dict[tuple[Any, ...], Compiled] = {}

    def __call__(self, *args: Any) -> Any:
        """The graph's results."""
        key = tuple(_size(value) for value in args)
        if key not in self._compiled:
            self._compiled[key] = self._specialised(args)
        return self._compiled[key](*[value for value in args if isinstance(value, Tensor)])

    def _specialised(self, args: Sequence[Any]) -> Compiled:
        """Compiled with the numbers among the arguments as constants."""
        graph = fx.Graph()
        env = dict[fx.Node, Any]()
        given = dict(zip(self.program.graph.find_nodes(op="placeholder"), args, strict=True))
        for node in self.program.graph.nodes:
            if node in given and not isinstance(given[node], Tensor):
                env[node] = given[node]
            else:
                env[node] = graph.node_copy(node, lambda read: env[read])
        tensors = [value for value in args if isinstance(value, Tensor)]
        return _compile(fx.GraphModule(self.program, graph), tensors, self.options)


def _size(value: Any) -> Any:
    if isinstance(value, Tensor):
        return tuple(value.shape), tuple(value.stride()), value.dtype, value.requires_grad
    return value
