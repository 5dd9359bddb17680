"""Moving pictures: their frames, their colours, and where disks come in again."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks.jax_programs.moving import SHADES, field, particles
from haribote.errors import HariboteError


def groups(text: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(text).findall("{http://www.w3.org/2000/svg}g")


def test_each_frame_is_there_once_and_waits_for_its_turn() -> None:
    text = particles(np.zeros((5, 3, 2)), 10, "three disks", seconds=5).text
    delays = [re.findall(r"[\d.]+", group.attrib["style"]) for group in groups(text)]
    assert delays == [[f"{n}.000"] for n in range(5)]
    assert "prefers-reduced-motion" in text and 'aria-label="three disks"' in text


def test_a_disk_on_the_edge_is_drawn_on_both_sides() -> None:
    frames = np.array([[[5.0, 5.0], [9.9, 5.0]]])
    (points,) = {line.attrib["points"] for group in groups(particles(frames, 10, "").text) for line in group}
    assert sorted(points.split()) == ["-3,160", "160,160", "317,160"]


def shades(image: str) -> np.ndarray:
    """The numbers of the colours of a PNG without filters."""
    content, at, rows = base64.b64decode(image.partition(",")[2]), 8, b""
    width, height = struct.unpack(">II", content[16:24])
    while at < len(content):
        size, kind = struct.unpack(">I4s", content[at : at + 8])
        rows += content[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        assert struct.unpack(">I", content[at + 8 + size : at + 12 + size])[0] == zlib.crc32(
            content[at + 4 : at + 8 + size]
        )
        at += 12 + size
    return np.frombuffer(zlib.decompress(rows), np.uint8).reshape(height, width + 1)[:, 1:]


def test_a_field_is_shown_with_its_first_axis_to_the_right_and_the_second_upwards() -> None:
    frames = np.zeros((2, 3, 2))
    frames[1, 2, 0], frames[0, 0, 1] = 1.0, 0.5  # at the right below, at the left above
    first, second = (shades(group[0].attrib["href"]) for group in groups(field(frames, "").text))
    assert second.tolist() == [[0, 0, 0], [0, 0, SHADES - 1]]
    assert first.tolist() == [[round(0.5 * (SHADES - 1)), 0, 0], [0, 0, 0]]


def test_pictures_of_one_page_leave_each_other_alone() -> None:
    texts = [field(np.zeros((count, 2, 2)), "", seconds=seconds).text for count, seconds in ((2, 1), (3, 1), (2, 2))]
    names = [set(re.findall(r"hbm[\d-]+", text)) for text in texts]
    assert all(len(name) == 1 for name in names) and len(set.union(*names)) == 3


def test_other_shapes_are_refused() -> None:
    for wrong in (np.zeros((3, 2)), np.zeros((0, 4, 2))):
        with pytest.raises(HariboteError, match="frames are"):
            particles(wrong, 1, "")
        with pytest.raises(HariboteError, match="frames are"):
            field(wrong, "")
    with pytest.raises(HariboteError, match="frames are positions"):
        particles(np.zeros((2, 4, 3)), 1, "")
