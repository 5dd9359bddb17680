"""Who wrote a word, as the page says it: the same as `simulator.trace`, which finds it in another way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator import Machine, assemble
from simulator.effects.places import Place
from simulator.engine.state.contents import KINDS, UNITS
from simulator.isa.program import Program
from simulator.trace.history import History
from simulator.view import View
from simulator.view.opening import spot_of
from tests.simulator.view.test_recording import PROGRAMS
from tests.simulator.view.test_view_browser import DRIVER, browser, open_page

__all__ = ["browser"]
ASK = """
  const { recording, chain } = viewer;
  return %s.map(([memory, address, half, unit]) => {
    const { frame, inputs } = chain.flow.origin({ memory, address, half, unit }, recording.frames.length - 1);
    const words = inputs.map(({ word: w }) => [w.memory, w.address, w.half, w.unit].join());
    return [frame > 0 ? recording.frames[frame].line : 0, [...new Set(words)].sort()];
  });
"""


def places(history: History, rng: np.random.Generator, count: int = 150) -> list[Place]:
    """Words of all memories that some line may write, at random."""
    memories = [
        name for name, writers in history._writers.items() if writers and name in KINDS and name not in ("omr", "bar")
    ]
    sizes = {"t": 16, "turn": 128, "mx": 128, "my": 128, "l1bm": 1600, "l2bm": 800, "pdm": 4000, "dram": 2400}
    found = []
    for memory in rng.choice(memories, count):
        kind = KINDS[memory]
        word = int(rng.integers(16 if memory.endswith("f") else sizes.get(memory, 72)))
        if memory.endswith("f"):
            word &= ~3  # not every result has more than one word
        found.append(Place(str(memory), int(rng.integers(UNITS[kind.level])), word))
    return found


def expected(program: Program, history: History, place: Place) -> list[Any] | None:
    """Line and inputs of the last write; None where several writes are left in the word."""
    writes, remaining = history.writes(place, len(program.lines))
    if len(writes) > 1 or (writes and remaining):
        return None
    if not writes:
        return [0, []]
    inputs = sorted({",".join(map(str, word_of(p))) for name, p in writes[0].inputs if name != "address"})
    return [program.lines[writes[0].index].line, inputs]


def word_of(place: Place) -> tuple[str, int, int, int]:
    spot = spot_of(place)
    return spot.memory, spot.address, spot.half, place.unit


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_page_names_the_writer_and_its_inputs_as_the_trace_does(browser: str, tmp_path: Path, name: str) -> None:
    program, machine = assemble(PROGRAMS[name]), Machine("numpy")
    history = History(program, machine)
    machine.run(program, observer=history.observer)
    wanted = places(history, np.random.default_rng(3))
    answers = [(place, expected(program, history, place)) for place in wanted]
    content = View(program).page
    asked = [(place, answer) for place, answer in answers if answer is not None]
    words = [word_of(place) for place, _ in asked]
    script = ASK % json.dumps(words)
    found = open_page(browser, tmp_path, content.replace("</body>", DRIVER % script))
    wrong = [
        (str(place), answer, shown) for (place, answer), shown in zip(asked, found, strict=True) if answer != shown
    ]
    assert not wrong, wrong[:3]
    assert sum(answer[0] > 0 for _, answer in asked) > 20
