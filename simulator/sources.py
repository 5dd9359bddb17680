"""A digest of the source files that decide something: a module's own and those of all that it imports, at any depth.

What is kept between runs is found again under a key with such a digest, so that no change of the code gives an old
result. There is no list of files to keep up to date: the import statements are the list.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from simulator.messages import tr

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("simulator", "haribote", "solutions")
"""Those whose files count; others are told apart by what is installed, which nobody edits."""
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.M)
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"([\w.]+)(?:[ \t]+as[ \t]+\w+)?")


@cache
def digest(*modules: str) -> str:
    """SHA-256 of the files of these modules, such as `haribote.stack.planner.search`, and of all that they import."""
    result = hashlib.sha256()
    for file in closure(*modules):
        content = hashlib.sha256(text(file).encode()).digest()
        result.update(f"{file.relative_to(ROOT).as_posix()}\0".encode() + content)
    return result.hexdigest()


@cache
def closure(*modules: str) -> tuple[Path, ...]:
    """The files of these modules and of all modules of this tree that they import, wherever in the text; sorted.

    Raises LookupError for a module that is not in the tree.
    """
    found: set[Path] = set()
    waiting = [file for module in modules for file in _files(module)]
    if missing := [module for module in modules if _file(module) is None]:
        raise LookupError(tr("no file of this tree is the module {missing}", missing[0]))
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imported(file)
    return tuple(sorted(found))


@cache
def text(file: Path) -> str:
    """What a source file says, read once."""
    return file.read_text(encoding="utf-8")


@cache
def _imported(file: Path) -> tuple[Path, ...]:
    """The files of the modules that a file imports: by text, as parsing hundreds of files would take a second."""
    names: list[str] = []
    said = _COMMENT.sub("", text(file))  # a list of names may have some, with brackets in them
    for origin, imported, plain in _IMPORT.findall(said):
        if origin:
            names += [origin, *(f"{origin}.{name}" for name in _NAME.findall(imported))]
        else:
            names += _NAME.findall(plain)
    return tuple(path for name in dict.fromkeys(names) for path in _files(name))


def _files(module: str) -> Iterator[Path]:
    """The file of a module of this tree, and those of the packages that it is in; none for other names."""
    if module.partition(".")[0] not in PACKAGES or _file(module) is None:
        return
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        file = _file(".".join(parts[:length]))
        if file is not None:
            yield file


@cache
def _file(module: str) -> Path | None:
    path = ROOT / module.replace(".", "/")
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
