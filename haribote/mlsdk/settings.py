"""What programs say to the vendor's compiler beside `options`: which way of training, threads, the environment."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from torch.optim import Optimizer

from haribote.errors import HariboteError
from simulator.messages import tr

LEGACY = "MNCORE_USE_LEGACY_ONNX_EXPORTER"
"""In the environment: a function gives the loss only."""
WHOLE = "use_fx2onnx"
"""In `export_kwargs`: a function holds backward pass and update."""
CODEGEN = "CODEGEN_"

_said: set[str] = set()


def loss_only(
    backprop: bool, training: bool, optimizers: Sequence[Optimizer] | None, export_kwargs: Mapping[str, Any] | None
) -> bool:
    """Whether gradient and update are added to a function. One that steps an optimiser itself is never given another.

    Raises:
        HariboteError: both ways at once.
    """
    if export_kwargs is not None and not isinstance(export_kwargs, Mapping):
        raise HariboteError(
            tr("export_kwargs: a dict is wanted, received {name}", type(export_kwargs).__name__), f'{{"{WHOLE}": True}}'
        )
    whole = (export_kwargs or {}).get(WHOLE)
    if whole and backprop:
        raise HariboteError(
            tr(
                "compile: {whole} says that the function holds backward pass and update, backprop that it does not",
                WHOLE,
            ),
            tr("one of the two"),
        )
    return backprop or (not whole and (training or legacy()) and bool(optimizers))


def legacy() -> bool:
    """Whether the environment asks for functions that give the loss only."""
    return os.environ.get(LEGACY, "").lower() not in ("", "0", "false", "off", "no")


def check_threads(count: object) -> None:
    """Raises HariboteError where a number of threads is none: -1 (all of them) or more than 0. Ours uses one."""
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or (count < 1 and count != -1)):
        raise HariboteError(
            tr("compile: num_compiler_threads {count!r}", count), tr("a number of threads, or -1 for all")
        )


def note_environment() -> None:
    """Say once in a process that settings of the vendor's compiler change nothing here."""
    names = sorted(name for name in os.environ if name.startswith(CODEGEN) and name not in _said)
    if names:
        _said.update(names)
        warnings.warn(
            tr(
                "{names} in the environment: settings of the vendor's compiler, which change nothing here",
                ", ".join(names),
            ),
            stacklevel=3,
        )


def note_untrained(wanted: bool, stepped: Sequence[str]) -> None:
    """Say so where training was asked for and no optimiser takes a step."""
    if wanted and not stepped:
        warnings.warn(
            tr("compile: training, but the function takes no step of an optimiser: no parameter changes"), stacklevel=3
        )


def note_added(names: Sequence[str]) -> None:
    """Say so where a function adds to gradients that it has not taken away: in PyTorch they would grow call by call."""
    if names:
        warnings.warn(
            tr(
                "the function adds to the gradient of {name!r} without zero_grad; here every call begins at 0",
                names[0],
            ),
            stacklevel=6,
        )
