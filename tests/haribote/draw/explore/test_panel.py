"""The explorers: what they show follows their controls, and is the same as what the machine and the checks say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from haribote.draw import explore
from haribote.draw.explore.layouts import bits_of
from haribote.draw.explore.panel import SCRIPTS, Panel
from haribote.draw.explore.waits import PAIRS, needed
from haribote.draw.held import holding_of
from haribote.errors import HariboteError
from haribote.layout import LAYOUTS
from simulator import Machine, assemble, messages
from simulator.assembly import checks
from simulator.errors import SimulatorError
from simulator.page_texts import END_OF_CONTEXT, PAGE


def controls(panel: Panel) -> dict[str, dict[str, Any]]:
    return {control["name"]: control for control in panel.specification()}


@pytest.mark.parametrize("panel", [explore.layout("16"), explore.move(), explore.nops()])
def test_a_front_end_gets_the_widget_and_one_without_kernel_the_picture(panel: Panel) -> None:
    bundle = panel._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/svg+xml", "text/plain"} == set(bundle)
    assert bundle["image/svg+xml"].startswith("<svg") and "<script" not in bundle["text/html"]


def test_a_move_of_a_slider_comes_back_as_a_picture() -> None:
    """As the front end does it: values go in; controls, HTML and a higher answer come out."""
    panel = explore.layout("256x16.A")
    widget = panel.widget()
    before = widget.html
    widget.values = {"i": 37, "j": 5}
    assert widget.answer == 1 and widget.html != before and "i = 37" in widget.html
    assert {control["name"]: control["now"] for control in widget.controls} == {"i": 37, "j": 5}


def test_values_that_a_control_does_not_take_change_nothing() -> None:
    panel = explore.layout("256x16.A")
    panel.set({"i": 1000, "j": "x", "no": 3})
    assert panel.values == {"i": 255, "j": 0}
    menu = explore.nops()
    first = menu.values["pair"]
    menu.set({"pair": "something else", "nops": True})
    assert menu.values == {"pair": first, "nops": 0}


@pytest.mark.parametrize("tag", ["16", "256x16.A", "256x16.P"])
def test_the_bits_of_an_index_lead_to_the_word_that_holds_it(tag: str) -> None:
    layout, holding = LAYOUTS[tag], holding_of(tag)
    memory = np.zeros((layout.words, 4096), np.uint32)
    size = int(np.prod(layout.shape))
    layout.scatter(np.arange(1, size + 1, dtype=np.uint32).reshape(layout.shape), memory, 0)
    goes = [bits_of(holding, axis) for axis in range(len(layout.shape))]
    for number in np.random.default_rng(4).integers(0, size, 20).tolist():
        place = dict.fromkeys(("L2B", "L1B", "MAB", "PE", "word"), 0)
        for axis, index in enumerate(np.unravel_index(number, layout.shape)):
            for bit, text in enumerate(goes[axis]):
                if int(index) >> bit & 1:
                    level, to = re.fullmatch(r"(\w+) bit (\d+)", text).groups()  # type: ignore[union-attr]
                    place[level] += 1 << int(to)
        pe = ((place["L2B"] * 8 + place["L1B"]) * 16 + place["MAB"]) * 4 + place["PE"]
        assert memory[place["word"], pe] == number + 1


def test_addresses_of_a_line_are_sliders() -> None:
    panel = explore.move("l1bmm $lb0 $lm8v", "fvadd $lm0v $lr0v $ln0v")
    found = controls(panel)
    assert list(found) == ["line", "l1bmm $lb0 $lm8v 0", "l1bmm $lb0 $lm8v 1", "cycle"]
    assert found["l1bmm $lb0 $lm8v 1"]["now"] == 8 and found["l1bmm $lb0 $lm8v 1"]["step"] == 2
    html = panel.set({"l1bmm $lb0 $lm8v 0": 16, "cycle": "cycle 2"})
    assert "l1bmm $lb16 $lm8v" in html and "animation: none" in html
    panel.set({"line": "fvadd $lm0v $lr0v $ln0v"})
    assert len(controls(panel)) == 5
    with pytest.raises(SimulatorError):
        explore.move("l1bmm $lb0")


@pytest.mark.parametrize(
    "line", [pytest.param(x, marks=[pytest.mark.slow] * (n % 4 > 0)) for n, x in enumerate(explore.moves.LINES)]
)
def test_every_address_that_a_slider_offers_can_be_drawn(line: str) -> None:
    panel = explore.move(line)
    for name, control in controls(panel).items():
        if control["kind"] == "Slider":
            for value in (control["low"] + control["step"], control["high"]):
                assert "cannot be drawn" not in panel.set({name: value}), (line, name, value)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_nops_that_are_needed_are_those_that_are_inserted(pair: tuple[str, str]) -> None:
    """`fix_nops` finds them in another way: from the first line on, by the worst wait of each."""
    fixed = assemble("\n".join(checks.fix_nops(assemble("\n".join(pair))).splitlines()))
    assert Machine().run(fixed).steps - 2 == needed(pair)
    panel = explore.nops(*pair)
    assert ("too early" in panel.set({"nops": 0})) == (needed(pair) > 0)
    assert "✓" in panel.set({"nops": needed(pair)})


def test_the_pad_asks_the_network_about_what_is_drawn() -> None:
    asked: list[np.ndarray[Any, Any]] = []

    def read(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        asked.append(image)
        return np.eye(10)[int(image[:, :14].sum() > 2 * image[:, 14:].sum())] * 9

    pad = explore.pad(read)
    widget = pad.widget()
    assert asked[0].shape == (28, 28) and "taken for 0" in pad.picture.title
    widget.strokes = [[[0.1, 0.1], [0.1, 0.9]], [[0.1, 0.5], [0.12, 0.5]]]
    assert len(asked) == 2 and widget.answer == 1 and "<svg" in widget.html
    with pytest.raises(HariboteError, match="ten scores"):
        explore.pad(lambda image: np.zeros(3))


def test_controls_are_shown_in_the_language_of_the_moment_and_keep_their_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = {
        "all at once": "すべて一度に",
        "line": "行",
        "bit": "ビット",
        f"{PAGE}{END_OF_CONTEXT}start again": "はじめから描く",
    }
    monkeypatch.setattr(messages, "texts", lambda domain, folder, into: said)
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    messages.forget()
    panel = explore.move("l1bmm $lb0 $lm8v")
    found = controls(panel)
    pad = explore.pad(lambda image: np.arange(10.0)).widget()
    goes = bits_of(holding_of("256x16.A"), 0)
    monkeypatch.undo()
    messages.forget()
    assert found["line"]["label"] == "行" and found["cycle"]["value"] == "cycle 0"
    assert found["cycle"]["options"][0] == "all at once" and found["cycle"]["texts"][0] == "すべて一度に"
    assert pad.texts == {"start again": "はじめから描く"}
    assert goes[0] == "L1B ビット 0"


def test_english_scripts_need_no_texts() -> None:
    assert explore.pad(lambda image: np.arange(10.0)).widget().texts == {}
    assert controls(explore.move())["cycle"]["texts"][:2] == ["all at once", "cycle 0"]


def test_the_scripts_are_small_and_load_nothing() -> None:
    for script in SCRIPTS.glob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert len(text) < 6000 and not re.search(r"https?:|import |fetch|eval", text), script.name
        assert ("export default { render }" in text) == (script.name != "keys.js")  # which the others have in them
    names = (Path(__file__).parents[4] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"draw/explore/*.js"' in names
