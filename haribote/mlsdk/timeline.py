"""What ran when, as a Perfetto trace (https://ui.perfetto.dev opens it): compilations, moves and runs.

A trace is a sequence of packets; numbers of fields are those of Perfetto's `trace_packet.proto`, `track_event.proto`,
`track_descriptor.proto` and `debug_annotation.proto`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from haribote.mlsdk.protobuf import content, number
from simulator.files import write_file

SEQUENCE = 1
PROCESS, HOST, DEVICE = 1, 2, 3
"""Tracks."""
_SLICE_BEGIN, _SLICE_END = 1, 2


class Timeline:
    """The packets so far."""

    def __init__(self) -> None:
        self._packets: list[bytes] = []
        process = number(1, os.getpid()) + content(6, "haribote")
        self._packet(content(60, number(1, PROCESS) + content(3, process)))
        for track, name in ((HOST, "host"), (DEVICE, "device")):
            self._packet(content(60, number(1, track) + content(2, name) + number(5, PROCESS)))

    def begin(self, name: str, track: int, notes: dict[str, object]) -> None:
        """Something begins."""
        annotations = b"".join(content(4, _annotation(key, value)) for key, value in notes.items())
        event = number(9, _SLICE_BEGIN) + number(11, track) + content(23, name) + annotations
        self._packet(number(8, time.monotonic_ns()) + content(11, event))

    def end(self, track: int) -> None:
        """What began last on this track ends."""
        self._packet(number(8, time.monotonic_ns()) + content(11, number(9, _SLICE_END) + number(11, track)))

    def _packet(self, fields: bytes) -> None:
        self._packets.append(content(1, fields + number(10, SEQUENCE)))

    @property
    def bytes(self) -> bytes:
        """The file."""
        return b"".join(self._packets)


def _annotation(key: str, value: object) -> bytes:
    if isinstance(value, int) and value >= 0:
        return content(10, key) + number(3, value)
    return content(10, key) + content(6, str(value))


_open: list[Timeline] = []


@contextmanager
def trace_scope(filename: str | os.PathLike[str] | None) -> Iterator[None]:
    """Write what runs meanwhile to a file; None: nothing."""
    if filename is None:
        yield
        return
    timeline = Timeline()
    _open.append(timeline)
    try:
        yield
    finally:
        _open.remove(timeline)
        write_file(Path(filename), timeline.bytes)


@contextmanager
def span(title: str, track: int = HOST, **notes: object) -> Iterator[None]:
    """Something that takes time, in all traces that are open."""
    timelines = list(_open)
    for timeline in timelines:
        timeline.begin(title, track, notes)
    try:
        yield
    finally:
        for timeline in timelines:
            timeline.end(track)
