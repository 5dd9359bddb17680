"""The layouts between which moves are measured and tested: those of the kernel table, and others that plans use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from haribote.layout import LAYOUTS
from haribote.stack.maps import BitMap, dram
from haribote.stack.notation import of_layout, parse

_A = "(2:1, 4_PE:1, 2_W:1)"
"""Sixteen columns as most layouts of the table have them."""

TEXTS: Mapping[str, str] = {
    "16.mab": "((8_MAB:1, 2_W:1))",
    "16.pe": "((4:1, 4_PE:1))",
    "256.near": "((8_L1B:1, 4:1, 4_PE:1, 2_W:1))",
    "256.A": "((8_L2B:1, 4:1, 8_L1B:1))",
    "256.spread": "((8_L1B:1, 4_MAB:4, 4_PE:1, 2_W:1))",
    "16x16.mab": f"((16_MAB:1), {_A})",
    "256x16.near": "((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))",
    "256x16.mab": f"((8_L2B:1, 2:2, 16_MAB:1), {_A})",
    "256x16.rows": "((8_L2B:1, 8_L1B:1, 4_PE:1), (8:1, 2_W:1))",
    "64x16.A": f"((8_L2B:1, 8_L1B:1), {_A})",
    "64x16.P": f"((4_L2B:2, 16:2), {_A})",
    "64x16.B": f"((8_L2B:1, 8:2), {_A})",
    "512x16.A": f"((8_L2B:1, 8:2, 8_L1B:1), {_A})",
    "512x16.P": f"((4_L2B:2, 128:2), {_A})",
    "16x1024.columns": "((16:1), (8_L2B:1, 16_MAB:1, 4_PE:1, 2_W:1))",
    "256x1024.columns": "((8_L1B:1, 32:1), (8_L2B:1, 16_MAB:1, 4_PE:1, 2_W:1))",
    "1024": "((8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1))",
    "1024.columns": "((8_L2B:1, 16_MAB:1, 4_PE:1, 2_W:1))",
}
"""`near` and `columns` are the prototype's: a MAB per column, and columns over the L2Bs."""

TRANSPOSED = {
    "16x16.T": "16x16",
    "16x256.A.T": "256x16.A",
    "16x256.P.T": "256x16.P",
    "16x256.near.T": "256x16.near",
    "1024x16.T": "16x1024",
    "1024x16.columns.T": "16x1024.columns",
    "16x1024.T": "1024x16",
}
"""What a transposed matrix is in when nothing is moved."""


def collection() -> dict[str, BitMap]:
    """All layouts by name, those in DRAM as `256x16.dram`."""
    found = {name: of_layout(layout) for name, layout in LAYOUTS.items()}
    found |= {name: parse(text) for name, text in TEXTS.items()}
    found |= {name: found[other].transposed() for name, other in TRANSPOSED.items()}
    for shape in dict.fromkeys(layout.shape for layout in found.values()):
        found[f"{'x'.join(map(str, shape))}.dram"] = dram(shape)
    return found


def pairs() -> Iterator[tuple[str, str]]:
    """The names of all ordered pairs of layouts of the same tensor."""
    layouts = collection()
    for before, source in layouts.items():
        for after, target in layouts.items():
            if before != after and source.shape == target.shape:
                yield before, after
