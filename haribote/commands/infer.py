"""`haribote infer`: classify pictures of digits with a trained checkpoint."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.data.dataset import normalise
from haribote.data.pooling import pooled
from haribote.errors import HariboteError
from haribote.network import NETWORKS
from haribote.training.checkpoint import load_checkpoint
from haribote.training.train import Options, make_backend
from simulator.errors import reason_of
from simulator.files import write_file
from simulator.messages import say, tr

MOST_PIXELS = 1 << 24
"""Of a picture: 4,096 x 4,096."""


class ImageError(HariboteError):
    """A file is not a picture that we can read."""


def infer_command(
    images: Sequence[Path],
    backend: str,
    checkpoint: Path | None,
    solutions: bool,
    level: int = 0,
    precision: str = "float",
) -> int:
    """Print for each picture the digit, how sure the network is, and the runner-up; the exit status."""
    path = checkpoint or Path("runs") / backend / "checkpoint.npz"
    run, parameters = load_checkpoint(path)
    network = NETWORKS[run.network]
    pictures = pooled(np.stack([read_image(image).reshape(28, 28) for image in images]), network.side)
    options = Options(
        backend,
        path.parent,
        hidden=tuple(run.hidden),
        bias=run.bias,
        batch=run.batch,
        solutions=solutions,
        level=level,
        precision=precision,
        network=network,
    )
    machine = make_backend(options)
    machine.load(parameters)
    for image, row in zip(images, machine.logits(normalise(pictures)), strict=True):
        shares = np.exp(row - row.max())
        shares /= shares.sum()
        first, second = np.argsort(shares)[::-1][:2]
        say(f"{image}: {first}  ({100 * shares[first]:.1f} %; next {second}, {100 * shares[second]:.1f} %)")
    return 0


def write_picture(image: NDArray[np.uint8], path: Path) -> None:
    """Write one image of the data set, [28, 28], as a PNG that `infer` reads back unchanged."""
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(image).save(content, format="PNG")
    write_file(path, content.getvalue())


def _reason(error: Exception) -> str:
    return reason_of(error) if isinstance(error, OSError) else str(error)


@contextmanager
def _at_most(path: Path, most: int) -> Iterator[Any]:
    """A picture, opened, nothing of it read. Raises ImageError where it says that it has more pixels."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            opened = Image.open(path)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(path, most) from error
    with opened as file:
        if file.width * file.height > most:
            raise _too_large(path, most)
        yield file


def _too_large(path: Path, most: int) -> ImageError:
    return ImageError(tr("{path} has more than {most:,} pixels", path, most), tr("a smaller picture of one digit"))


def read_image(path: Path) -> NDArray[np.uint8]:
    """A picture as MNIST has it: 784 values 0 to 255, bright digit on dark, 28x28, the digit centred in 20x20.

    Any size up to MOST_PIXELS and any background are accepted. Raises ImageError for a file that is no picture.
    """
    from PIL import Image

    try:
        with _at_most(path, MOST_PIXELS) as file:
            grey = np.asarray(file.convert("L"), np.float32)
    except ImageError:
        raise
    except Exception as error:  # a broken picture fails in PIL as it comes
        raise ImageError(
            tr("cannot read {path} as a picture: {error}", path, _reason(error)), tr("a PNG or JPEG of one digit")
        ) from error
    border = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    if np.median(border) > 127:
        grey = 255 - grey
    if grey.shape == (28, 28):
        return grey.astype(np.uint8).ravel()
    rows, columns = (np.flatnonzero((grey > 64).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        raise ImageError(
            tr("{path}: there is nothing to see, the whole picture has one brightness", path),
            tr("a picture of a digit"),
        )
    digit = Image.fromarray(grey[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.uint8))
    scale = 20 / max(digit.size)
    small = digit.resize((max(1, round(digit.width * scale)), max(1, round(digit.height * scale))))
    page = Image.new("L", (28, 28))
    page.paste(small, ((28 - small.width) // 2, (28 - small.height) // 2))
    return np.asarray(page, np.uint8).ravel()
