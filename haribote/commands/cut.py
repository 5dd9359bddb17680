"""`haribote cut`: what of a graph runs on the chip, what on the host and why, and what crosses between them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from haribote.frontend.onnx_file import read
from haribote.graph import save
from haribote.partition.cut import cut
from haribote.partition.picture import cut_picture
from simulator.messages import tr


def cut_command(
    path: Path, sizes: Mapping[str, int], precision: str, by_cost: bool, svg: Path | None, folder: Path | None
) -> str:
    """The table of an ONNX file's cut; with `svg` also a drawing, with `folder` also each piece as an ONNX file.

    Raises:
        HariboteError: the file is no graph of ours, or nothing on the host runs what the chip refuses.
    """
    model = read(path, sizes)
    found = cut(model, precision, by_cost)
    text = found.table()
    if svg is not None:
        cut_picture(found, path.stem).save(svg)
        text += tr("\nwrote {svg}", svg)
    if folder is not None:
        for number, piece in enumerate(found.pieces, 1):
            save(piece.model, folder / f"{number}_{piece.side}.onnx")
        text += tr("\nwrote {pieces} graphs to {folder}", len(found.pieces), folder)
    return text
