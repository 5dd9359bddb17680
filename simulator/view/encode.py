"""From a recording to the page, one HTML file: values and units as compressed binary data, the rest as JSON.

The page shows its first frame by the JSON and by which units take part; the values, which are most of it, come last.
"""

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

from simulator.effects.running import Touch
from simulator.engine.state.contents import KINDS, NOWHERE, UNITS, ranges
from simulator.engine.state.memories import Words
from simulator.isa import STEP_CYCLES
from simulator.isa import program as p
from simulator.isa.cost import move_rate
from simulator.isa.tree import name_of
from simulator.isa.units import UNITS as UNIT
from simulator.language import language
from simulator.messages import shown
from simulator.page_texts import filled, script_texts
from simulator.view.arrows import arrows_of
from simulator.view.flow import Flows
from simulator.view.opening import Opening, encoded
from simulator.view.recording import Frame, Index, Recorded, Recorder
from simulator.view.words import frame_words

SCRIPTS = (
    "texts.js", "numbers.js", "recording.js", "history.js", "layouts.js", "flow.js", "chain.js", "overview.js",
    "panel.js", "map.js", "tree.js", "listing.js", "timeline.js", "selection.js", "step.js", "search.js", "keys.js",
    "player.js", "shown.js", "page.js", "main.js",
)  # fmt: skip
"""The scripts of the page, joined in this order."""
MAX_TEXT = 200
Remark = tuple[str, str, str]
"""What a check says of a line: how bad it is, what is wrong, and what mends it, "" where nothing is known."""


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
    program: p.Program,
    recorder: Recorder,
    title: str,
    notes: Sequence[str],
    remarks: Mapping[int, list[Remark]],
    opening: Opening | None = None,
    kept: Sequence[Touch] = (),
) -> str:
    """The HTML file. notes: what to say about the recording; remarks: findings of the checks, by line.

    opening: where it begins; kept: more words that it has.
    """
    units, values = Blob(), Blob()
    flows = Flows(units.add)
    data: dict[str, Any] = {
        "title": title,
        "notes": list(map(shown, notes)),
        "unit": name_of((*recorder.scope.parts[0].numbers, 0, 0, 0, 0, 0)),
        "memories": {name: {"level": kind.level, "long": kind.long} for name, kind in KINDS.items()},
        "used": _used(recorder.frames, kept),
        "junk": list(recorder.junk),
        "frames": _frames(recorder.frames, units, values, remarks, flows),
        "tables": flows.tables,
        "source": _source(program, recorder.frames),
    }
    if opening is not None:
        data["opening"] = encoded(opening, _frame_at(recorder.frames, opening.line))
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    folder = files("simulator.view") / "template"

    def part(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    scripts = "\n".join(map(part, SCRIPTS))
    replacements = {
        "LANGUAGE": language(),
        "TITLE": html.escape(title),
        "STYLE": part("page.css"),
        "DATA": _packed(text.encode()),
        "UNITS": _packed(units.data()),
        "VALUES": _packed(values.data()),
        "SCRIPT": f"const LEVELS = {json.dumps(UNITS)};\n{_texts(scripts)}\n{scripts}",
    }
    return re.sub("@([A-Z]+)@", lambda match: replacements[match[1]], filled(part("page.html")))


def _texts(scripts: str) -> str:
    """What the scripts say, for `texts.js`."""
    texts = json.dumps(script_texts(scripts), ensure_ascii=False).replace("</", "<\\/")
    return f"const TEXTS = {texts};"


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _frames(
    frames: Sequence[Frame], units: Blob, values: Blob, remarks: Mapping[int, list[Remark]], flows: Flows
) -> list[dict[str, Any]]:
    """lanes: the units at work; cost: cycles by the published rates; flow: as in `Flows`; arrows: words that move."""
    result: list[dict[str, Any]] = []
    step = 0
    for frame in frames:
        first = frame.lines[0] if frame.lines else None
        sentences, more = frame_words(frame.lines)
        entry: dict[str, Any] = {
            "text": _shortened(first.text) if first is not None else "",
            "words": list(map(shown, sentences)),
            "accesses": [_access(access, units, values) for access in frame.accesses],
        }
        if first is not None:
            entry["line"] = first.line
        if isinstance(first, p.Step):
            entry |= {"step": step, "count": first.count}
            step += first.count
            entry["lanes"] = sorted({UNIT[i.unit].lane for i in first.instructions} - {""})
            entry["cost"] = STEP_CYCLES * first.count
        elif isinstance(first, p.Move):
            entry["lanes"], entry["cost"] = ["MV"], round(first.size / move_rate(first), 1)
        if flow := flows.of(frame):
            entry["flow"] = flow
        if arrows := list(arrows_of(first)):
            entry["arrows"] = arrows
        if more:
            entry["more"] = shown(more)
        if frame.printed:
            entry["printed"] = frame.printed
        found = [list(map(shown, remark)) for line in frame.lines for remark in remarks.get(line.line, [])]
        if found:
            entry["remarks"] = found
        result.append(entry)
    return result


def _access(access: Recorded, units: Blob, values: Blob) -> dict[str, Any]:
    """m: memory; w: written; a: runs of addresses, missing where rows begin with their own.

    i: where in `units` the row of each unit stands; t: where in `values` the rows begin.
    """
    result: dict[str, Any] = {"m": access.memory, "w": int(access.write), "k": access.count}
    if access.addresses is not None:
        result["a"] = ranges(access.addresses)
    if access.index is not None:
        result["i"] = units.add(access.index)
    if access.rows.shape[1]:
        result["t"] = values.add(access.rows)
    return result


def _frame_at(frames: Sequence[Frame], line: int | None) -> int:
    """The last frame that begins at or before a line of the text; the start for None."""
    if line is None:
        return 0
    return max((n for n, frame in enumerate(frames) if frame.lines and frame.lines[0].line <= line), default=0)


def _used(frames: Sequence[Frame], kept: Sequence[Touch]) -> dict[str, list[tuple[int, int]]]:
    """The addresses of every memory that some frame touches, whole long words of the PE memories."""
    found: dict[str, list[Any]] = {touch.memory: [touch.addresses] for touch in kept}
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
