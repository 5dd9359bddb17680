"""Functions of nested tuples, lists and dicts: flattened to a dict of tensors, and their results built up again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch
import torch.utils._pytree as pytree
from torch import Tensor

from haribote.errors import HariboteError
from haribote.mlsdk.function import CompiledFunction
from haribote.mlsdk.interface import Complete
from haribote.mlsdk.proxy import TensorProxy
from haribote.mlsdk.specs import IOSpec
from simulator.messages import tr

T = TypeVar("T")


def register_pytree_namedtuple(cls: type[T]) -> type[T]:
    """A decorator: a namedtuple may be part of the arguments and results of `compile_automap`."""
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise HariboteError(
            tr("register_pytree_namedtuple: {name} is no namedtuple", cls.__name__), "typing.NamedTuple"
        )
    pytree._register_namedtuple(cls, serialized_type_name=_type_name(cls))
    return cls


def register_pytree_dataclass(cls: type[T]) -> type[T]:
    """A decorator: a dataclass may be part of the arguments and results of `compile_automap`."""
    if not dataclasses.is_dataclass(cls):
        raise HariboteError(
            tr("register_pytree_dataclass: {name} is no dataclass", cls.__name__), tr("@dataclass above the class")
        )
    names = [entry.name for entry in dataclasses.fields(cls)]

    def flatten(value: Any) -> tuple[list[Any], Any]:
        return [getattr(value, name) for name in names], names

    def flatten_with_keys(value: Any) -> tuple[list[tuple[Any, Any]], Any]:
        return [(pytree.GetAttrKey(name), getattr(value, name)) for name in names], names

    def build(values: Any, context: Any) -> Any:
        result = object.__new__(cls)
        for name, value in zip(context, values, strict=True):
            object.__setattr__(result, name, value)  # a frozen one too
        return result

    pytree.register_pytree_node(
        cls, flatten, build, serialized_type_name=_type_name(cls), flatten_with_keys_fn=flatten_with_keys
    )
    return cls


def _type_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


@dataclasses.dataclass
class Tree:
    """A nested value. leaves: for each leaf the name of a tensor, or None and its constant."""

    spec: Any
    names: list[str | None]
    constants: list[Any]

    @classmethod
    def of(cls, value: Any, prefix: str) -> tuple[Tree, dict[str, Tensor | TensorProxy]]:
        """The form of a value and its tensors by name: the path to them, with dots."""
        paths, spec = pytree.tree_flatten_with_path(value)
        names: list[str | None] = []
        constants: list[Any] = []
        tensors: dict[str, Tensor | TensorProxy] = {}
        for path, leaf in paths:
            if isinstance(leaf, np.ndarray):
                leaf = torch.as_tensor(leaf)
            if isinstance(leaf, Tensor | TensorProxy):
                name = ".".join([prefix, *map(_key, path)]) if path else prefix
                tensors[name] = leaf
                names.append(name)
                constants.append(None)
            else:
                names.append(None)
                constants.append(leaf)
        return cls(spec, names, constants), tensors

    def build(self, tensors: dict[str, Any]) -> Any:
        """The value with other tensors."""
        leaves = [
            constant if name is None else tensors[name]
            for name, constant in zip(self.names, self.constants, strict=True)
        ]
        return pytree.tree_unflatten(leaves, self.spec)

    def matches(self, other: Tree) -> bool:
        """Whether another value has this form, and the same constants."""
        return (self.spec, self.names, self.constants) == (other.spec, other.names, other.constants)

    def plain(self) -> dict[str, Any]:
        """For a JSON file. Raises HariboteError for what cannot be in one."""
        try:
            return {"spec": pytree.treespec_dumps(self.spec), "names": self.names, "constants": self.constants}
        except (NotImplementedError, TypeError) as error:
            raise HariboteError(tr("compile_automap cannot keep the form of its arguments: {error}", error)) from error

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Tree:
        """The inverse."""
        pytree.treespec_loads.cache_clear()  # it would give a class that was defined anew since, as in a notebook
        return cls(pytree.treespec_loads(plain["spec"]), plain["names"], plain["constants"])


def _key(entry: Any) -> str:
    for name in ("key", "idx", "name"):
        if hasattr(entry, name):
            return str(getattr(entry, name))
    return str(entry)


def flattened(function: Callable[..., Any], inside: Tree, results: list[Tree]) -> Callable[[dict[str, Tensor]], Any]:
    """The function as one of a dict of tensors; the form of what it returned is added to `results`."""

    def flat(tensors: dict[str, Tensor]) -> dict[str, Any]:
        args, kwargs = inside.build(tensors)
        tree, found = Tree.of(function(*args, **kwargs), "out")
        results.append(tree)
        return found

    return flat


class AutomapFunction(Complete):
    """A compiled function of nested values: called like the function it was made of, with tensors or proxies as leaves.

    Attributes:
        input_specs, output_specs: by path, such as `args.0.x`, `kwargs.scale`, `out.1`.
    """

    interface = ("allocate_input_proxy", "input_specs", "output_specs")

    def __init__(self, flat: CompiledFunction, inside: Tree, outside: Tree) -> None:
        self._flat, self._inside, self._outside = flat, inside, outside

    @property
    def input_specs(self) -> dict[str, IOSpec]:
        """How the device holds the inputs."""
        return self._flat.input_specs

    @property
    def output_specs(self) -> dict[str, IOSpec]:
        """How the device holds the results."""
        return self._flat.output_specs

    @property
    def graph(self) -> Any:
        """What runs."""
        return self._flat.graph

    def allocate_input_proxy(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Room on the device for the inputs, as `(args, kwargs)` of the function."""
        args, kwargs = self._inside.build(dict(self._flat.allocate_input_proxy()))
        return args, kwargs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run once. Raises HariboteError for arguments of another form."""
        tree, tensors = Tree.of(*arguments(args, kwargs))
        if not tree.matches(self._inside):
            raise HariboteError(
                tr("the function was compiled for {inside}, received {tree}", _form(self._inside), _form(tree)),
                tr("arguments nested as in compile_automap, with the same numbers and texts"),
            )
        return self._outside.build(dict(self._flat(tensors)))


def arguments(args: Any, kwargs: Any) -> tuple[Any, str]:
    """Both as one value, and what its tensors' names begin with."""
    return (tuple(args), dict(kwargs)), "in"


def _form(tree: Tree) -> str:
    leaves = {
        str(number): name or constant
        for number, (name, constant) in enumerate(zip(tree.names, tree.constants, strict=True))
    }
    return str(list(leaves.values()))
