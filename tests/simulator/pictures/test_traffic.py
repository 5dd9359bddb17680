"""draw.traffic: every path with its words."""

from __future__ import annotations

from haribote import draw
from simulator import assemble
from simulator.explain.moved_words import words_moved
from tests.haribote.picture_checks import check_picture, texts
from tests.simulator.pictures.programs import SHORT


def test_traffic_tells_all_paths() -> None:
    picture = check_picture(lambda: draw.traffic(SHORT))
    links = words_moved(assemble(SHORT))
    assert dict(links) == {("DRAM", "L2BM"): 4096, ("L2BM", "L1BM"): 4096, ("L1BM", "PE"): 2 * 256 * 64}
    for words in links.values():
        assert f"{words:,}" in texts(picture)
    assert "LM0 read" in texts(picture) and "LM1 write" in texts(picture)
    assert "No words move between the memories" in texts(draw.traffic("nop"))
