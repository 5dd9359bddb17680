"""`haribote data`: show which data set a run would use, fetch MNIST into the cache, verify its files."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib import image
from numpy.typing import NDArray

from haribote.data import mnist
from haribote.data.dataset import DataError, Dataset, fetch, load
from simulator.cache import cache_folder
from simulator.columns import left
from simulator.files import write_file
from simulator.messages import say, tr

SHADES = " .:-=+*#%@"  # background to full ink


def data_command(action: Literal["show", "fetch", "verify"], source: str, picture: Path | None = None) -> int:
    """Carry out `haribote data ACTION --data SOURCE [--picture FILE.png]`; returns the exit status.

    That is 1 if `verify` finds a bad file, else 0.

    Raises:
        HariboteError: as `haribote.data.dataset.load` and `fetch`.
    """
    if action == "verify":
        return _verify(_folder_to_verify(source))
    if action == "fetch":
        say(tr("MNIST is complete in {fetch}", fetch()))
        return 0
    dataset = load(source)
    say(describe(dataset))
    if picture:
        write_file(picture, _picture(dataset))
        say(tr("Picture: {picture}", picture))
    return 0


def describe(dataset: Dataset) -> str:
    """The origin, how many images there are of each digit, and the first images drawn with characters."""
    counts = [np.bincount(labels, minlength=10) for labels in (dataset.train_labels, dataset.test_labels)]
    lines = [
        tr("Data: {origin}", dataset.origin),
        "",
        left(tr("digit"), 10) + "".join(f"{digit:>7}" for digit in range(10)),
    ]
    for name, count in zip((tr("train"), tr("test")), counts, strict=True):
        lines.append(left(name, 10) + "".join(f"{n:>7,}" for n in count))
    return "\n".join([*lines, "", *_characters(dataset.train_images[:4])])


def _characters(images: NDArray[np.uint8]) -> list[str]:
    """The images side by side in text; a character is about twice as high as wide, so every other row is left out."""
    row_of_images = np.concatenate(list(images[:, ::2]), axis=1)
    return ["".join(SHADES[value * len(SHADES) // 256] for value in row).rstrip() for row in row_of_images.tolist()]


def _picture(dataset: Dataset, columns: int = 24) -> bytes:
    """A PNG with one row per digit, each pixel twice as large."""
    columns = min(columns, *np.bincount(dataset.train_labels, minlength=10).tolist())
    rows = [list(dataset.train_images[dataset.train_labels == digit][:columns]) for digit in range(10)]
    grid = np.concatenate([np.concatenate(row, axis=1) for row in rows])
    png = io.BytesIO()
    image.imsave(png, np.kron(grid, np.ones((2, 2), np.uint8)), cmap="gray", vmin=0, vmax=255, format="png")
    return png.getvalue()


def _folder_to_verify(source: str) -> Path:
    if source == "synthetic":
        raise DataError(tr("the synthetic digits have no files to verify"), tr("verify MNIST: haribote data verify"))
    named = source if source not in ("auto", "mnist") else os.environ.get("HARIBOTE_DATA", cache_folder() / "mnist")
    return mnist.find_folder(Path(named)) or Path(named)


def _verify(folder: Path) -> int:
    good = 0
    for file in mnist.FILES:
        try:
            mnist.read(folder, file)
            say(tr("ok   {file}", mnist.locate(folder, file)))
            good += 1
        except DataError as error:
            say(tr("BAD  {message}", error.message))
    say(tr("{good} of {files} files are good", good, len(mnist.FILES)))
    return 0 if good == len(mnist.FILES) else 1
