"""The viewer's controls in a headless Chromium: keys, breakpoints, search, watched words, the debugger's opening."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from simulator import Machine, assemble
from simulator.effects.places import parse_place
from simulator.isa.program import Step
from simulator.isa.units import UNITS
from simulator.view import Opening, View
from tests.simulator.view.test_recording import PROGRAMS
from tests.simulator.view.test_view_browser import DRIVER, PROGRAM, browser, open_page, run

__all__ = ["browser"]
pytestmark = pytest.mark.slow
TEMPLATE = Path(__file__).resolve().parents[3] / "simulator/view/template"


def test_everything_by_keyboard(browser: str, tmp_path: Path) -> None:
    script = """
      const seen = {};
      const type = (id, text) => {
        byId(id).value = text;
        byId(id).dispatchEvent(new Event("input"));
        byId(id).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      };
      const line = () => byId("line").textContent;
      press("?");
      seen.keys = [...document.querySelectorAll("#keys kbd")].map((key) => key.textContent);
      seen.help = byId("help").open;
      press("Escape");
      seen.closed = !byId("help").open;
      press("g");
      seen.goto = document.activeElement.id;
      type("goto", "7");
      seen.line7 = line();
      type("goto", "s4");
      seen.step4 = viewer.recording.frames[viewer.frame].step;
      press("b");
      press("Home");
      press("c");
      seen.stopped = viewer.frame;
      seen.breakpoint = byId("stops").textContent;
      press("/");
      seen.search = document.activeElement.id;
      type("search", "imm");
      seen.found = [line(), byId("found").textContent];
      document.activeElement.blur();
      press("n");
      seen.second = line();
      type("search", "LM0[0]");
      seen.touching = viewer.hits;
      press("Home");
      viewer.pick({ memory: "grf0", address: 0 });
      press("w");
      seen.first = line();
      press("w");
      seen.next = line();
      press("W");
      seen.before = line();
      press("a");
      seen.watched = byId("watches").textContent.includes("GRF0[0] of n0c0b0m0p0");
      viewer.watches.list[0].stop = true;
      viewer.toggleBreakpoint(seen.stopped);
      press("Home");
      press("c");
      seen.written = line();
      press("m");
      seen.cell = document.activeElement.tagName;
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      seen.picked = byId("picked").textContent;
      press("Escape");
      seen.left = document.activeElement === document.body;
      const before = viewer.timeline.view[1] - viewer.timeline.view[0];
      press("+");
      seen.zoomed = (viewer.timeline.view[1] - viewer.timeline.view[0]) / before;
      return seen;
    """
    seen = run(browser, tmp_path, script)
    assert (
        seen["help"]
        and seen["closed"]
        and {"Space", "b", "c", "g", "/", "n", "w", "a", "u", "m", "+", "?"} <= set(seen["keys"])
    )
    assert (seen["goto"], seen["search"]) == ("goto", "search")
    assert seen["line7"].startswith("imm f") and seen["step4"] == 4
    assert seen["stopped"] == 5 and seen["breakpoint"] == "1 breakpoint"
    assert seen["found"][1] == "2 of 2" or seen["found"][1] == "1 of 2"
    assert "imm" in seen["found"][0] and "imm" in seen["second"] and seen["found"][0] != seen["second"]
    assert seen["touching"] == [1, 2]
    assert seen["first"].startswith("fvfma") and seen["next"].startswith("imm f") and seen["before"].startswith("fvfma")
    assert seen["watched"] and seen["written"].startswith("fvfma")
    assert seen["cell"] == "TD" and re.match(r"\$?\w+\[", seen["picked"])
    assert seen["left"] and 0.4 < seen["zoomed"] < 1


def test_play_stops_at_a_breakpoint(browser: str, tmp_path: Path) -> None:
    script = """
      viewer.toggleBreakpoint(4);
      byId("speed").value = 6;
      byId("speed").dispatchEvent(new Event("change"));
      press(" ");
      byId("result").id = "";
      setTimeout(() => {
        const result = document.querySelector("pre");
        const found = [viewer.frame, byId("play").textContent.trim(), byId("where").textContent];
        document.body.insertAdjacentHTML("beforeend", `<pre id="result"></pre>`);
        byId("result").textContent = JSON.stringify({ failures, found });
      }, 3000);
    """
    content = View(assemble(PROGRAM, "sample.vsm")).page.replace("</body>", DRIVER % script)
    content = content.replace('byId("result").textContent = JSON.stringify({ failures, found });\n}, 20)', "}, 20)")
    frame, play, where = open_page(browser, tmp_path, content)
    assert frame == 4 and play.endswith("Play") and where.startswith("4 of 7")


def test_a_debuggers_page_begins_at_the_wrong_word(browser: str, tmp_path: Path) -> None:
    (place,) = parse_place("$n1n0c0b0m2p0")
    opening = Opening("wrong rows", ("headline", "written by line 3"), place, "y[0, 1]", 0x3F800000, 0x43E6C407, 3)
    script = """
      return {
        shown: !byId("opening").hidden && byId("opening").innerText, frame: viewer.frame, pe: viewer.pe,
        picked: byId("picked").textContent, wrong: document.querySelector("td.wrong")?.textContent,
      };
    """
    content = View(assemble(PROGRAM, "sample.vsm"), opening=opening).page
    seen = open_page(browser, tmp_path, content.replace("</body>", DRIVER % script))
    for text in ("wrong rows", "y[0, 1]", "3f800000", "461.531", "written by line 3"):
        assert text in seen["shown"]
    assert "headline" not in seen["shown"]
    assert seen["frame"] == 2 and seen["pe"] == 8
    assert seen["picked"].startswith("LM1[1] of n0c0b0m2p0: float 461.531") and "line 3" in seen["picked"]
    assert seen["wrong"] == "461.531"


def test_words_that_nobody_put_there_are_junk(browser: str, tmp_path: Path) -> None:
    machine = Machine()
    machine.lm0[...] = 0x7E500000
    machine.lm0[0] = 7
    script = """
      const cells = [...byId("actives").querySelectorAll("[data-memory=lm0] td")];
      return Object.fromEntries(cells.map((cell) => [cell.dataset.address, cell.textContent]));
    """
    content = View(assemble("ipassa $lm0v $ln0v"), machine, junk=(0x7E5,)).page
    cells = open_page(browser, tmp_path, content.replace("</body>", DRIVER % script), anchor="step=1&format=int")
    assert cells == {"0": "7", **{str(n): "junk" for n in range(1, 4)}, **{str(n): "junk" for n in range(4, 8)}}


@pytest.mark.parametrize("size", ["700,900", "1920,1080"])
def test_all_controls_have_names_and_no_text_is_small(browser: str, tmp_path: Path, size: str) -> None:
    script = """
      press("End");
      viewer.pick({ memory: "lm0", address: 0 });
      press("a");
      const visible = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
      const label = (one) => document.getElementById(one.getAttribute("aria-labelledby"))?.textContent;
      const named = (one) => one.ariaLabel || one.textContent.trim() || one.labels?.[0]?.textContent || label(one);
      const written = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      const controls = visible("button, input, select, canvas");
      const texts = visible("main *, header *").filter((one) => written(one) && one.tagName !== "PRE");
      const told = (list) => list.map((one) => one.outerHTML.slice(0, 80));
      return {
        controls: controls.length, nameless: told(controls.filter((one) => !named(one))),
        small: told(texts.filter((one) => parseFloat(getComputedStyle(one).fontSize) < 11)), count: texts.length,
      };
    """
    seen: dict[str, Any] = run(browser, tmp_path, script, size=size)
    assert seen["controls"] > 60 and not seen["nameless"]
    assert seen["count"] > 100 and not seen["small"]


def test_the_pages_script_is_small_plain_files() -> None:
    for path in TEMPLATE.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) < 300, path.name
        assert text.startswith("// "), path.name
        assert not re.search(r"https?:|\bimport\b|\beval\b", text), path.name


@pytest.mark.parametrize("size", ["700,900", "1280,800"])
def test_all_columns_of_a_matrix_are_in_sight(browser: str, tmp_path: Path, size: str) -> None:
    script = """
      const window = document.querySelector("[data-memory=mx] .window");
      return [window.scrollWidth <= window.clientWidth, window.querySelectorAll("tr:first-child td").length];
    """
    assert run(browser, tmp_path, script, PROGRAMS["matrix"], "step=5", size) == [True, 8]


def test_a_selection_of_the_timeline_is_counted(browser: str, tmp_path: Path) -> None:
    """By key and by dragging with Shift: the counts are those of `profile` for the same lines."""
    script = """
      const seen = {};
      const text = () => byId("selected").textContent;
      const canvas = byId("timeline");
      canvas.setPointerCapture = () => undefined;
      const point = (kind, frame) => {
        const { left, top } = canvas.getBoundingClientRect();
        const x = viewer.timeline.x(viewer.timeline.starts[frame] + 1);
        const place = { clientX: left + x, clientY: top + 5, shiftKey: true, bubbles: true, pointerId: 1 };
        canvas.dispatchEvent(new PointerEvent(kind, place));
      };
      seen.hidden = byId("selection").hidden;
      press("Home");
      press("ArrowRight");
      press("ArrowRight");
      press("s");
      seen.said = byId("said").textContent;
      press("End");
      press("s");
      seen.byKey = [viewer.timeline.selected, text()];
      const rows = [...document.querySelectorAll("#selected tr")];
      seen.rows = rows.map((row) => [...row.children].map((cell) => cell.textContent.trim()));
      press("Escape");
      seen.closed = [byId("selection").hidden, viewer.timeline.selected];
      point("pointerdown", 3);
      point("pointermove", 5);
      point("pointerup", 5);
      seen.byDrag = [viewer.timeline.selected, byId("selection").hidden, viewer.frame];
      byId("unselect").click();
      seen.again = [byId("selection").hidden, viewer.timeline.selected];
      return seen;
    """
    seen = run(browser, tmp_path, script)
    lines = [line for line in assemble(PROGRAM).lines if isinstance(line, Step)]
    assert seen["hidden"] and "press s" in seen["said"]
    frames, told = seen["byKey"]
    cycles = 4 * sum(line.count for line in lines)
    assert frames == [2, len(lines) + 1]  # after the start and the debug statement
    assert f"Cycles 0 to {cycles}: {cycles} cycles, {cycles // 4} steps, 0 MV" in told
    assert "nop × 2" in told and "imm × 2" in told and "fvfma × 1" in told
    busy = {name: float(count) for name, _, count, _ in seen["rows"]}
    for lane in ("ALU", "MAU", "L1BM"):
        at_work = [line for line in lines if any(UNITS[i.unit].lane == lane for i in line.instructions)]
        assert busy[lane] == 4 * sum(line.count for line in at_work)
    assert busy["MV"] == 0 and busy["nothing at work"] >= 8
    assert seen["closed"] == [True, None] == seen["again"]
    first, last = seen["byDrag"][0]
    assert first == 3 and last == 5 and seen["byDrag"][1] is False
    assert seen["byDrag"][2] == len(lines) + 1  # selecting goes nowhere


def test_escape_closes_one_thing_after_another(browser: str, tmp_path: Path) -> None:
    script = """
      const open = () => [
        byId("help").open, Boolean(viewer.timeline.selected), byId("more").open, Boolean(viewer.picked),
      ];
      press("Home");
      press("ArrowRight");
      press("ArrowRight");
      viewer.pick({ memory: "lm0", address: 0 });
      byId("more").hidden = false;
      byId("more").open = true;
      viewer.selection.take(1, 3);
      byId("search").focus();
      press("?");
      const seen = [open()];
      for (let n = 0; n < 5; n++) {
        press("Escape");
        seen.push(open());
      }
      return seen;
    """
    seen = run(browser, tmp_path, script)
    assert seen[0] == [True, True, True, True]
    counts = [sum(one) for one in seen]
    assert counts == sorted(counts, reverse=True) and counts[-1] == 0
    assert all(before - after <= 1 for before, after in pairwise(counts))


def test_nothing_asks_for_javascript_where_there_is_some() -> None:
    text = View(assemble(PROGRAM)).page
    before_scripts = text.partition("<script")[0]
    visible = re.sub(r"<noscript>.*?</noscript>", "", before_scripts, flags=re.DOTALL)
    assert "JavaScript" not in visible and "being loaded" in visible


def test_the_first_frame_needs_no_values(browser: str, tmp_path: Path) -> None:
    """The page without them shows lines, words, time and map, and says what is missing; with them no word is."""
    script = """
      const told = () => [byId("line").textContent, byId("words").textContent, byId("map-caption").textContent];
      const waiting = () => [...document.querySelectorAll(".unknown")].map((one) => one.textContent);
      const { words } = viewer.recording;
      const seen = [[...told(), waiting()]];
      viewer.recording.words = null;
      viewer.renew();
      viewer.draw();
      seen.unshift([...told(), waiting()]);
      viewer.recording.take(words.buffer);
      viewer.renew();
      viewer.draw();
      seen.push([...told(), waiting()]);
      return seen;
    """
    without, whole, again = run(browser, tmp_path, script, anchor="step=2")
    assert without[:3] == whole[:3] == again[:3] and "frelu" in whole[0] and "PEs" in whole[2]
    assert without[3] and set(without[3]) == {"The values are being loaded …"}
    assert whole[3] == again[3] == []


def test_the_values_stand_behind_the_script() -> None:
    text = View(assemble(PROGRAM)).page
    assert text.index('id="data"') < text.index('id="units"') < text.index("main();") < text.index('id="values"')
