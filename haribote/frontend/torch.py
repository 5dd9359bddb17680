"""From PyTorch to ONNX: trace a whole training step, then lower it operation by operation.

The trace runs the user's model, a loss and an optimiser on copies, with the parameters as inputs, so learning rate,
batch and shapes are those of the program itself. The lowering rules are in `haribote.frontend.aten`.
"""

from __future__ import annotations

import copy
import json
import operator
import re
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, fx, nn
from torch.func import functional_call
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import TorchDispatchMode

from haribote.errors import UnsupportedModel, UnsupportedOp
from haribote.foreign import said
from haribote.frontend.aten import PROFILER, Lowering, numpy_dtype
from haribote.frontend.decompositions import decompositions
from haribote.frontend.lowering import RULES, write
from haribote.frontend.optimisers import Optimiser
from haribote.graph import Builder, set_metadata
from simulator.messages import tr

Values = dict[str, Tensor]
Loss = Callable[[Tensor, Tensor], Tensor]
Traced = tuple[Values, Values]
"""The outputs of a traced function by name, and further values that deserve a name."""


def trace_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    x: Tensor,
    labels: Tensor,
    loss_function: Loss = nn.functional.cross_entropy,
) -> onnx.ModelProto:
    """The training step (forward, loss, backward, update) as a graph; model and optimiser stay bit-identical.

    Args:
        model: float32, of operations that have rules (docs/frontends/torch.md), nothing random.
        optimizer: SGD, Adam or AdamW of torch.optim, over parameters of the model.
        x, labels: an example batch, [N, ...] float32 and [N] int64; only its shapes matter.
        loss_function: of logits and labels.

    Returns:
        A graph with inputs `x`, `labels` and the parameters by their torch names; outputs `loss`, then `<name>.next`
        for each updated parameter. A module's output is named `<module>.out` (the whole model's: `logits`), the
        gradient of a value `<value>.grad`. An optimiser's states are inputs and outputs too, `<name>.momentum` and
        `<name>.momentum.next` (`haribote.frontend.optimisers` names them), first all 0, whatever the optimiser holds;
        and so are buffers that the step changes. `haribote.updates` lists all of them.

    Raises:
        UnsupportedModel, UnsupportedOp: what cannot be traced, with the line that did it.
    """
    _check(model, x, labels)
    graph, changed = _trace_step(model, optimizer, x, labels, loss_function, [])
    if changed:  # states, then: inputs and outputs as well
        graph, _ = _trace_step(model, optimizer, x, labels, loss_function, changed)
    return graph


def _trace_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, labels: Tensor, loss_function: Loss, kept: list[str]
) -> tuple[onnx.ModelProto, list[str]]:
    """The step with these buffers as states, and the buffers that it changes without their being states."""
    shadow, optimiser, parameters = copy.deepcopy(model), Optimiser(model, optimizer), dict(model.named_parameters())
    states = {name: torch.zeros(shape) for name, shape in optimiser.shapes.items()}
    buffers = {name: buffer for name, buffer in model.named_buffers() if name in kept}

    def step(tensors: Values, x: Tensor, labels: Tensor) -> Traced:
        leaves = {name: tensors[name].requires_grad_(parameters[name].requires_grad) for name in parameters}
        logits, values = _forward(shadow, leaves | {name: tensors[name] for name in buffers}, x)
        loss = loss_function(logits, labels)
        wanted = {name: value for name, value in (leaves | values).items() if value.requires_grad}
        grads = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
        reached = {name: grad for name, grad in zip(wanted, grads, strict=True) if grad is not None}
        of_parameters = {name: grad for name, grad in reached.items() if name in parameters}
        changed = optimiser.step(leaves, of_parameters, {name: tensors[name] for name in states})
        after = [name for name in tensors if name in changed or name in buffers]
        outputs = {"loss": loss} | {f"{name}.next": tensors[name] for name in after}
        return outputs, values | {f"{name}.grad": grad for name, grad in reached.items()}

    graph = _trace(step, parameters | buffers | states, {"x": x, "labels": labels}, "train_step")
    outputs = {info.name for info in graph.graph.output}
    updates = {name: f"{name}.next" for name in [*parameters, *buffers, *states] if f"{name}.next" in outputs}
    set_metadata(graph, kind="train", updates=json.dumps(updates))
    return graph, _changed(model, shadow)


