"""A context: compiled functions and registered tensors on one device."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.optim import Optimizer

from haribote.errors import HariboteError
from haribote.frontend.compiled import CompiledGraph
from haribote.mlsdk import artefact as artefacts
from haribote.mlsdk.artefact import Artefact, CacheOptions
from haribote.mlsdk.automap import AutomapFunction, Tree, arguments, flattened
from haribote.mlsdk.backprop import whole_step
from haribote.mlsdk.compiling import compiled, constrain, sample_tensors
from haribote.mlsdk.device import MNDevice
from haribote.mlsdk.function import CompiledFunction
from haribote.mlsdk.interface import Complete
from haribote.mlsdk.naming import known_name, optimizer_name, set_buffer_name_in_optimizer, set_tensor_name_in_module
from haribote.mlsdk.options import read_options
from haribote.mlsdk.proxy import RegisteredProxy, TensorProxy
from haribote.mlsdk.residents import OptimizerRecord, Registered, Resident
from haribote.mlsdk.runtime import Traffic
from haribote.mlsdk.settings import check_threads, loss_only, note_environment, note_untrained
from haribote.mlsdk.specs import IOSpec, array_type
from haribote.mlsdk.timeline import span
from simulator.messages import tr

Compile = Callable[[], tuple[Artefact, CompiledGraph]]


class Registry(Complete):
    """`context.registry.register(name, module or optimizer)`: names and registers all that belongs to it."""

    interface = ("register",)

    def __init__(self, context: Context) -> None:
        self._context = context

    def register(self, name: str, thing: nn.Module | Optimizer) -> None:
        """Parameters and buffers of a module, or the state of an optimiser. Raises HariboteError for anything else."""
        if isinstance(thing, nn.Module):
            set_tensor_name_in_module(thing, name)
            for parameter in thing.parameters():
                self._context.register_param(parameter)
            for buffer in thing.buffers():
                self._context.register_buffer(buffer)
        elif isinstance(thing, Optimizer):
            set_buffer_name_in_optimizer(thing, name)
            self._context.register_optimizer_buffers(thing)
        else:
            raise HariboteError(
                tr("registry.register: {name!r} is a {name2}", name, type(thing).__name__),
                tr("a module or an optimiser"),
            )


class Context(Complete):
    """Compiled functions and the tensors that stay on the device between their calls.

    Attributes:
        device: the device.
        registry: registers modules and optimisers by name.
        traffic: counts what has moved between host and device.
    """

    interface = (
        "compile",
        "compile_automap",
        "device",
        "get_registered_value_proxy",
        "load_codegen_dir",
        "register_buffer",
        "register_optimizer_buffers",
        "register_param",
        "registry",
        "switch_context",
        "synchronize",
        "traffic",
    )

    current: ClassVar[Context | None] = None

    def __init__(self, device: MNDevice) -> None:
        if not isinstance(device, MNDevice):
            raise HariboteError(
                tr("Context: an MNDevice is wanted, received {device!r}", device), 'MNDevice("mncore2:auto")'
            )
        self.device, self.registry, self.traffic = device, Registry(self), Traffic()
        self._tensors: dict[int, Registered] = {}
        self._named: set[str] = set()
        self._states: dict[str, Resident] = {}
        self._records: list[OptimizerRecord] = []

    @staticmethod
    def switch_context(context: Context) -> None:
        """Make a context the current one."""
        if not isinstance(context, Context):
            raise HariboteError(tr("switch_context: a Context is wanted, received {name}", type(context).__name__))
        Context.current = context

    def register_param(self, param: Tensor) -> None:
        """Keep a parameter on the device; compiled functions that write to it change the device's copy."""
        if not isinstance(param, Tensor):
            raise HariboteError(
                tr("register: a tensor is wanted, received {name}", type(param).__name__), "model.parameters()"
            )
        if id(param) not in self._tensors:
            self._tensors[id(param)] = Registered(known_name(param) or f"tensor{len(self._tensors)}", param)

    def register_buffer(self, buffer: Tensor) -> None:
        """Keep a buffer on the device."""
        self.register_param(buffer)

    def register_optimizer_buffers(self, optimizer: Optimizer) -> None:
        """Keep an optimiser's state on the device."""
        if not isinstance(optimizer, Optimizer):
            kind = type(optimizer).__name__
            raise HariboteError(tr("register_optimizer_buffers: a torch optimiser is wanted, received {kind}", kind))
        if not any(record.optimizer is optimizer for record in self._records):
            name = optimizer_name(optimizer) or f"optim{len(self._records)}"
            if any(record.name == name for record in self._records):
                raise HariboteError(tr("two optimisers are called {name!r}", name), tr("names of their own"))
            self._records.append(OptimizerRecord(name, optimizer))

    def records(self) -> list[OptimizerRecord]:
        """The registered optimisers."""
        return self._records

    def residents(self) -> dict[str, Resident]:
        """All registered tensors by name. Raises HariboteError where two have the same."""
        found: dict[str, Resident] = {}
        for resident in self._tensors.values():
            if resident.name not in self._named:
                resident.name = known_name(resident.tensor()) or resident.name
            if resident.name in found:
                raise HariboteError(
                    tr("two registered tensors are called {name!r}", resident.name), tr("names of their own")
                )
            found[resident.name] = resident
        for record in self._records:
            for state in record.states():
                found[state.name] = self._states.setdefault(state.name, state)
        return found

    def settle_names(self, names: Iterable[str]) -> None:
        """Compiled functions call residents by these names: a later name changes nothing."""
        self._named |= set(names)

    def compile(
        self,
        fn: Callable[[dict[str, Tensor]], Mapping[str, Tensor]],
        sample: Mapping[str, Any],
        codegen_dir: str | os.PathLike[str] | None = None,
        options: Mapping[str, Any] | None = None,
        cache_options: CacheOptions | None = None,
        training: bool = False,
        optimizers: Sequence[Optimizer] | None = None,
        io_spec_constraints: Mapping[str, IOSpec] | None = None,
        export_kwargs: Mapping[str, Any] | None = None,
        num_compiler_threads: int | None = None,
    ) -> CompiledFunction:
        """Compile a function of a dict of tensors.

        Args:
            fn: from a dict of tensors to a dict of tensors.
            sample: names, shapes and dtypes of its inputs; values do not matter.
            codegen_dir: what is made is written there.
            options: see `mlsdk.options`.
            cache_options: where compiled functions are kept and found.
            training, optimizers: with both, or with the option `backprop`, the gradient of the loss that `fn` gives and
                a step of each optimiser are added, unless `fn` takes the step itself.
            io_spec_constraints: how inputs or outputs must lie on the device.
            export_kwargs: `{"use_fx2onnx": True}`: `fn` holds backward pass and update; others change nothing here.
            num_compiler_threads: of the vendor's compiler, -1 for all; ours uses one.

        Raises:
            HariboteError: the function or an option is not of the kind that can be compiled.
        """
        asked = read_options(options)
        check_threads(num_compiler_threads)
        note_environment()
        inputs = sample_tensors(sample)
        if loss_only(asked.backprop, training, optimizers, export_kwargs):
            fn, inputs = whole_step(self, fn, inputs, list(optimizers or []))
        artefact, graph, again = compiled(self, fn, inputs, codegen_dir, asked, cache_options)
        note_untrained(training and bool(optimizers), artefact.traced.stepped)
        found = CompiledFunction(self, artefact, graph, again)
        constrain(found, io_spec_constraints or {})
        return found

    def compile_automap(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        codegen_dir: str | os.PathLike[str] | None = None,
        options: Mapping[str, Any] | None = None,
        cache_options: CacheOptions | None = None,
        export_kwargs: Mapping[str, Any] | None = None,
        num_compiler_threads: int | None = None,
    ) -> AutomapFunction:
        """Compile a function of nested tuples, lists, dicts and registered classes with tensors in them."""
        loss_only(False, False, None, export_kwargs)
        check_threads(num_compiler_threads)
        note_environment()
        inside, tensors = Tree.of(*arguments(args, kwargs or {}))
        inputs = sample_tensors(tensors)
        outside: list[Tree] = []

        def tree() -> dict[str, Any]:
            return {"inside": inside.plain(), "outside": outside[-1].plain()}

        flat = flattened(fn, inside, outside)
        artefact, graph, again = compiled(self, flat, inputs, codegen_dir, read_options(options), cache_options, tree)
        return AutomapFunction(CompiledFunction(self, artefact, graph, again), inside, outside[-1])

    def load_codegen_dir(self, path: str | os.PathLike[str]) -> Any:
        """A compiled function from the folder that an earlier compilation wrote, without compiling."""
        with span("load", path=str(path)):
            artefact, executable = artefacts.read(Path(path))
            if (artefact.device == "host") != (self.device.kind == "host"):
                what = tr("the host (pfvm:cpu)") if artefact.device == "host" else tr("the chip")
                raise HariboteError(
                    tr("{path} was compiled for {what}, the context is for {name}", path, what, self.device.name)
                )
            found = CompiledFunction(self, artefact, artefacts.start(artefact, executable), None)
        if artefact.tree is None:
            return found
        inside, outside = (Tree.from_plain(artefact.tree[side]) for side in ("inside", "outside"))
        return AutomapFunction(found, inside, outside)

    def synchronize(self) -> None:
        """Bring registered tensors that functions have changed back into the torch tensors."""
        with span("synchronize"):
            for record in self._records:
                record.look()
            for resident in [*self._tensors.values(), *self._states.values()]:
                resident.look()
                if resident.behind:
                    proxy = self._proxy(resident)
                    resident.store(proxy.cpu())
            for record in self._records:
                record.write_steps()

    def get_registered_value_proxy(self, param: Tensor) -> TensorProxy:
        """The device's copy of a registered tensor."""
        for resident in self.residents().values():
            if resident.tensor() is param:
                return self._proxy(resident)
        name = known_name(param) if isinstance(param, Tensor) else None
        raise HariboteError(
            tr("{value} is not registered in this context", name or tr("the tensor")), "register_param, register_buffer"
        )

    def _proxy(self, resident: Resident) -> RegisteredProxy:
        like = resident.like
        spec = IOSpec(resident.name, tuple(like.shape), like.dtype, stored=str(array_type(like.dtype)))
        return RegisteredProxy(spec, self, resident)
