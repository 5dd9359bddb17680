"""The records that the engine runs, as ctypes structures; the C++ side is `src/records.hpp`, which names the codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ctypes import POINTER, Structure, c_int32, c_uint32, c_void_p
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).with_name("src")

_ENUMERATION = re.compile(r"enum class (\w+) : i32 \{([^}]*)\};")


def _codes() -> Mapping[str, Mapping[str, int]]:
    """Every enumeration of `records.hpp`: its names and their values."""
    text = (SOURCES / "records.hpp").read_text(encoding="utf-8")
    enumerations = {}
    for name, body in _ENUMERATION.findall(text):
        names = [word.strip().rstrip("_") for word in body.split(",")]
        enumerations[name] = {word: value for value, word in enumerate(names)}
    return enumerations


CODES = _codes()


class Operand(Structure):
    """See `records.hpp`."""

    _fields_ = [
        ("kind", c_int32),
        ("index", c_int32),
        ("words", c_int32),
        ("addresses", c_int32 * 4),
        ("indirect", c_int32),
        ("reach", c_int32),
        ("literal", c_int32),
        ("negate", c_int32),
        ("widen", c_int32),
        ("narrow", c_int32),
    ]


class Store(Structure):
    """See `records.hpp`."""

    _fields_ = [("operand", Operand), ("instruction", c_int32), ("mask", c_int32), ("by_word", c_int32)]


class Instruction(Structure):
    """See `records.hpp`."""

    _fields_ = [
        ("unit", c_int32),
        ("code", c_int32),
        ("letter", c_int32),
        ("reduction", c_int32),
        ("kept", c_int32),
        ("shift", c_int32),
        ("mab", c_int32),
        ("rows", c_int32),
        ("narrow", c_int32),
        ("is_unsigned", c_int32),
        ("flush", c_int32),
        ("flags", c_int32),
        ("path", c_int32),
        ("latch", c_int32),
        ("copy", c_int32),
        ("mabs", c_int32),
        ("l1bs", c_uint32),
        ("sources", Operand * 3),
        ("target", Operand),
    ]


class Line(Structure):
    """See `records.hpp`."""

    _fields_ = [
        ("kind", c_int32),
        ("first_instruction", c_int32),
        ("instructions", c_int32),
        ("first_store", c_int32),
        ("stores", c_int32),
        ("move", c_int32),
        ("letter", c_int32),
        ("reduction", c_int32),
        ("size", c_int32),
        ("source", Operand),
        ("destination", Operand),
    ]


class Pointers(Structure):
    """`Machine` of `block.hpp`: where the memories are."""

    _fields_ = [
        ("banks", c_void_p * 4),
        ("t", c_void_p),
        ("omr", c_void_p),
        ("bases", c_void_p * 2),
        ("matrices", c_void_p * 2),
        ("l1bm", c_void_p),
        ("l2bm", c_void_p),
        ("pdm", c_void_p),
        ("pages", c_void_p),
        ("paths", c_void_p * 4),
        ("turnaround", c_void_p),
    ]


class Records(Structure):
    """`Program` of `engine.cpp`: the three tables."""

    _fields_ = [("lines", POINTER(Line)), ("instructions", POINTER(Instruction)), ("stores", POINTER(Store))]


ALL: tuple[type[Any], ...] = (Operand, Store, Instruction, Line, Pointers, Records)
"""In the order of `haribote_record_sizes`."""
