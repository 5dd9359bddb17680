"""A path is kept, and a spoilt file is not believed."""

from __future__ import annotations

import time
from pathlib import Path

from haribote.stack import paths
from haribote.stack.collection import collection
from haribote.stack.moves import move
from tests.haribote.stack.random_maps import source_of, target_of

MAPS = collection()


def test_a_path_is_kept_and_a_spoilt_file_is_not_believed(kept: Path) -> None:
    ends = source_of(MAPS["256x16.A"]), target_of(MAPS["256x16.B"])
    first = move(*ends)
    paths.forget()
    began = time.process_time()
    found = paths.paths(ends[0].map, ends[1].map, frozenset(("LM", "L1BM", "L2BM", "PDM")))
    assert time.process_time() - began < 0.1
    assert move(*ends).text == first.text and len(found) > 1
    (file,) = kept.iterdir()
    for spoilt in ("", "[[", "[[[], false]]", '[[[["no way", "LM", "L1BM", []]], false]]', '[[["x"], false]]'):
        file.write_text(spoilt)
        paths.forget()
        assert move(*ends).text == first.text