def _changed(model: nn.Module, shadow: nn.Module) -> list[str]:
    """The buffers that a run of the shadow has changed."""
    own = dict(model.named_buffers())
    return [name for name, buffer in shadow.named_buffers() if not torch.equal(buffer, own[name])]


def _refuse_changed(model: nn.Module, shadow: nn.Module) -> None:
    if changed := _changed(model, shadow):
        raise UnsupportedModel(
            tr("the forward pass changes {repr}", ", ".join(map(repr, changed))), tr("model.eval(), or trace_step")
        )


def trace_loss(
    model: nn.Module,
    x: Tensor,
    labels: Tensor,
    loss_function: Loss = nn.functional.cross_entropy,
) -> onnx.ModelProto:
    """The forward pass and the loss, for `autodiff`: inputs as in `trace_step`, output `loss`."""
    _check(model, x, labels)
    batch = {"x": x, "labels": labels}
    return _trace_forward(model, batch, "loss", lambda *given: {"loss": loss_function(*given)})


def trace_inference(model: nn.Module, x: Tensor) -> onnx.ModelProto:
    """The forward pass: inputs `x` and the parameters, output `logits`; names and errors as in `trace_step`."""
    _check(model, x, None)
    graph = _trace_forward(model, {"x": x}, "inference", lambda logits: {"logits": logits})
    set_metadata(graph, kind="infer")
    return graph


def _trace_forward(model: nn.Module, batch: Values, name: str, outputs: Callable[..., Values]) -> onnx.ModelProto:
    """The forward pass. outputs: what the graph gives, made of the logits and of what else the batch has beside x."""
    shadow = copy.deepcopy(model)

    def forward(leaves: Values, x: Tensor, *others: Tensor) -> Traced:
        logits, values = _forward(shadow, leaves, x)
        return outputs(logits, *others), values

    graph = _trace(forward, dict(model.named_parameters()), batch, name)
    _refuse_changed(model, shadow)
    return graph


def _forward(model: nn.Module, leaves: Values, x: Tensor) -> tuple[Tensor, Values]:
    """The logits, and every module's output by name."""
    values: Values = {}

    def observe(name: str) -> Callable[[nn.Module, Any, Any], None]:
        def hook(module: nn.Module, inputs: Any, output: Any) -> None:
            if isinstance(output, Tensor):
                values[f"{name}.out"] = output

        return hook

    hooks = [module.register_forward_hook(observe(name)) for name, module in model.named_modules() if name]
    logits: Tensor = functional_call(model, leaves, (x,))
    for handle in hooks:
        handle.remove()
    return logits, {"logits": logits} | values


def _trace(
    function: Callable[..., Traced], parameters: Mapping[str, Tensor], batch: Values, name: str
) -> onnx.ModelProto:
    """Trace function(parameters, *batch) on copies of the parameters, and lower it."""
    outputs: list[str] = []
    values: list[str] = []

    def flat(*tensors: Tensor) -> list[Tensor]:  # make_fx keeps only the order, so the names travel beside it
        leaves = {key: tensor.detach() for key, tensor in zip(parameters, tensors[len(batch) :], strict=True)}
        with torch.autograd.set_detect_anomaly(True, check_nan=False), _RefuseUnknown():  # type: ignore[no-untyped-call]
            results, others = function(leaves, *tensors[: len(batch)])
        outputs.extend(results)
        values.extend(others)
        return [*results.values(), *others.values()]

    copies = [parameter.detach().clone() for parameter in parameters.values()]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Error detected in")  # anomaly mode's words; ours follow
            program = make_fx(flat)(*batch.values(), *copies)
    except UnsupportedOp:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's own code raises
        where = _last_outside(traceback.format_stack() + traceback.format_tb(error.__traceback__))
        raise UnsupportedModel(
            tr("the step fails at {where}: {name}: {error}", where, type(error).__name__, said(error)),
            tr("call the model on a batch yourself, then the loss on what it gives: one row of numbers for each image"),
        ) from error
    return lower_program(program, [*batch, *parameters], outputs, values, name)


