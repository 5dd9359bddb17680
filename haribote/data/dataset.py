"""The data set to train on: real MNIST where it can be had, else synthetic digits; and the order of its batches.

`load("auto")` takes the first of: the folder named by HARIBOTE_DATA, the folder `data/mnist` that comes with a bundle,
the user's cache, a download from public mirrors, the synthetic digits. Whoever prints `Dataset.origin` says which one
it was.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from haribote.data import digits, mnist
from haribote.data.mnist import DataError
from haribote.errors import HariboteError
from haribote.network import BATCH, Network, network_of
from simulator.archives import NPZ_ERRORS
from simulator.cache import cache_folder
from simulator.files import FileError, write_file
from simulator.messages import say, shown, tr

__all__ = ["DataError", "Dataset", "batch_order", "load", "normalise"]

BUNDLED = Path(__file__).resolve().parents[2] / "data" / "mnist"  # `make bundle` brings it along
SYNTHETIC_SIZES = (10_000, 2_000)  # training and test images
SYNTHETIC_CACHE = "synthetic-1.npz"  # a new number when haribote/data/digits.py draws other images

# In "auto" a missing network must not keep anyone waiting: the synthetic digits will do.
ANSWER_SECONDS = 4.0
FINISH_SECONDS = 45.0
QUIET_SECONDS = 600.0  # after a failed download, for so long no other is tried


@dataclass(frozen=True, slots=True)
class Dataset:
    """Images, uint8 [n, 28, 28] (of `pooling.at_side`: fewer pixels), 0 (background) to 255; labels, int64 [n], 0..9.

    `name` is "mnist" or "synthetic"; `origin` is a sentence for the user: which set this is, and where it came from.
    """

    name: str
    origin: str
    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]


def to_stderr(text: str) -> None:
    """Print one line of progress where it does not mix with results."""
    say(text, file=sys.stderr, flush=True)


def load(source: str | Path = "auto", *, say: Callable[[str], None] = to_stderr) -> Dataset:
    """The data set named by `source`: "auto", "mnist", "synthetic", or a folder with the four files of MNIST.

    "mnist" is "auto" without the synthetic digits: it fails where MNIST cannot be had. `say` is told what takes time.

    Raises:
        DataError: a file is missing, truncated or altered (named in the message), or MNIST cannot be fetched.
    """
    if source == "synthetic":
        return _synthetic(tr("as you asked"), say)
    if source not in ("auto", "mnist"):
        return _from_folder(Path(source), tr("the folder you named"))
    if named := os.environ.get("HARIBOTE_DATA"):
        return _from_folder(Path(named), tr("named by HARIBOTE_DATA"))
    if _is_whole(BUNDLED):
        return _from_folder(BUNDLED, tr("which came with the course"))
    if source == "mnist":
        fetch(say=say)
        return _from_folder(cache_folder() / "mnist", tr("the cache"))
    try:
        return _from_cache_or_mirrors(say)
    except (HariboteError, FileError) as error:
        say(shown(error.message.partition("\n")[0]).rstrip(":："))  # `haribote data fetch` tells every mirror's reason
        return _synthetic(tr("because real MNIST is neither in the cache nor to be downloaded now"), say)


def fetch(*, say: Callable[[str], None] = to_stderr) -> Path:
    """Make sure that the cache has MNIST, downloading what is missing or damaged. Returns the folder.

    Raises:
        DataError: no mirror gave good files.
        FileError: the cache cannot be written.
    """
    folder = cache_folder() / "mnist"
    mnist.fetch(folder, say=say)
    return folder


def mnist_folder() -> Path | None:
    """Where MNIST's files are already: named by HARIBOTE_DATA, come with the course, or in the cache; else None."""
    named = os.environ.get("HARIBOTE_DATA")
    candidates = [mnist.find_folder(Path(named)) if named else None, BUNDLED, cache_folder() / "mnist"]
    return next((folder for folder in candidates if folder and _is_whole(folder)), None)


def _is_whole(folder: Path) -> bool:
    return all(mnist.locate(folder, file) for file in mnist.FILES)


