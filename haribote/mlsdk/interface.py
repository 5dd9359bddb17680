"""What the vendor's interface has and this one has not: one clear error that names it."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import ClassVar

from haribote.errors import HariboteError
from simulator.messages import tr

PACKAGE, ALIAS = "haribote.mlsdk", "mlsdk"
"""Where the interface stands, and what programs call it."""
SUBMODULES = (
    "storage",
    "experimental",
    "experimental.llm",
    "experimental.llm.attention_mask",
    "experimental.llm.kv_cache",
)
"""What programs import from inside it, `import mlsdk.storage`."""


class NotInInterface(HariboteError, AttributeError):
    """A name of the vendor's interface, or a mistyped one, that is not here."""


class NotImportable(HariboteError, ImportError):
    """The same, of something imported."""


def refusal(where: str, name: str, known: Sequence[str]) -> tuple[str, str]:
    """The message for a name that is not there, and what to try."""
    near = difflib.get_close_matches(name, known, 1)
    advice = near[0] if near else tr("one of {known}", ", ".join(sorted(known))) if known else ""
    return tr("{where} has no {name!r} here", where, name), advice


class Complete:
    """A class of the interface: an attribute that it has not is refused by name. interface: what programs use."""

    interface: ClassVar[tuple[str, ...]] = ()

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):  # what copy, pickle and notebooks look for
            raise AttributeError(name)
        raise NotInInterface(*refusal(f"mlsdk.{type(self).__name__}", name, self.interface))


class Finder:
    """The last of the import system's finders: `mlsdk.NAME` is the module of ours, and nothing else."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Refuse what is asked for inside the package and was not found there. Raises NotImportable."""
        parent, _, last = name.rpartition(".")
        package = next((one for one in (PACKAGE, ALIAS) if f"{parent}.".startswith(f"{one}.")), None)
        if package is not None and not last.startswith("_"):
            known = getattr(sys.modules.get(parent), "__all__", ())
            raise NotImportable(*refusal(ALIAS + parent.removeprefix(package), last, known))
        return None


def install() -> None:
    """Make `from haribote.mlsdk import NAME` say what is missing."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)


def stand_in() -> None:
    """Make `import mlsdk` mean this package, for this process."""
    package = sys.modules[PACKAGE]
    sys.modules[ALIAS] = package
    for name in SUBMODULES:
        sys.modules[f"{ALIAS}.{name}"] = sys.modules[f"{PACKAGE}.{name}"]
