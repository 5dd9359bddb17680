"""Runs programs natively on the memories of a machine: no state of its own but what NumPy leaves shapeless.

The C++ engine works on the NumPy arrays in place. Forwarding paths and the turnaround register have fixed shapes there;
they are copied once where the NumPy engine, which keeps whatever a unit put out, has written them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from ctypes import byref
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine.native import build, records
from simulator.engine.native.encode import Encoded, Section, encoded, encoded_singly
from simulator.engine.state import rows
from simulator.engine.state.elements import fit
from simulator.engine.state.memories import Dram, Memories
from simulator.isa import ALL_L1BS, ALL_PES
from simulator.isa import program as p

Run = Callable[[Memories], Any]

_ROWS: Mapping[str, int] = {**dict.fromkeys((*records.CODES["Bank"], "t", "omr"), -1), "mx": 1, "my": 1}
"""The memories that lie in rows, and the axis along a row."""


@lru_cache(maxsize=1)
def library() -> Any:
    """The compiled engine, built on first use. Raises build.BuildError."""
    return build.load()


def thread_count() -> int:
    """Threads that share the four groups, as many as there are processors for."""
    affinity = getattr(os, "sched_getaffinity", None)  # what this process may use; not known on every system
    return min(len(affinity(0)) if affinity else os.cpu_count() or 1, isa.GROUPS)


class Engine:
    """The native engine of one machine."""

    def __init__(self, threads: int = 0) -> None:
        """threads: 0 for `thread_count`. Raises build.BuildError where there is no library and none can be built."""
        self._library = library()
        self._threads = threads or thread_count()
        self._paths = {name: rows.zeros((4, 4, ALL_PES), np.uint32) for name in records.CODES["Path"]}
        self._turnaround = np.zeros((ALL_L1BS, isa.TURNAROUND_LONGS), np.uint64)
        self._held: NDArray[np.uint64] | None = None  # the view of it that the machine has
        self._dram: tuple[Dram, ...] = ()
        self._pages = np.zeros((isa.GROUPS, isa.DRAM_LONGS // Dram.PAGE), np.uint64)
        self._pointers = records.Pointers()

    def pieces(
        self, memories: Memories, program: p.Program, fallback: Callable[[int], Run], single: bool
    ) -> Iterator[tuple[p.Line, Run]]:
        """What executes the program: functions of the memories, each with the last line it stands for.

        fallback: the NumPy engine's function of a line, by its number. single: a function for every line, not for many.
        """
        code = encoded_singly(program) if single else encoded(program)
        self._attach(memories)
        self._create_pages(memories, code)
        for piece in code.pieces:
            line = program.lines[piece.last - 1]
            if piece.native:
                yield line, self._native(code, piece)
            else:
                yield line, fallback(piece.first)

    def _native(self, code: Encoded, piece: Section) -> Run:
        def run(memories: Memories) -> None:
            self._take_over(memories)
            self._find_pages(memories, code)
            self._library.haribote_run(byref(self._pointers), byref(code.program), *piece.records, self._threads)
            if piece.holds is not None:
                name, count = piece.holds
                self._held = self._turnaround[:, :count]
                memories.turnaround = (name, self._held)

        return run

    # --- pointers ----------------------------------------------------------------------------------------------------

    def _attach(self, memories: Memories) -> None:
        """Point at the memories; arrays that do not lie as the engine knows them are replaced by copies that do."""

        def address(name: str) -> int:
            array = getattr(memories, name)
            placed = rows.in_rows(array, _ROWS[name]) if name in _ROWS else np.require(array, requirements=["C", "W"])
            if placed is not array:
                setattr(memories, name, placed)
            return int(placed.ctypes.data)

        pointers = self._pointers
        pointers.banks[:] = [address(name) for name in records.CODES["Bank"]]
        pointers.bases[:] = [address("bar0"), address("bar1")]
        pointers.matrices[:] = [address("mx"), address("my")]
        for name in ("t", "omr", "l1bm", "l2bm", "pdm"):
            setattr(pointers, name, address(name))
        pointers.paths[:] = [int(path.ctypes.data) for path in self._paths.values()]
        pointers.turnaround = int(self._turnaround.ctypes.data)
        pointers.pages = int(self._pages.ctypes.data)

    def _take_over(self, memories: Memories) -> None:
        """Copy forwarding paths and turnaround register where they are not ours."""
        for name, path in self._paths.items():
            value = memories.paths[name]
            if value is not path:
                path[...] = fit(value, 4)
                memories.paths[name] = path
        if memories.turnaround is not None and memories.turnaround[1] is not self._held:
            name, block = memories.turnaround
            self._turnaround[:, : block.shape[1]] = block
            self._held = self._turnaround[:, : block.shape[1]]
            memories.turnaround = (name, self._held)

    def _create_pages(self, memories: Memories, code: Encoded) -> None:
        """The DRAM pages that the program writes."""
        if memories.dram is not self._dram:
            self._dram = memories.dram
            self._pages[...] = 0
        for group, page in code.written:
            if not self._pages[group, page]:
                self._pages[group, page] = memories.dram[group].page(page).ctypes.data

    def _find_pages(self, memories: Memories, code: Encoded) -> None:
        """The DRAM pages that the program reads, as far as they exist; they never move."""
        for group, page in code.read:
            if not self._pages[group, page] and memories.dram[group].has_page(page):
                self._pages[group, page] = memories.dram[group].page(page).ctypes.data