def normalise(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The network's input: uint8 [n, 28, 28] or [n, 784] -> float32 [n, 784], (x / 255 - 0.1307) / 0.3081.

    Images of 4x4 pixels become float32 [n, 16], with the mean and the deviation of `network.SMALL`.
    """
    pixels = images.reshape(len(images), -1)
    return _normalised(pixels, network_of(pixels.shape[1]))


def _normalised(pixels: NDArray[np.uint8], network: Network) -> NDArray[np.float32]:
    result = np.array(pixels, np.float32)
    result /= np.float32(255)  # in place: 60,000 images are 188 MB
    result -= np.float32(network.mean)
    result /= np.float32(network.deviation)
    return result


class NormalisedImages(np.lib.mixins.NDArrayOperatorsMixin):
    """An array float32 [n, pixels] of normalised images, of which only the parts that are read are ever computed.

    It can be used wherever that array can: all 60,000 images would take 188 MB.
    """

    def __init__(self, raw: NDArray[np.uint8]) -> None:
        """raw: uint8 [n, height, width]."""
        self._pixels = raw.reshape(len(raw), -1)
        self.shape, self.ndim, self.size = self._pixels.shape, self._pixels.ndim, self._pixels.size
        self.dtype = np.dtype(np.float32)
        self._network = network_of(self.shape[1])

    def __len__(self) -> int:
        return len(self._pixels)

    def __getitem__(self, key: Any) -> Any:
        """What NumPy's indexing gives: the rows of a batch, an image, a pixel."""
        found = _normalised(self._pixels[key], self._network)
        return found if found.ndim else found[()]

    def __iter__(self) -> Iterator[NDArray[np.float32]]:
        return (_normalised(row, self._network) for row in self._pixels)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """The whole array; always a new one."""
        return _normalised(self._pixels, self._network).astype(dtype or self.dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        whole = [np.asarray(value) if isinstance(value, NormalisedImages) else value for value in inputs]
        return getattr(ufunc, method)(*whole, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Methods of the whole array: `reshape`, `mean`, `copy`, …"""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)


def batch_order(count: int, *, seed: int, epoch: int, batch: int = BATCH) -> NDArray[np.int64]:
    """Which image is where in one epoch: indices below `count`, int64 [count // batch, batch]; the rest is left out.

    The same for every backend, machine and version of NumPy: it sorts the raw stream of PCG64, which never changes.

    Raises:
        DataError: there is not even one whole batch.
    """
    if count < batch:
        raise DataError(
            tr("a batch has {batch} images, but there are only {count}", batch, count), tr("take a smaller batch")
        )
    raw = np.random.PCG64(np.random.SeedSequence([seed, epoch])).random_raw(count)
    return np.argsort(raw, kind="stable")[: count // batch * batch].reshape(-1, batch)


def _from_folder(folder: Path, how: str) -> Dataset:
    place = mnist.find_folder(folder)
    if place is None:
        raise DataError(
            tr("{folder} ({how}) has none of MNIST's files", folder, how)
            if folder.is_dir()
            else tr("{folder} ({how}) is not a folder", folder, how),
            tr("name a folder with {value} (as they are or as .gz)", ", ".join(file.name for file in mnist.FILES)),
        )
    return Dataset(
        "mnist",
        tr("MNIST, 60,000 training and 10,000 test images, from {place} ({how})", place, how),
        mnist.read(place, mnist.TRAIN_IMAGES),
        mnist.read(place, mnist.TRAIN_LABELS).astype(np.int64),
        mnist.read(place, mnist.TEST_IMAGES),
        mnist.read(place, mnist.TEST_LABELS).astype(np.int64),
    )


def _from_cache_or_mirrors(say: Callable[[str], None]) -> Dataset:
    """MNIST of the cache, or downloaded to it without much patience; a damaged file is named, then fetched again."""
    folder = cache_folder() / "mnist"
    if _is_whole(folder):
        try:
            return _from_folder(folder, tr("the cache"))
        except DataError as error:
            say(error.message)
    _download_impatiently(folder, say)
    return _from_folder(folder, tr("downloaded to the cache"))


def _download_impatiently(folder: Path, say: Callable[[str], None]) -> None:
    """Download, but not if that failed only minutes ago: each notebook would wait again."""
    failure = cache_folder() / "download-failed"
    if failure.exists() and time.time() - failure.stat().st_mtime < QUIET_SECONDS:
        raise DataError(tr("MNIST is not downloaded: the last try failed less than ten minutes ago"))
    try:
        mnist.fetch(folder, answer_within=ANSWER_SECONDS, finish_within=FINISH_SECONDS, say=say)
    except DataError:
        write_file(failure, b"")
        raise


def _synthetic(reason: str, say: Callable[[str], None]) -> Dataset:
    train, test = SYNTHETIC_SIZES
    origin = tr(
        "synthetic digits, {train:,} training and {test:,} test images, drawn with matplotlib's fonts, {reason}",
        train,
        test,
        reason,
    )
    path = cache_folder() / SYNTHETIC_CACHE
    arrays = _read_synthetic(path)
    if arrays is None:
        say(tr("drawing the synthetic digits (once, a few seconds)"))
        arrays = [array for seed, count in enumerate(SYNTHETIC_SIZES) for array in digits.draw(count, seed)]
        _keep(path, arrays, say)
    return Dataset("synthetic", origin, *arrays)


def _read_synthetic(path: Path) -> list[NDArray[Any]] | None:
    """The cached arrays, or None where there are none or they are damaged (the archive has checksums)."""
    try:
        with np.load(path) as archive:
            arrays = [archive[f"arr_{i}"] for i in range(4)]
    except NPZ_ERRORS:
        return None
    return arrays if [len(array) for array in arrays] == [n for n in SYNTHETIC_SIZES for _ in range(2)] else None


def _keep(path: Path, arrays: list[NDArray[Any]], say: Callable[[str], None]) -> None:
    content = io.BytesIO()
    np.savez_compressed(content, *arrays)
    try:
        write_file(path, content.getvalue())
    except FileError as error:  # drawing them again next time is only slower
        say(error.message)
