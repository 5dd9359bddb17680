"""The options of `Context.compile`."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haribote.errors import HariboteError
from haribote.mlsdk.interface import refusal
from simulator.messages import tr

PRECISIONS = ("float", "mixed", "half")
KNOWN = ("float_dtype", "option_json", "backprop")
TUNING = ("num_compiler_threads", "num_threads", "verbose")
"""Options of the vendor's compiler that change no result; a warning says that nothing follows from them."""
_PRESET = re.compile(r"O[0-9]\.json")


@dataclass(frozen=True)
class CompileOptions:
    """float_dtype: one of PRECISIONS; backprop: the function gives the loss only, the rest of the step is added."""

    float_dtype: str = "float"
    backprop: bool = False

    @property
    def precision(self) -> str:
        """Of products on the chip (`stack.planner.precision`). Sums and updates are single there, so mixed is half."""
        return "float" if self.float_dtype == "float" else "half"


def read_options(options: Mapping[str, Any] | None) -> CompileOptions:
    """What a program asks for; `option_json` first, what is said beside it wins.

    Raises:
        HariboteError: an option that is not known, or a value that it cannot have.
    """
    given = dict(options or {})
    asked = _from_file(given["option_json"]) if given.get("option_json") else {}
    for name in given:
        if name in TUNING:
            _ignored([name], "options")
        elif name not in KNOWN:
            raise HariboteError(*refusal(tr("options of compile"), name, KNOWN))
    asked |= {name: value for name, value in given.items() if name in ("float_dtype", "backprop")}
    precision, backprop = asked.get("float_dtype", "float"), asked.get("backprop", False)
    if precision not in PRECISIONS:
        raise HariboteError(f"options: float_dtype {precision!r}", tr("one of {precisions}", ", ".join(PRECISIONS)))
    if not isinstance(backprop, bool):
        raise HariboteError(tr("options: backprop {backprop!r}", backprop), tr("True or False"))
    return CompileOptions(precision, backprop)


def _from_file(name: Any) -> dict[str, Any]:
    """What a file of options says to us. The vendor's presets, O0.json to O4.json, are their compiler's, not here."""
    path = Path(name)
    if not path.is_file():
        if _PRESET.fullmatch(path.name):
            warnings.warn(
                tr("option_json: {path} is a preset of the vendor's compiler; ours is used as it is", path),
                stacklevel=4,
            )
            return {}
        raise HariboteError(tr("option_json: there is no file {path}", path), tr("the path of a JSON file"))
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HariboteError(tr("option_json: {path} cannot be read as JSON: {error}", path, error)) from error
    if not isinstance(found, dict):
        raise HariboteError(
            tr("option_json: {path} holds a {name}", path, type(found).__name__),
            tr('an object, {"float_dtype": "mixed"}'),
        )
    unknown = sorted(set(found) - set(KNOWN))
    if unknown:
        _ignored(unknown, str(path))
    return {key: value for key, value in found.items() if key in ("float_dtype", "backprop")}


def _ignored(names: list[str], where: str) -> None:
    warnings.warn(
        tr("{where}: {names} is for the vendor's compiler and changes nothing here", where, ", ".join(names)),
        stacklevel=5,
    )
