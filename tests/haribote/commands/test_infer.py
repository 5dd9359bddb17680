"""`haribote infer`: images of any size, classified with a checkpoint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from haribote.commands.cli import main
from haribote.commands.infer import ImageError, read_image, write_picture
from haribote.data.dataset import Dataset
from haribote.training import train
from tests.haribote.commands.front_doors import png
from tests.haribote.run_options import options


def test_images_of_any_size_and_background_are_read(tmp_path: Path) -> None:
    from PIL import Image

    digit = np.zeros((28, 28), np.uint8)
    digit[4:24, 10:18] = 255
    write_picture(digit, tmp_path / "small.png")
    assert np.array_equal(read_image(tmp_path / "small.png"), digit.ravel())
    large = np.full((300, 200), 250, np.uint8)
    large[50:250, 60:140] = 5
    Image.fromarray(large).save(tmp_path / "large.png")
    assert np.array_equal(read_image(tmp_path / "large.png") > 127, digit.ravel() > 127)
    Image.fromarray(np.zeros((50, 50), np.uint8)).save(tmp_path / "empty.png")
    with pytest.raises(ImageError, match="nothing to see"):
        read_image(tmp_path / "empty.png")
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(ImageError, match="as a picture"):
        read_image(tmp_path / "text.png")


@pytest.mark.parametrize("size", [(60_000, 60_000), (10_000, 10_000), (5_000, 5_000)])
def test_a_picture_that_says_it_is_huge_is_not_read(size: tuple[int, int], tmp_path: Path) -> None:
    (tmp_path / "huge.png").write_bytes(png(*size))
    with pytest.raises(ImageError, match="more than 16,777,216 pixels"):
        read_image(tmp_path / "huge.png")


def test_a_broken_picture_is_told(tmp_path: Path) -> None:
    whole = png(30, 30)
    for at in (20, 35, 45, len(whole) - 20):
        (tmp_path / "broken.png").write_bytes(whole[:at] + bytes(5) + whole[at + 5 :])
        with pytest.raises(ImageError, match=r"as a picture|more than|nothing to see"):
            read_image(tmp_path / "broken.png")
        (tmp_path / "broken.png").write_bytes(whole[:at])
        with pytest.raises(ImageError, match=r"as a picture|nothing to see"):
            read_image(tmp_path / "broken.png")


@pytest.mark.slow
def test_infer_classifies_with_the_checkpoint(
    digits: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train.train(options(tmp_path, epochs=8), digits, lambda line: None)
    pictures = [tmp_path / f"{number}.png" for number in range(3)]
    for number, picture in enumerate(pictures):
        write_picture(digits.train_images[number], picture)
    arguments = ["infer", *map(str, pictures), "--checkpoint", str(tmp_path / "checkpoint.npz"), "--backend"]
    for backend in (["torch"], ["sim", "--solutions", "-O1"]):
        assert main([*arguments, *backend]) == 0
        found = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
        assert found == [str(label) for label in digits.train_labels[:3]]
