"""What LM and DRAM hold, as a file: the operands of a step, to be put into a machine again."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.archives import NPZ_ERRORS
from simulator.engine.state.contents import ranges
from simulator.engine.state.memories import Dram, Memories
from simulator.errors import SimulatorError
from simulator.files import read_bytes
from simulator.isa import LM_WORDS
from simulator.messages import tr

_LM = ("lm0", "lm1")


def snapshot(memories: Memories) -> bytes:
    """LM and DRAM as a compressed npz: addresses whose words are not all zero, and what stands there."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in _LM:
        memory = getattr(memories, name)
        rows = np.flatnonzero(memory.any(axis=1))
        arrays |= {f"{name}_addresses": rows, name: memory[rows]}
    for group, dram in enumerate(memories.dram):
        pages = [(Dram.PAGE * number, dram.page(number)) for number in dram.pages()]
        used = [np.flatnonzero(page) for _, page in pages]
        none = [np.zeros(0, np.int64)]
        arrays[f"dram{group}_addresses"] = np.concatenate(
            [*none, *(f + a for (f, _), a in zip(pages, used, strict=True))]
        )
        values = [page[a] for (_, page), a in zip(pages, used, strict=True)]
        arrays[f"dram{group}"] = np.concatenate([np.zeros(0, np.uint64), *values])
    file = io.BytesIO()
    save: Any = np.savez_compressed  # its stubs take the names of arrays for options
    save(file, **arrays)
    return file.getvalue()


def restore(memories: Memories, path: Path) -> None:
    """Put what a file of `snapshot` holds into a machine; other words stay. Raises SimulatorError for another file."""
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as arrays:
            for name in _LM:
                getattr(memories, name)[_within(arrays[f"{name}_addresses"], LM_WORDS)] = arrays[name]
            for group, dram in enumerate(memories.dram):
                addresses, values = arrays[f"dram{group}_addresses"], arrays[f"dram{group}"].astype(np.uint64)
                done = 0
                for start, count in ranges(addresses):
                    dram.write(start, values[done : done + count])
                    done += count
    except NPZ_ERRORS as error:
        raise SimulatorError(
            tr("{path} does not hold what memories hold: {error}", path, error), tr("the file of `haribote compile`")
        ) from None


def _within(addresses: NDArray[Any], size: int) -> NDArray[Any]:
    if len(addresses) and not 0 <= int(addresses.min()) <= int(addresses.max()) < size:
        raise ValueError(tr("an address beyond {size}", size))
    return addresses