class _RefuseUnknown(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Stops the trace at the first operation without a rule, while the stack still tells whose line it is."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func not in RULES and func.namespace != PROFILER:
            decomposed = self._decomposed(func, args, kwargs or {})
            if decomposed is not NotImplemented:
                return decomposed
            shapes = ", ".join(_shape(arg) for arg in args if isinstance(arg, Tensor))
            raise UnsupportedOp(
                tr("no lowering rule for {func}({shapes}), {source}", func, shapes, _source()),
                tr(
                    'torch.compile(model, backend="haribote"), where it stays with PyTorch, or add a rule to '
                    "haribote/frontend/aten.py"
                ),
            )
        return func(*args, **(kwargs or {}))

    def _decomposed(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The operation in others, or NotImplemented."""
        if torch.Tag.nondeterministic_seeded in func.tags:
            return NotImplemented  # its numbers would be those of one trace
        with self:
            how = decompositions().get(func)
            return how(*args, **kwargs) if how else func.decompose(*args, **kwargs)


def _shape(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _source() -> str:
    """Where the operation now dispatched comes from: the last line outside torch; in backward, of its forward."""
    node: Any = torch._C._current_autograd_node()
    if node is None:
        return tr("at {value}", _last_outside(traceback.format_stack()))
    # Anomaly mode keeps each forward operation's stack with its backward node.
    return tr("in the backward of the operation at {value}", _last_outside(node.metadata.get("traceback_", [])))


def _last_outside(stack: list[str]) -> str:
    """`file:line: code` of the innermost frame that is neither torch's nor ours."""
    inside = (str(Path(torch.__file__).parent), str(Path(__file__).parent), "<")
    for frame in reversed(stack):
        match = re.match(r'\s*File "(.+)", line (\d+), in .*\n\s*(.*)', frame)
        if match and not match[1].startswith(inside):
            return f"{match[1]}:{match[2]}: {match[3].strip()}"
    return tr("a line inside torch")


def lower_program(
    program: fx.GraphModule, inputs: list[str], outputs: list[str], values: list[str], name: str
) -> onnx.ModelProto:
    """Write the traced program in ONNX, rule by rule. Its results are `outputs` and then `values`."""
    results = program.graph.find_nodes(op="output")[0].args[0]
    names = _names(program.graph, dict(zip(reversed(results), reversed([*outputs, *values]), strict=True)))
    g = Lowering(Builder(name))
    waiting = iter(inputs)
    env: dict[fx.Node, Any] = {}
    for node in program.graph.find_nodes(op="placeholder"):
        value = node.meta["val"]
        env[node] = g.builder.input(next(waiting), tuple(value.shape), numpy_dtype(value.dtype))
    write(g, program, program.graph.nodes, env, names)
    for output, node in zip(outputs, results, strict=False):
        if env[node] != output:
            g.builder.op("Identity", env[node], name=output)
        g.builder.output(output)
    return g.builder.finish()


def _names(graph: fx.Graph, names: dict[fx.Node, str]) -> dict[fx.Node, str]:
    """Hand the name of a value on to the operation that makes it, through operations that change nothing."""
    for node in reversed(graph.nodes):
        transparent = node.target is operator.getitem or str(node.target).startswith("aten.detach")
        if node in names and transparent and (node.target is not operator.getitem or node.args[1] == 0):
            names.setdefault(node.args[0], names[node])
    return names


def refuse_lazy(model: nn.Module) -> None:
    """Raises UnsupportedModel where a parameter has no shape before the model is called for the first time."""
    for name, value in model.named_parameters():
        if is_lazy(value):
            what = tr("the parameter {name!r} has no shape yet: its module is lazy", name)
            raise UnsupportedModel(what, tr("call the model once with an x, or say the sizes"))


def _check(model: nn.Module, x: Tensor, labels: Tensor | None) -> None:
    if not isinstance(model, nn.Module):
        raise UnsupportedModel(tr("the model must be a torch module, received {name}", type(model).__name__))
    refuse_lazy(model)
    for name, tensor in {"x": x, **dict(model.named_parameters())}.items():
        if tensor.dtype != torch.float32:
            raise UnsupportedModel(
                tr("{name!r} must be float32, received {tensor}", name, _shape(tensor)), "model.float(), x.float()"
            )
    if labels is not None and (labels.dtype != torch.int64 or labels.shape != x.shape[:1]):
        raise UnsupportedModel(
            tr("labels must be int64[{x}], one class per row of x, received {labels}", len(x), _shape(labels))
        )
