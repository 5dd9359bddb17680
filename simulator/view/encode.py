"""From a recording to the page: values as compressed binary data, the rest as JSON, both inside one HTML file."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from simulator.engine.state.contents import KINDS, NOWHERE, UNITS, ranges
from simulator.engine.state.memories import Words
from simulator.isa import program as p
from simulator.view.recording import Access, Frame, Index, Recorder
from simulator.view.words import frame_words

SCRIPTS = ("numbers.js", "recording.js", "chip.js", "memories.js", "assembly.js", "page.js")
"""The scripts of the page, joined in this order."""
MAX_TEXT = 200


class Blob:
    """uint32 words; the same block is stored once."""

    def __init__(self) -> None:
        """Empty."""
        self._parts: list[bytes] = []
        self._offsets: dict[bytes, int] = {}
        self._end = 0

    def add(self, block: Words | Index) -> int:
        """Where the block begins, in words. A block of 16-bit numbers is filled up to whole words."""
        data = block.tobytes()
        data += bytes(-len(data) % 4)
        if data not in self._offsets:
            self._offsets[data] = self._end
            self._parts.append(data)
            self._end += len(data) // 4
        return self._offsets[data]

    def data(self) -> bytes:
        """All blocks, little-endian."""
        return b"".join(self._parts)


def page(
    program: p.Program, recorder: Recorder, title: str, notes: Sequence[str], remarks: Mapping[int, list[str]]
) -> str:
    """The HTML file. notes: what to say about the recording; remarks: findings of the checks, by line."""
    blob = Blob()
    data = {
        "title": title,
        "notes": list(notes),
        "unit": _first_unit(recorder),
        "memories": {name: {"level": kind.level, "long": kind.long} for name, kind in KINDS.items()},
        "used": _used(recorder.frames),
        "frames": _frames(recorder.frames, blob, remarks),
        "source": _source(program, recorder.frames),
    }
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    folder = files("simulator.view") / "template"

    def part(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    replacements = {
        "TITLE": html.escape(title),
        "STYLE": part("page.css"),
        "DATA": _packed(text.encode()),
        "VALUES": _packed(blob.data()),
        "SCRIPT": "\n".join([f"const LEVELS = {json.dumps(UNITS)};", *map(part, SCRIPTS)]),
    }
    return re.sub("@([A-Z]+)@", lambda match: replacements[match[1]], part("page.html"))


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _first_unit(recorder: Recorder) -> str:
    numbers = recorder.scope.parts[0].numbers
    return "".join(f"{level}{number}" for level, number in zip("ncbmp", (*numbers, 0, 0, 0, 0, 0), strict=False))


def _frames(frames: Sequence[Frame], blob: Blob, remarks: Mapping[int, list[str]]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    step = 0
    for frame in frames:
        first = frame.lines[0] if frame.lines else None
        sentences, more = frame_words(frame.lines)
        entry: dict[str, Any] = {
            "text": _shortened(first.text) if first is not None else "",
            "words": sentences,
            "accesses": [_access(access, blob) for access in frame.accesses],
        }
        if first is not None:
            entry["line"] = first.line
        if isinstance(first, p.Step):
            entry |= {"step": step, "count": first.count}
            step += first.count
        if more:
            entry["more"] = more
        if frame.printed:
            entry["printed"] = frame.printed
        found = [text for line in frame.lines for text in remarks.get(line.line, [])]
        if found:
            entry["remarks"] = found
        result.append(entry)
    return result


def _access(access: Access, blob: Blob) -> dict[str, Any]:
    """m: memory; w: written; a: runs of addresses, missing where rows begin with their own; i: index; t: rows."""
    result: dict[str, Any] = {"m": access.memory, "w": int(access.write), "k": access.count}
    if access.addresses is not None:
        result["a"] = ranges(access.addresses)
    if access.index is not None:
        result["i"] = blob.add(access.index)
    if access.rows.shape[1]:
        result["t"] = blob.add(access.rows)
    return result


def _used(frames: Sequence[Frame]) -> dict[str, list[tuple[int, int]]]:
    """The addresses of every memory that some frame touches, whole long words of the PE memories."""
    found: dict[str, list[Any]] = {}
    for frame in frames:
        for access in frame.accesses:
            addresses = access.addresses
            if addresses is None:
                own = np.unique(access.rows[:, : access.count]).view(np.int32).astype(np.int64)
                addresses = own[own != NOWHERE]
            found.setdefault(access.memory, []).append(addresses)
    result = {}
    for memory, parts in found.items():
        addresses = np.unique(np.concatenate(parts))
        if memory in ("lm0", "lm1", "grf0", "grf1"):
            addresses = np.unique(np.concatenate([addresses & ~1, addresses | 1]))
        result[memory] = ranges(addresses)
    return result


def _source(program: p.Program, frames: Sequence[Frame]) -> list[list[Any]]:
    """The text as [line, text, frame or -1, lines left out]; long runs of debug statements are folded into one."""
    frame_of, folded = {}, {}
    for number, frame in enumerate(frames):
        for line in frame.lines:
            frame_of[line.line] = number
        if len(frame.lines) > 3:
            folded[frame.lines[0].line] = frame.lines[-1].line
    result: list[list[Any]] = []
    skip_to = 0
    for number, text in enumerate(program.source.split("\n"), 1):
        if number <= skip_to:
            continue
        skip_to = folded.get(number, 0)
        result.append([number, _shortened(text.rstrip()), frame_of.get(number, -1), max(0, skip_to - number)])
    while result and not result[-1][1]:
        result.pop()
    return result


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
