"""The vendor's interface for PyTorch. `python -m haribote.mlsdk FILE.py …` runs programs that say `import mlsdk`."""

from haribote.mlsdk import experimental, storage
from haribote.mlsdk import interface as _interface
from haribote.mlsdk.artefact import CacheOptions
from haribote.mlsdk.automap import register_pytree_dataclass, register_pytree_namedtuple
from haribote.mlsdk.context import Context
from haribote.mlsdk.device import MNDevice
from haribote.mlsdk.function import CompiledFunction
from haribote.mlsdk.naming import (
    get_tensor_name,
    set_buffer_name_in_optimizer,
    set_tensor_name,
    set_tensor_name_in_module,
)
from haribote.mlsdk.optimizers import MNCoreAdam, MNCoreAdamW, MNCoreSGD
from haribote.mlsdk.proxy import TensorProxy
from haribote.mlsdk.specs import IOSpec
from haribote.mlsdk.timeline import trace_scope

__all__ = [
    "CacheOptions",
    "CompiledFunction",
    "Context",
    "IOSpec",
    "MNCoreAdam",
    "MNCoreAdamW",
    "MNCoreSGD",
    "MNDevice",
    "TensorProxy",
    "experimental",
    "get_tensor_name",
    "register_pytree_dataclass",
    "register_pytree_namedtuple",
    "set_buffer_name_in_optimizer",
    "set_tensor_name",
    "set_tensor_name_in_module",
    "storage",
    "trace_scope",
]

_interface.install()


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(name)
    raise _interface.NotInInterface(*_interface.refusal("mlsdk", name, __all__))
