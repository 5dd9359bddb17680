"""A function run once on copies, every operation noted, its writes in place as such."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch._dispatch.python import enable_python_dispatcher
from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx, track_tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes

from haribote.errors import UnsupportedModel
from haribote.mlsdk.guard import Gradients, Guard, line_of
from haribote.mlsdk.residents import OptimizerRecord, Resident, State, everywhere
from simulator.messages import tr

Tensors = dict[str, Tensor]
Function = Callable[[Tensors], Mapping[str, Tensor]]


@dataclass(frozen=True)
class Change:
    """A number that is another one at every call: of which optimiser, group, and what it is (`families`)."""

    optimizer: str
    group: int
    key: str


@dataclass
class Trace:
    """What is noted while a function runs.

    names, examples: of the placeholders, in order; tensors: by these names. outputs: the function's. added: residents
    with gradients that the function has not taken away before.
    """

    tensors: Tensors = field(default_factory=dict)
    outputs: Tensors = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    changes: dict[str, Change] = field(default_factory=dict)
    examples: list[Tensor] = field(default_factory=list)
    stepped: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    def bind(self, name: str, tensor: Tensor) -> Tensor:
        """Make a tensor an input of the graph."""
        mode = get_proxy_mode()
        assert mode is not None
        proxy = mode.tracer.create_proxy("placeholder", f"in_{len(self.names)}", (), {})
        track_tensor(tensor, proxy, constant=None, tracer=mode.tracer)
        self.names.append(name)
        self.examples.append(tensor)
        return tensor

    def number(self, name: str, change: Change, value: float) -> Tensor:
        """The input that holds a number which is another one at every call."""
        if name not in self.tensors:
            self.changes[name] = change
            with _disable_current_modes():
                fresh = torch.tensor(value, dtype=torch.float32)
            self.tensors[name] = self.bind(name, fresh)
        return self.tensors[name]


_traces: list[Trace] = []


def current() -> Trace:
    """The trace that is under way."""
    return _traces[-1]


class UnknownOptimizer(Exception):
    """The function steps an optimiser that the context does not know yet."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer


def record(
    function: Function, sample: Tensors, residents: Mapping[str, Resident], records: Sequence[OptimizerRecord]
) -> tuple[fx.GraphModule, Trace]:
    """The operations of a function; what it returns is first its outputs, then every resident as it is afterwards.

    The user's tensors, optimisers and random state are afterwards what they were. Raises as `tracing.trace`.
    """
    with _on_copies(residents), _keeping_states(records), torch.random.fork_rng(devices=[]):
        states = {name: one for name, one in residents.items() if isinstance(one, State) and one.ours}
        copies = {name: state.value().clone() for name, state in states.items()}
        program, noted = _noted(function, sample, residents, records, copies)
        noted.examples = [example.detach().clone() for example in noted.examples]
    return program, noted


def _noted(
    function: Function,
    sample: Tensors,
    residents: Mapping[str, Resident],
    records: Sequence[OptimizerRecord],
    copies: Tensors,
) -> tuple[fx.GraphModule, Trace]:
    """Run the function and note what it does. The results: its outputs, then every resident as it is afterwards."""
    noted, guard, gradients = Trace(), Guard(), Gradients()
    given = {name: tensor.detach().clone().requires_grad_(tensor.requires_grad) for name, tensor in sample.items()}

    def body() -> list[Tensor]:
        for name, tensor in given.items():
            noted.tensors[name] = noted.bind(name, tensor)
        for name, resident in residents.items():
            found = copies[name] if name in copies else resident.tensor()
            assert found is not None
            noted.tensors[name] = noted.bind(name, found)
        with _stepping(records, noted), _plain(), gradients, guard, torch.enable_grad():
            noted.outputs.update(_checked(function(dict(given))))
            noted.added = [name for name in residents if gradients.added(noted.tensors[name])]
            return [
                tensor.detach() for tensor in [*noted.outputs.values(), *(noted.tensors[name] for name in residents)]
            ]

    _traces.append(noted)
    try:
        return make_fx(body)(), noted
    except RuntimeError as error:
        if "value out of a tracing tensor" not in str(error):
            raise
        what = tr("the function decides by the value of a tensor, which only a run on the device knows")
        raise UnsupportedModel(
            f"{what}: {line_of(error)}", tr("torch.where, or the decision outside the function")
        ) from error
    finally:
        _traces.pop()
        guard.restore()


def _checked(results: Any) -> Tensors:
    """What a function returned. Raises UnsupportedModel."""
    if not isinstance(results, Mapping):
        kind = type(results).__name__
        raise UnsupportedModel(
            tr("a compiled function returns a dict of tensors, received {kind}", kind),
            tr('return {"out": y}, or compile_automap'),
        )
    for name, tensor in results.items():
        if not isinstance(tensor, Tensor):
            what = tr("output {name!r} must be a tensor, received {name2}", name, type(tensor).__name__)
            raise UnsupportedModel(tr("a compiled function: {what}", what), tr("a tensor; .item() belongs outside"))
    return dict(results)


