"""The records that the engine runs, as ctypes structures made from their one description, `src/records.hpp`; and the
codes of what they name, the ALU instructions of `src/alu.cpp` among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ctypes import POINTER, Structure, c_int32, c_uint32, c_void_p
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).with_name("src")

_HEADER = "".join(
    re.sub("//.*", "", (SOURCES / name).read_text(encoding="utf-8")) for name in ("records.hpp", "alu.cpp")
)
_ENUMERATION = re.compile(r"enum class (\w+) : i32 \{([^}]*)\};")
_DECLARATION = re.compile(r"\s*(?:const )?(\w+)(.*)")
_NAME = re.compile(r"(\**)\s*(\w+)(?:\[(\d+)\])?")


def _codes() -> Mapping[str, Mapping[str, int]]:
    """Every enumeration: its names and their values."""
    enumerations = {}
    for name, body in _ENUMERATION.findall(_HEADER):
        names = [word.strip().rstrip("_") for word in body.split(",")]
        enumerations[name] = {word: value for value, word in enumerate(names)}
    return enumerations


CODES = _codes()

_TYPES: dict[str, Any] = {"i32": c_int32, "u32": c_uint32, **dict.fromkeys(CODES, c_int32)}
"""What the header's names of types are here; other types have pointers to them only."""


def _fields(struct: str) -> list[tuple[str, Any]]:
    """The fields of a structure of `records.hpp`."""
    found = re.search(rf"struct {struct} {{([^}}]*)}};", _HEADER)
    assert found, struct
    return [field for declaration in found[1].split(";")[:-1] for field in _declared(declaration)]


def _declared(declaration: str) -> Iterator[tuple[str, Any]]:
    """What one declaration declares, e.g. `u64 *l1bm, *l2bm` or `i32 addresses[4]`."""
    match = _DECLARATION.fullmatch(declaration)
    assert match, declaration
    kind, names = match.groups()
    for stars, name, count in _NAME.findall(names):
        if not stars:
            field = _TYPES[kind]
        else:
            field = POINTER(_TYPES[kind]) if stars == "*" and issubclass(_TYPES.get(kind, int), Structure) else c_void_p
        yield name, field * int(count) if count else field


class OperandRecord(Structure):
    """See `records.hpp`, as for all of these."""

    _fields_ = _fields("Operand")


_TYPES["Operand"] = OperandRecord


class StoreRecord(Structure):
    """A write of a PE destination."""

    _fields_ = _fields("Store")


class InstructionRecord(Structure):
    """A PE instruction."""

    _fields_ = _fields("Instruction")


class LineRecord(Structure):
    """A step or a move."""

    _fields_ = _fields("Line")


_TYPES |= {"Store": StoreRecord, "Instruction": InstructionRecord, "Line": LineRecord}


class Pointers(Structure):
    """`Machine`: where the memories are."""

    _fields_ = _fields("Machine")


class Records(Structure):
    """`Program`: the three tables."""

    _fields_ = _fields("Program")


ALL: Mapping[str, type[Any]] = {
    "Operand": OperandRecord,
    "Store": StoreRecord,
    "Instruction": InstructionRecord,
    "Line": LineRecord,
    "Machine": Pointers,
    "Program": Records,
}
"""By their names in the header, in the order of `haribote_record_sizes`."""
