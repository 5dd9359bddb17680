"""draw.chip, timeline, traffic and memory against the machine and the profile."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from haribote import draw
from simulator import Machine, assemble
from simulator.errors import SimulatorError
from simulator.explain.profile import LANES, Busy, profile_of
from simulator.pictures.timeline import LEFT, RIGHT, busy_share, ticks
from simulator.pictures.traffic import words_moved
from tests.haribote.picture_checks import SVG, check_picture, texts, tree

SHORT = (
    "mvp/n512 $d0 $lc0@.0\nl2bmd $lc0 $lb0\nnop/2\nl1bmd $lb0 $lm0v\nnop/2\nfvadd $lm0v $lr0v $ln0v; ipassa $ls0v $lr4v"
)
LONG = "\n".join(f"fvadd $lm{8 * n}v $lm{8 * n}v $lr0v\nnop/2\nfvmul $lr0v $lr0v $ln{8 * n}v" for n in range(60))


# --- chip ------------------------------------------------------------------------------------------------------------


def test_the_tree_has_every_level_and_memory() -> None:
    found = texts(check_picture(draw.chip))
    for text in (
        "4 groups",
        "2 L2B",
        "8 L1B",
        "16 MAB",
        "4 PE",
        "8 in all",
        "64 in all",
        "1,024 in all",
        "4,096 in all",
    ):
        assert text in found
    assert {"DRAM", "PDM", "L2BM", "L1BM", "LM0", "LM1", "GRF0", "GRF1", "T", "mask", "ALU", "MAU"} <= {*found}


def test_marks_and_notes() -> None:
    picture = check_picture(lambda: draw.chip({"LM0": "x, 16 words", "L2BM": "", "n1c1b3m5p2": ""}))
    root = tree(picture)
    marked = [rect.findtext(f"{SVG}title") for rect in root.iter(f"{SVG}rect") if rect.get("class") == "h0"]
    assert marked == ["group 1 (n1)", "L2B 1 (c1)", "L1B 3 (b3)", "MAB 5 (m5)", "PE 2 (p2)"]
    assert "x, 16 words" in texts(picture) and "LM0: x, 16 words" in picture.title
    assert draw.chip("DRAM").text != draw.chip().text
    with pytest.raises(SimulatorError, match="n0c1b2"):
        draw.chip({"LM7": ""})


# --- timeline --------------------------------------------------------------------------------------------------------


def test_intervals_stand_where_the_profile_has_them() -> None:
    picture = check_picture(lambda: draw.timeline(SHORT))
    profile = profile_of(assemble(SHORT))
    drawn = []
    for rect in tree(picture).iter(f"{SVG}rect"):
        found = re.match(r"line (\d+): ", rect.findtext(f"{SVG}title") or "")
        if found:
            drawn.append((int(found[1]), float(rect.get("x", 0)), float(rect.get("width", 0))))
    scale = (RIGHT - LEFT) / profile.cost.cycles
    wanted = sorted((busy.line, LEFT + busy.start * scale, busy.cycles * scale - 1) for busy in profile.busy)
    np.testing.assert_allclose(sorted(drawn), wanted, atol=0.01)


def test_a_long_program_is_drawn_by_its_density() -> None:
    picture = check_picture(lambda: draw.timeline(LONG))
    assert "960 cycles: 240 steps, 120 of them nops, and 0 MV" in texts(picture)
    busy = [Busy("MAU", 0, 4, 1), Busy("MAU", 8, 2, 2)]
    assert busy_share(busy, 16, 4).tolist() == [1, 0, 0.5, 0]
    assert "50%" in texts(picture) and "waiting" in texts(picture)
    assert len([text for text in texts(picture) if text.startswith("line ")]) <= 5


def test_shares_are_those_of_the_profile() -> None:
    found = texts(draw.timeline(SHORT))
    shares = profile_of(assemble(SHORT)).lanes
    assert [text for text in found if text.endswith("%")] == [f"{shares[lane]:.0%}" for lane in LANES]


@pytest.mark.parametrize("end", [1, 7, 60, 99.5, 28264, 1e-3, 0.4])
def test_ticks_are_round_and_few(end: float) -> None:
    found = ticks(end)
    assert found[0] == 0 and 2 <= len(found) <= 8 and found[-1] <= end * (1 + 1e-9)
    digits = f"{found[1]:.6e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in ("1", "2", "5") and found[-1] + found[1] > end


def test_a_program_may_be_text_lines_a_file_or_assembled(tmp_path: Path) -> None:
    path = tmp_path / "short.vsm"
    path.write_text(SHORT)
    wanted = draw.timeline(SHORT).text
    for source in (path, str(path), SHORT.split("\n"), assemble(SHORT)):
        assert draw.timeline(source).text == wanted
    for wrong in (tmp_path / "none.vsm", "", "fvad $lm0v $ln0v"):
        with pytest.raises(SimulatorError):
            draw.traffic(wrong)


# --- traffic ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line, memory",
    [
        ("mvp/n128 $d0@1 $lc64@2.1", "l2bm"),
        ("mvb/n64 $p0@1 $lc0", "l2bm"),
        ("mvb2/n128 $d0 $lc0", "l2bm"),
        ("mvriiadd/n64 $lc0 $p0@3", "pdm"),
        ("l2bmb@0/3 $lc0 $lb16", "l1bm"),
        ("l2bmd $lc0 $lb8", "l1bm"),
        ("l2bm@5 $lb0 $lc64", "l2bm"),
        ("l1bmm@2 $llm0v $llb0", "l1bm"),
        ("l1bmd $lb0 $lm0v", "lm0"),
        ("l1bmp $llb0 $lln0v", "lm1"),
    ],
)
def test_words_that_arrive_are_those_that_change(line: str, memory: str) -> None:
    machine = Machine()
    random = np.random.default_rng(1)
    for array in (machine.l1bm[:, :, :512], machine.l2bm[:, :512], machine.pdm[:, :512]):
        array[:] = random.integers(1, 2**40, array.shape, np.uint64) * np.uint64(2**16 + 1) + np.uint64(2**60)
    machine.lm0[:32] = random.integers(1, 2**32, (32, 4096), np.uint32)
    for dram in machine.dram:
        dram[0:512] = random.integers(2**33, 2**63, 512, np.uint64)
    before = getattr(machine, memory).copy()
    machine.run(assemble(line))
    changed = (np.ascontiguousarray(getattr(machine, memory)).view(np.uint32) != before.view(np.uint32)).sum()
    (words,) = words_moved(assemble(line)).values()
    assert abs(int(changed) - words) <= words * 1e-3  # a word may happen to stay what it was


def test_traffic_tells_all_paths() -> None:
    picture = check_picture(lambda: draw.traffic(SHORT))
    links = words_moved(assemble(SHORT))
    assert dict(links) == {("DRAM", "L2BM"): 4096, ("L2BM", "L1BM"): 4096, ("L1BM", "PE"): 2 * 256 * 64}
    for words in links.values():
        assert f"{words:,}" in texts(picture)
    assert "LM0 read" in texts(picture) and "LM1 write" in texts(picture)
    assert "No words move between the memories" in texts(draw.traffic("nop"))


# --- memory ----------------------------------------------------------------------------------------------------------


def test_who_is_filled() -> None:
    machine = Machine()
    machine.lm0[4:12, 64:128] = np.float32(1.5).view(np.uint32)
    machine.lm0[4, 200] = 7
    picture = check_picture(lambda: draw.memory(machine, "lm0", "n0c0b1m2p3", count=16))
    found = texts(picture)
    assert found[0] == "LM0: 65 of 4,096 PEs hold something"
    assert found.count("1.5") == 8 and found.count("0") >= 8
    titles = [title.text for title in tree(picture).iter(f"{SVG}title")]
    assert "L2B 0, L1B 1: up to 8 words in a PE" in titles and "L2B 0, L1B 3: up to 1 words in a PE" in titles
    assert "word 4: 0x3fc00000" in titles


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "name", ["l1bm", "dram", *(pytest.param(x, marks=SLOW) for x in ("lm1", "grf0", "grf1", "t", "l2bm", "pdm"))]
)
def test_every_memory_can_be_drawn(name: str) -> None:
    machine = Machine()
    assert "0 of" in texts(draw.memory(machine, name, count=16))[0]
    if name == "dram":
        machine.dram[2][3:5] = 9
    else:
        getattr(machine, name)[..., 3] = 9
    assert not texts(check_picture(lambda: draw.memory(machine, name, count=16, dtype="i")))[0].startswith("0 of")


def test_words_in_every_notation() -> None:
    machine = Machine()
    machine.dram[1][0:1] = (0xFFFFFFFE << 32) + 0x3F800000
    for dtype, wanted in (("f", ["nan", "1"]), ("i", ["-2", "1065353216"]), ("x", ["fffffffe", "3f800000"])):
        found = texts(draw.memory(machine, "dram", "n1", count=1, dtype=dtype))
        assert found[-2:] == wanted
    for wrong in ({"name": "lm7"}, {"unit": "n9"}, {"dtype": "q"}, {"first": -1}, {"count": 0}):
        with pytest.raises(SimulatorError):
            draw.memory(machine, **{"name": "lm0", **wrong})


def test_pictures_need_neither_torch_nor_matplotlib() -> None:
    code = (
        "import sys; from haribote import draw; draw.chip(); draw.move('nop'); draw.loss([1, 2]); draw.layout('16');"
        "assert not {'torch', 'matplotlib', 'IPython'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
