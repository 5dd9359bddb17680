"""What torch.compile(…, options={…}) may say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from haribote.compiler import LEVELS
from haribote.errors import HariboteError
from haribote.frontend.compiled import DEVICES, Options
from simulator.messages import tr

PRECISIONS = ("float", "mixed", "half")
HOSTS = ("reference", "fastest")


def options_of(given: Mapping[str, Any] | None) -> Options:
    """The options, by default the chip at -O2 with products as exact as float32.

    Raises:
        HariboteError: no such option, or no such value.
    """
    known = {"device": DEVICES, "level": LEVELS, "precision": PRECISIONS, "host": HOSTS}
    assert set(known) == {field.name for field in fields(Options)}
    for name, value in (given or {}).items():
        if name not in known:
            raise HariboteError(
                tr("the backend haribote has no option {name!r}", name), tr("one of {known}", ", ".join(known))
            )
        if value not in known[name] or isinstance(value, bool):
            allowed = ", ".join(map(repr, known[name]))
            raise HariboteError(
                tr("options[{name!r}] must be one of {allowed}, received {value!r}", name, allowed, value)
            )
    return Options(**(given or {}))