@contextmanager
def _plain() -> Iterator[None]:
    """Torch in operations that can be lowered: not in those of a library, nor in those that look at values."""
    library: bool = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    compiling = torch.compiler._is_compiling_flag
    torch.compiler._is_compiling_flag = True  # what models ask before they look at values
    try:
        with enable_python_dispatcher(), sdpa_kernel(SDPBackend.MATH), _OneHot():
            yield
    finally:
        torch._C._set_mkldnn_enabled(library)
        torch.compiler._is_compiling_flag = compiling


class _OneHot(TorchFunctionMode):
    """`one_hot` with a known number of classes, without its look at the values."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is nn.functional.one_hot:
            return _one_hot(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    if num_classes < 0:
        raise UnsupportedModel(tr("one_hot counts the classes by looking at the values"), "num_classes=")
    return (tensor.unsqueeze(-1) == torch.arange(num_classes, dtype=tensor.dtype)).to(torch.int64)


@contextmanager
def _on_copies(residents: Mapping[str, Resident]) -> Iterator[None]:
    """Registered tensors hold copies of their values meanwhile, and no gradients."""
    tensors = [found for resident in residents.values() if (found := resident.tensor()) is not None]
    kept = [(tensor, tensor.data, tensor.grad if tensor.is_leaf else None, tensor.requires_grad) for tensor in tensors]
    ours = {id(tensor) for tensor in tensors}
    fresh = [resident for resident in everywhere if id(resident.tensor()) in ours and not resident.changed()]
    for tensor, data, _, _ in kept:
        tensor.data = data.clone()
        if tensor.is_leaf:
            tensor.grad = None
    try:
        yield
    finally:
        for tensor, data, grad, requires in kept:
            tensor.data = data
            if tensor.is_leaf:
                tensor.grad = grad
                tensor.requires_grad_(requires)
        for resident in fresh:  # writes to the copies have counted as the user's
            resident.agree()


@contextmanager
def _keeping_states(records: Sequence[OptimizerRecord]) -> Iterator[None]:
    """Optimisers of no family have the same state afterwards. Raises UnsupportedModel where the function changes what
    is no registered tensor of it: the next call would begin with it as it was.
    """
    others = [record.optimizer for record in records if record.family is None]
    before = [{parameter: dict(state) for parameter, state in optimizer.state.items()} for optimizer in others]
    try:
        yield
        for optimizer, kept in zip(others, before, strict=True):
            _require_kept(optimizer, kept)
    finally:
        for optimizer, kept in zip(others, before, strict=True):
            optimizer.state.clear()
            optimizer.state.update(kept)


def _require_kept(optimizer: torch.optim.Optimizer, before: Mapping[Any, Mapping[str, Any]]) -> None:
    for parameter, state in optimizer.state.items():
        kept = before.get(parameter, {})
        for key, value in state.items():
            same = value is kept.get(key) if isinstance(value, Tensor) else key in kept and value == kept[key]
            if not same:
                kind = type(optimizer).__name__
                raise UnsupportedModel(
                    tr("a step of {kind} makes {key!r} of its state anew, which no later call would see", kind, key),
                    tr("its state as tensors that are there before compile, such as after one step in plain PyTorch"),
                )


@contextmanager
def _stepping(records: Sequence[OptimizerRecord], noted: Trace) -> Iterator[None]:
    """Meanwhile `step` of the known optimisers is their family's arithmetic on the graph's inputs."""
    known = [record for record in records if record.family is not None]
    kept = [(record.optimizer, vars(record.optimizer).get("step")) for record in known]
    for record in known:
        vars(record.optimizer)["step"] = _step_of(record, noted)

    def note(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        found = [record.name for record in records if record.optimizer is optimizer]
        if not found:
            raise UnknownOptimizer(optimizer)
        noted.stepped += found

    handle = register_optimizer_step_pre_hook(note)
    try:
        yield
    finally:
        handle.remove()
        for optimizer, step in kept:
            if step is None:
                vars(optimizer).pop("step", None)
            else:
                vars(optimizer)["step"] = step


def _step_of(record: OptimizerRecord, noted: Trace) -> Callable[..., Any]:
    def step(closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if record.name in noted.stepped:
            raise UnsupportedModel(
                tr("optimiser {name!r} takes two steps in one function", record.name), tr("one step in each call")
            )
        noted.stepped.append(record.name)
        family = record.family
        assert family is not None
        with torch.no_grad():
            for number, group in enumerate(record.optimizer.param_groups):
                numbers = family.scalars(group, float(group["lr"]), record.steps + 1)

                def scalar(key: str, number: int = number, numbers: dict[str, float] = numbers) -> Tensor:
                    name = f"{record.name}@{number}@{key}"
                    return noted.number(name, Change(record.name, number, key), numbers[key])

                for parameter in group["params"]:
                    if parameter.grad is not None:
                        states = {key: noted.tensors[record.state_name(parameter, key)] for key in family.states(group)}
                        family.update(parameter, parameter.grad, states, group, scalar)
        return loss

    return step
