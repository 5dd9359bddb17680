"""Data: which set is taken, what is refused, the order of batches, and the command that shows it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from haribote.commands.data_command import data_command
from haribote.data import dataset as data
from haribote.data import mnist
from haribote.data.dataset import DataError, batch_order, load, normalise
from tests.haribote.data.mirrors import Server, page, silent

# --- which set is taken -------------------------------------------------------------------------------------------


def test_folder_is_read_plain_or_compressed(folder: Path) -> None:
    dataset = load(folder, say=silent)
    assert dataset.name == "mnist" and str(folder) in dataset.origin
    assert dataset.train_images.shape == (24, 28, 28) and dataset.train_images.dtype == np.uint8
    assert dataset.test_labels.tolist() == [value % 10 for value in range(24)] and dataset.test_labels.dtype == np.int64
    assert dataset.train_images[0, 0].tolist() == [value % 10 for value in range(28)]


def test_folder_of_other_tools_is_found(folder: Path, tmp_path: Path) -> None:
    raw = tmp_path / "torchvision" / "MNIST" / "raw"
    raw.parent.mkdir(parents=True)
    folder.rename(raw)
    assert str(raw) in load(tmp_path / "torchvision", say=silent).origin


def test_auto_prefers_the_named_folder(folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_DATA", str(folder))
    monkeypatch.setenv("HARIBOTE_MIRROR", server.url)
    assert "HARIBOTE_DATA" in load(say=silent).origin
    assert server.paths == []


def test_a_wrong_named_folder_is_an_error_not_a_fallback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"nowhere .*HARIBOTE_DATA.* is not a folder"):
        load(say=silent)
    with pytest.raises(DataError, match="has none of MNIST's files"):
        load(tmp_path, say=silent)


def test_auto_downloads_once_then_takes_the_cache(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_MIRROR", server.url)
    assert "downloaded" in load(say=silent).origin
    assert len(server.paths) == 4
    assert "cache" in load(say=silent).origin
    assert load("mnist", say=silent).name == "mnist"
    assert len(server.paths) == 4


def test_auto_falls_back_to_synthetic_and_does_not_ask_again(
    server: Server, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setattr(data, "SYNTHETIC_SIZES", (40, 20))
    monkeypatch.setenv("HARIBOTE_MIRROR", server.url)
    server.replies = [page] * mnist.ROUNDS
    said: list[str] = []
    dataset = load(say=said.append)
    assert dataset.name == "synthetic" and "real MNIST" in dataset.origin
    assert any(line.startswith("no mirror gave") for line in said) and "\n" not in "".join(said)
    assert load(say=silent).name == "synthetic"
    assert len(server.paths) == mnist.ROUNDS
    with pytest.raises(DataError, match=r"(?s)no mirror gave a good train-images.*(altered|truncated)"):
        server.replies = [page] * mnist.ROUNDS
        load("mnist", say=silent)


# --- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda gz: gz[:-30], "truncated"),
        (lambda gz: gzip.compress(gzip.decompress(gz)[:-5]), r"truncated: it has 27 of 32 bytes"),
        (lambda gz: gzip.compress(gzip.decompress(gz)[:-1] + b"\x01"), "altered: its SHA-256"),
        (lambda gz: gzip.compress(gzip.decompress(gz) + b"\x01"), "altered: its SHA-256"),
        (lambda gz: gz[:12] + b"\xff\xff\xff" + gz[15:], "altered: it cannot be decompressed"),
        (lambda gz: b"", "truncated"),
    ],
)
def test_damaged_file_is_named_and_refused(folder: Path, damage: Callable[[bytes], bytes], reason: str) -> None:
    path = folder / f"{mnist.TEST_LABELS.name}.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=reason) as caught:
        load(folder, say=silent)
    assert str(path) in str(caught.value) and "not used" in str(caught.value)


def test_missing_file_is_named(folder: Path) -> None:
    (folder / f"{mnist.TEST_IMAGES.name}.gz").unlink()
    with pytest.raises(DataError, match=f"has no {mnist.TEST_IMAGES.name}"):
        load(folder, say=silent)


def test_damaged_cache_is_named_and_fetched_again(server: Server, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setenv("HARIBOTE_MIRROR", server.url)
    load(say=silent)
    path = cache / "mnist" / f"{mnist.TRAIN_LABELS.name}.gz"
    path.write_bytes(path.read_bytes()[:10])
    said: list[str] = []
    assert load(say=said.append).name == "mnist"
    assert str(path) in said[0]
    assert server.paths[4:] == [f"/mnist/{path.name}"]  # only the damaged one


def test_an_unwritable_cache_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(data, "SYNTHETIC_SIZES", (40, 20))
    said: list[str] = []
    assert len(load("synthetic", say=said.append).train_images) == 40
    assert "cannot write" in said[-1]


@pytest.mark.slow
def test_synthetic_digits_are_drawn_once(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(data, "SYNTHETIC_SIZES", (40, 20))
    first = load("synthetic", say=silent)
    said: list[str] = []
    second = load("synthetic", say=said.append)
    assert said == []
    assert (first.train_images == second.train_images).all() and (first.test_labels == second.test_labels).all()
    path = cache / data.SYNTHETIC_CACHE
    path.write_bytes(path.read_bytes()[:-100])  # a damaged cache is drawn anew
    third = load("synthetic", say=said.append)
    assert "drawing" in said[0] and (first.test_images == third.test_images).all()


# --- normalisation and batch order --------------------------------------------------------------------------------


def test_normalise_equals_torch_to_the_bit() -> None:
    images = np.arange(256, dtype=np.uint8).repeat(784).reshape(-1, 28, 28)
    expected = (torch.from_numpy(images.reshape(-1, 784)).float().div(255)).sub(0.1307).div(0.3081)
    assert normalise(images).tobytes() == expected.numpy().tobytes()


def test_batch_order_of_mnist() -> None:
    order = batch_order(60_000, seed=42, epoch=0)
    assert order.shape == (234, 256)
    assert len(np.unique(order)) == 234 * 256 and order.min() >= 0 and order.max() < 60_000
    assert (order == batch_order(60_000, seed=42, epoch=0)).all()
    for other in (batch_order(60_000, seed=42, epoch=1), batch_order(60_000, seed=43, epoch=0)):
        assert (order == other).mean() < 0.001


def test_batch_order_never_changes() -> None:
    """Checkpoints are resumed, and accuracies quoted, with this very order."""
    assert batch_order(10, seed=42, epoch=3, batch=5).tolist() == [[0, 8, 6, 5, 1], [3, 7, 4, 2, 9]]


def test_batch_order_needs_one_whole_batch() -> None:
    with pytest.raises(DataError, match="a batch has 256 images, but there are only 255"):
        batch_order(255, seed=0, epoch=0)


# --- the command --------------------------------------------------------------------------------------------------


def test_command_shows(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert data_command("show", str(folder), tmp_path / "digits.png") == 0
    shown = capsys.readouterr().out
    assert str(folder) in shown and "digits.png" in shown
    assert (tmp_path / "digits.png").read_bytes().startswith(b"\x89PNG")


def test_command_fetches_and_verifies(
    server: Server, monkeypatch: pytest.MonkeyPatch, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HARIBOTE_MIRROR", server.url)
    assert data_command("verify", "auto") == 1
    assert data_command("fetch", "auto") == 0
    assert data_command("verify", "auto") == 0
    assert "4 of 4 files are good" in capsys.readouterr().out
    (cache / "mnist" / f"{mnist.TRAIN_LABELS.name}.gz").write_bytes(b"\x1f\x8b")
    assert data_command("verify", "auto") == 1
    assert "BAD" in capsys.readouterr().out


@pytest.mark.slow
def test_real_mnist(shared: Path) -> None:
    dataset = load(shared / "data" / "mnist", say=silent)
    assert dataset.train_images.shape == (60_000, 28, 28) and dataset.test_images.shape == (10_000, 28, 28)
    assert dataset.train_labels[:5].tolist() == [5, 0, 4, 1, 9] and dataset.test_labels[:5].tolist() == [7, 2, 1, 0, 4]
    assert normalise(dataset.train_images).mean() == pytest.approx(0, abs=1e-3)
