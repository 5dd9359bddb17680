"""The viewer's page in another language: every text of it comes from the catalogue, and has room.

The language is made up: each message between brackets, so that whatever stands outside of them was never asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator import Machine, assemble, messages
from simulator.effects.places import parse_place
from simulator.page_texts import END_OF_CONTEXT, PAGE, in_page, in_script
from simulator.view import Opening, View
from tests.simulator.view.test_view_browser import DRIVER, PROGRAM, browser, open_page

__all__ = ["browser"]
pytestmark = pytest.mark.slow
TEMPLATE = Path(__file__).resolve().parents[3] / "simulator/view/template"
NAMES = re.compile(
    r"\$(aluf|mauf|lbf|mreadf)|inf|e-?\d+|n\d[\dncbmp]*|[\da-f]{8}|sample\.vsm|Page (Up|Down)|Home|End|Esc|Enter|imm"
)
"""What is called the same in every language, and numbers; what is written in capitals is a name too."""


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    texts = [text for path in TEMPLATE.glob("*.js") for text in in_script(path.read_text(encoding="utf-8"))]
    texts += in_page((TEMPLATE / "page.html").read_text(encoding="utf-8"))
    entries = {f"{PAGE}{END_OF_CONTEXT}{text}": f"【{text}】" for text in texts}
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    monkeypatch.setattr(messages, "texts", lambda domain, folder, into: entries if domain == "simulator" else {})
    monkeypatch.setattr("simulator.view.encode.shown", lambda text: f"【{text}】")
    monkeypatch.setattr("simulator.view.opening.shown", lambda text: f"【{text}】")
    messages.forget()
    yield
    monkeypatch.undo()
    messages.forget()


def opened() -> str:
    """A page with everything that a page can have."""
    (place,) = parse_place("$n1n0c0b0m2p0")
    opening = Opening("wrong rows", ("headline", "written"), place, "y[0, 1]", 0x3F800000, 0x43E6C407, 3)
    machine = Machine()
    machine.lm0[...] = 0x7E500000
    return View(assemble(PROGRAM, "sample.vsm"), machine, opening=opening, junk=(0x7E5,)).page


def outside(text: str) -> str:
    """What of a text stands in no brackets, and is neither a name nor a number."""
    while "【" in text:
        text, before = re.sub(r"【[^【】]*】", " ", text), text
        assert text != before, before
    return " ".join(re.findall(r"[a-z]{2,}", NAMES.sub(" ", text)))


def test_every_text_is_asked_for(browser: str, tmp_path: Path, bracketed: None) -> None:
    script = """
      const seen = new Set();
      const blocks = "p, li, td, th, h1, h2, h3, button, option, label, figcaption, summary, pre";
      const code = "code, pre#line, #printed, script, style, .number, #result";
      const gather = () => {
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          const parent = walk.currentNode.parentElement;
          if (parent.closest(code) || !walk.currentNode.textContent.trim()) continue;
          const block = parent.closest(blocks) ?? parent;
          const copy = block.cloneNode(true);
          for (const one of copy.querySelectorAll("code, .number, s, i")) one.remove();
          seen.add(copy.textContent);
        }
        for (const name of ["title", "aria-label", "placeholder", "aria-valuetext"]) {
          for (const one of document.querySelectorAll(`[${name}]`)) {
            const whole = one.querySelector("code")?.textContent; // a line of the program, which may be cut off
            if (one.getAttribute(name) !== whole) seen.add(one.getAttribute(name));
          }
        }
      };
      press("n"); gather(); press("w"); gather();
      press("?"); byId("help").close();
      const type = (id, text, event) => {
        byId(id).value = text;
        byId(id).dispatchEvent(event);
        gather();
      };
      type("search", "imm", new Event("input")); press("n"); gather();
      type("search", "LM0[1]", new Event("input"));
      type("unit", "what", new Event("change"));
      type("goto", "?", new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      viewer.toggleBreakpoint(2); gather(); viewer.toggleBreakpoint(3); gather();
      viewer.pick({ memory: "lm0", address: 1 });
      press("a");
      for (let n = 0; n <= viewer.last; n++) { viewer.set({ frame: n }); gather(); }
      press("W"); gather(); press("w"); press("w"); gather();
      byId("map-values").click(); gather(); byId("map-touched").click();
      for (const memory of ["l1bm", "lm1"]) { viewer.pick({ memory, address: 0 }); press("a"); gather(); }
      for (const format of ["double", "hex"]) { choose(format); gather(); }
      viewer.set({ pe: 3000 }); gather();
      return { texts: [...seen], title: document.title, language: document.documentElement.lang };
    """
    for content in (opened(), View(assemble(PROGRAM, "sample.vsm"), units=["n1c0b0"]).page):
        found = open_page(browser, tmp_path, content.replace("</body>", DRIVER % script))
        assert found["language"] == "ja" and "【Haribote viewer】" in found["title"]
        assert len(found["texts"]) > 150
        assert [text for text in found["texts"] if outside(text)] == []


@pytest.mark.parametrize("size", ["700,900", "1280,800", "1920,1080"])
def test_japanese_has_room(browser: str, tmp_path: Path, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
      viewer.pick({ memory: "l1bm", address: 0 });
      press("a"); press("b"); press("End"); press(" ");
      const texts = "button:not(.line), label, h2, h3, th, figcaption, #tree span, #where, #play, .of, .pager span";
      const tight = [...document.querySelectorAll(texts)].filter((one) => one.scrollWidth > one.clientWidth + 1);
      const bar = [...document.querySelectorAll("header.bar > :not(#scrubber)")].filter((one) => one.checkVisibility());
      const middle = ({ top, bottom }) => Math.round((top + bottom) / 20);
      const lines = new Set(bar.map((one) => middle(one.getBoundingClientRect())));
      return {
        page: [document.documentElement.scrollWidth, innerWidth], lines: lines.size,
        tight: tight.filter((one) => getComputedStyle(one).display !== "inline").map((one) => one.outerHTML),
      };
    """
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    content = View(assemble(PROGRAM, "sample.vsm")).page
    seen = open_page(browser, tmp_path, content.replace("</body>", DRIVER % script), size=size)
    assert seen["page"][0] <= seen["page"][1] and seen["tight"] == []
    assert seen["lines"] == 1 or size.startswith("700")
