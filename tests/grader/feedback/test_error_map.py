"""The picture of a failure: cells against the error, marks against the layout, numbers against the arrays."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

from grader.feedback.error_map import CLASSES, Scale, error_map
from grader.feedback.failure import Failure
from grader.feedback.pictures import first_unit, over_machine
from grader.result import Result
from grader.rigs.kernel_cases import kernel_cases
from haribote.kernel_table import KERNELS
from haribote.layout import LAYOUTS, LEVELS
from simulator.pictures.grids import pooled

SVG = "{http://www.w3.org/2000/svg}"
Floats = NDArray[np.float64]


def failure(error: Floats, received: Floats | None = None, **rest: object) -> Failure:
    expected = np.zeros(error.shape, np.float32)
    shown = error.astype(np.float32) if received is None else received
    return Failure("a case", "", "seen", "", {}, expected, shown, error, **rest)  # type: ignore[arg-type]


def grid(root: ElementTree.Element, name: str, rows: int, columns: int) -> list[NDArray[np.str_]]:
    """The cells of a named part: one grid for the tensor, 64 for the machine."""
    (part,) = [element for element in root.iter() if element.get("data-name") == name]
    found = []
    for group in [part] if name == "tensor" else [group for group in part if group.tag == f"{SVG}g"]:
        cells = np.full((rows, columns), "", "<U8")
        for path in (path for path in group.iter(f"{SVG}path") if path.get("transform")):
            for first, top, last, bottom in re.findall(r"M(\d+) (\d+)H(\d+)V(\d+)", path.get("d", "")):
                cells[int(top) : int(bottom), int(first) : int(last)] = path.get("class", "")
        found.append(cells)
    return found


def test_wrong_elements_and_their_pes_are_coloured_and_no_others() -> None:
    layout = LAYOUTS["256x16.A"]
    error = np.zeros((256, 16))
    error[16:24, 3], error[200, 15] = 0.5, np.inf
    machine = np.zeros(tuple(LEVELS.values()))
    np.maximum.at(machine, tuple(layout.position(level).ravel() for level in LEVELS), error.ravel())
    picture = error_map(failure(error, machine=machine, place=(0, 0, 0, 1)))
    assert picture is not None and len(picture.text) < 200_000
    root = ElementTree.fromstring(picture.text)
    (tensor,) = grid(root, "tensor", 128, 16)  # two rows in a cell
    assert np.array_equal(tensor != "", (error > 0).reshape(128, 2, 16).any(axis=1))
    assert tensor[100, 15] == "ink" and tensor[8, 3].startswith("e")
    blocks = np.array(grid(root, "machine", 4, 16)).reshape(8, 8, 4, 16).swapaxes(2, 3)
    memory = np.zeros((layout.words, 4096), np.uint32)
    layout.scatter((error > 0).astype(np.uint32), memory, 0)
    copies = memory.any(axis=0).reshape(8, 8, 16, 4)
    copies[:, :, 1:] = False  # the map shows copy 0
    assert np.array_equal(blocks != "", copies)


def test_the_scale_grows_with_the_error() -> None:
    error = np.array([0.0, 1e-6, 1e-4, 1e-2, 1.0, np.inf])
    styles = Scale(error, bits=False).styles(error).tolist()
    assert styles[0] == "" and styles[1] == "e0" and styles[4] == f"e{CLASSES - 1}" and styles[5] == "ink"
    assert styles[1:5] == sorted(styles[1:5]) and len(set(styles)) == 6


@pytest.mark.parametrize("values", [[0.0, 2.0], [np.inf, 0.0], [3.0, 3.0], [1e-300, 1e300], [5e-324, np.inf]])
def test_scales_of_odd_errors(values: list[float]) -> None:
    error = np.array(values)
    with np.errstate(all="raise"):
        picture = error_map(failure(error, received=np.array([np.nan, 1.0])))
    assert picture is not None
    (tensor,) = grid(ElementTree.fromstring(picture.text), "tensor", 1, 2)
    assert np.array_equal(tensor[0] != "", error > 0)


def test_the_first_wrong_element_is_told_with_its_numbers_and_its_unit() -> None:
    error = np.zeros((16, 16))
    error[5, 7] = 0.25
    found = failure(error, machine=np.zeros((8, 8, 16, 4)), place=(3, 1, 4, 1))
    picture = error_map(found)
    assert picture is not None
    texts = [element.text for element in ElementTree.fromstring(picture.text).iter(f"{SVG}text")]
    assert {"1 of 256 elements is wrong", "the first wrong element: [5, 7]", "in L2B 3, L1B 1, MAB 4, PE 1"} <= {*texts}
    assert texts[texts.index("expected") + 1] == "0" and texts[texts.index("received") + 1] == "0.25"


def test_the_place_of_an_element_is_where_its_layout_says() -> None:
    for row in KERNELS[:12]:
        case = kernel_cases(row, 1)[0]
        wrong = np.zeros(case.op.output.shape, np.bool_)
        wrong.reshape(-1)[wrong.size // 2 + 3 :] = True
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = first_unit(lambda error, case=case: over_machine(case.op.output, error), wrong)  # type: ignore[misc]
        if case.op.output.memory != "DRAM":
            assert place == tuple(int(case.op.output.layout.position(level)[index]) for level in LEVELS)
        else:
            flat = int(np.ravel_multi_index(index, wrong.shape))
            assert place == (flat * 4 // wrong.size if wrong.size > 16 else 0,)


def test_bits_have_no_scale_and_dram_has_groups() -> None:
    expected = np.arange(64, dtype=np.uint32)
    received = expected.copy()
    received[40:] += 7
    error = np.abs(expected.astype(float) - received)
    found = Failure("c", "", "", "", {}, expected, received, error, np.array([0.0, 0, 7, 7]), place=(2,))
    picture = error_map(found)
    assert picture is not None
    for part in ("other bits than expected", "in DRAM group 2", "0x00000028", "0x0000002f", "24 of 64 elements"):
        assert part in picture.text
    assert "absolute error" not in picture.text


def test_large_tensors_are_pooled_by_their_largest_error() -> None:
    error = np.zeros((1000, 784))
    error[999, 783], error[0, 400] = 3.0, 2.0
    small = pooled(error)
    assert small.shape == (128, 64) and small[-1, -1] == 3 and small[0].max() == 2 and (small > 0).sum() == 2
    picture = error_map(failure(np.random.default_rng(0).random((1000, 784))))
    assert picture is not None and len(picture.text) < 200_000


def test_failures_without_a_result_have_no_picture() -> None:
    assert error_map(Failure("c", "", "no answer")) is None
    assert error_map(failure(np.zeros((2, 2)))) is None
    assert error_map(failure(np.array(0.5))) is None


def test_a_result_shows_the_picture_in_place_of_the_characters() -> None:
    error = np.zeros((4, 4))
    error[1, 1] = 1
    found = failure(error, machine=np.zeros((8, 8, 16, 4)), picture="o.o.")
    result = Result("5.12", "Relu", "failed", 0, 10, "relu.py", "", failure=found)
    assert "o.o." in str(result) and "o.o." not in result._repr_html_()
    assert "<svg" in result._repr_html_() and "1 of 16 elements" in result._repr_html_()
    without = Result("5.12", "Relu", "failed", 0, 10, "relu.py", "", failure=Failure("c", "", "text <b>"))
    assert "<svg" not in without._repr_html_() and "text &lt;b&gt;" in without._repr_html_()
