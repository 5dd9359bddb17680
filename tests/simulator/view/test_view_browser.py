"""The page of `view` in a headless Chromium: what it shows is what the machine holds, forward and back.

Needs Chromium or Chrome on the path, or its path in HARIBOTE_CHROMIUM; skipped where there is none.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator import Machine, assemble
from simulator.engine.state.contents import contents
from simulator.view import View

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=10000",
    "--dump-dom",
)
# Waits for the page, runs the test's script, and leaves what it returns in the document. `cells()` gives the texts of
# the numbers shown, by title of the panel and address.
DRIVER = """<pre id="result"></pre><script>
const failures = [];
addEventListener("error", (event) => failures.push(event.message));
const byId = (id) => document.getElementById(id);
const cells = () => Object.fromEntries([...document.querySelectorAll(".panel")].map((panel) => [
  panel.querySelector("h3").firstChild.textContent.trim(),
  Object.fromEntries(
    [...panel.querySelectorAll("[data-address]")].map((cell) => [cell.dataset.address, cell.textContent]),
  ),
]));
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const choose = (value) => { byId("format").value = value; byId("format").dispatchEvent(new Event("change")); };
const waiting = setInterval(() => {
  if (!globalThis.viewer?.recording.words) return;
  clearInterval(waiting);
  viewer.eager = true; // what the page puts off until it is idle, at once
  let found = null;
  try { found = (() => { %s })(); } catch (error) { failures.push(String(error)); }
  byId("result").textContent = JSON.stringify({ failures, found });
}, 20);
</script></body>"""

PROGRAM = """# two kinds of lines
d set $lm0n0c0b0p0 2 C300788E43E6C4073F80000000000000
frelu $lm0v $lm0v $ln0v
fvfma $aluf $aluf $aluf $lr0v ; imm i"-7" $s0
nop/2
ipassa $peid $omr1
imm f"1e-20" $lr0v/$imr1
l1bmm@2 $lr0v $lb0
"""
PANELS = {"LM0": "lm0", "LM1": "lm1", "GRF0": "grf0", "GRF1": "grf1", "L1BM": "l1bm"}


@pytest.fixture(scope="module")
def browser() -> str:
    named = os.environ.get("HARIBOTE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        pytest.skip("needs Chromium: install it, or set HARIBOTE_CHROMIUM to its path")
    return found


def run(browser: str, folder: Path, script: str, text: str = PROGRAM, anchor: str = "", size: str = "1280,800") -> Any:
    """What the script returns in the page of a program."""
    return open_page(
        browser, folder, View(assemble(text, "sample.vsm")).page.replace("</body>", DRIVER % script), anchor, size
    )


def open_page(browser: str, folder: Path, content: str, anchor: str = "", size: str = "1280,800") -> Any:
    """What stands in `result` once the page has run."""
    file = folder / "view.html"
    file.write_text(content)
    arguments = [browser, *OPTIONS, f"--user-data-dir={folder / 'profile'}", f"--window-size={size}"]
    done = subprocess.run(
        [*arguments, f"{file.as_uri()}#{anchor}"], capture_output=True, text=True, timeout=60, check=True
    )
    found = re.search(r'<pre id="result">([^<]+)</pre>', done.stdout)
    assert found is not None, f"the page did not load: {done.stderr[-2000:]}"
    result = json.loads(html.unescape(found[1]))
    assert result["failures"] == []
    return result["found"]


def words(machine: Machine, memory: str, address: int, pe: int) -> str:
    """One address of the units above a PE, in hex digits as the page shows them."""
    unit = pe // 64 if memory == "l1bm" else pe
    return " ".join(f"{word:08x}" for word in contents(machine, memory, np.array([address]))[:, unit].tolist())


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "pe"), [("n0c0b0m0p0", 0), ("n2c1b7m2p3", 2 * 1024 + 512 + 7 * 64 + 2 * 4 + 3)])
def test_every_step_shows_what_the_machine_holds_forward_and_back(
    browser: str, tmp_path: Path, unit: str, pe: int
) -> None:
    script = """
      const forward = [cells()];
      while (!byId("forward").disabled) { byId("forward").click(); forward.push(cells()); }
      const back = [cells()];
      while (!byId("back").disabled) { press("ArrowLeft"); back.push(cells()); }
      return { forward, back: back.reverse() };
    """
    found = run(browser, tmp_path, script, anchor=f"step=0&unit={unit}&format=hex")
    assert found["forward"] == found["back"]
    program = assemble(PROGRAM)
    stops = [0, *(line.line for line in program.lines)]
    assert len(found["forward"]) == len(stops)
    checked = 0
    for line, shown in zip(stops, found["forward"], strict=True):
        machine = Machine()
        machine.run(program, until=line)
        for title, memory in PANELS.items():
            expected = {address: words(machine, memory, int(address), pe) for address in shown[title]}
            assert shown[title] == expected, f"{title} after line {line}"
            checked += len(expected)
    assert checked > 300


@pytest.mark.slow
def test_what_a_step_read_and_wrote(browser: str, tmp_path: Path) -> None:
    script = """
      const rows = [...document.querySelectorAll(".effects tr")].map((row) => row.textContent.replace(/\\s+/g, " "));
      const marked = (kind) => [...document.querySelectorAll(`td.${kind}`)].map((cell) => cell.dataset.address);
      return { rows, line: byId("line").textContent, read: marked("read"), written: marked("write") };
    """
    found = run(browser, tmp_path, script, anchor="step=2")
    assert found["line"] == "frelu $lm0v $lm0v $ln0v"
    assert found["rows"][0].startswith("reads LM0 all 4,096 PEs0 -128.471 1 461.531 2 1 3–7 0")
    assert "writes LM1 all 4,096 PEs0 0 -0 1 0 461.531 2 0 1 3–7 0 (same)" in found["rows"][1]
    assert found["read"] == [str(address) for address in range(8)]
    assert found["written"][:8] == found["read"]


@pytest.mark.slow
def test_numbers_in_every_format(browser: str, tmp_path: Path) -> None:
    patterns = ["3ff00000", "00000000", "c2f00001", "7f800000", "3e00c000", "80000000", "0000ffff", "00000001"]
    text = "".join(f"d set $lm{2 * i}n0c0b0m0p0 1 {patterns[2 * i]}{patterns[2 * i + 1]}\n" for i in range(4))
    script = """
      const shown = {};
      for (const format of ["float", "half", "double", "int", "hex"]) { choose(format); shown[format] = cells().LM0; }
      return shown;
    """
    found = run(browser, tmp_path, script, text, anchor="step=1")
    shown = {format: list(values.values()) for format, values in found.items()}
    assert shown["hex"] == patterns
    assert shown["int"] == ["1072693248", "0", "-1024458751", "2139095040", "1040236544", "-2147483648", "65535", "1"]
    # A number has at most 9 characters; exponent field 0 is zero.
    assert shown["float"] == ["1.875", "0", "-120", "inf", "0.125732", "-0", "0", "0"]
    assert shown["half"][0] == "1.96875 0" and shown["half"][4] == "1 -2"
    assert shown["double"] == ["1", "-2.815e14", "4.875e-10", "0"]


@pytest.mark.slow
def test_lines_cells_units_and_keys(browser: str, tmp_path: Path) -> None:
    script = """
      const seen = {};
      document.querySelectorAll("#assembly button.line")[3].click();
      seen.line = byId("line").textContent;
      document.querySelector('[data-memory="lm0"] td[data-address="1"]').click();
      seen.picked = byId("picked").textContent;
      byId("tree").querySelectorAll(".row")[4].querySelectorAll("button")[2].click();
      viewer.remember();
      seen.hash = location.hash;
      press("End");
      seen.end = byId("where").textContent;
      press("Home");
      seen.start = byId("line").textContent;
      press("PageDown");
      seen.page = byId("scrubber").value;
      byId("map-values").click();
      seen.caption = byId("map-caption").textContent;
      seen.current = document.querySelectorAll("[aria-current=step]").length;
      return seen;
    """
    seen = run(browser, tmp_path, script)
    assert seen["line"].startswith("fvfma")
    assert seen["picked"].startswith("LM0[1] of n0c0b0m0p0: float 461.531") and "line 2" in seen["picked"]
    assert "unit=n0c0b0m0p2" in seen["hash"] and "step=3" in seen["hash"]
    assert seen["end"].startswith("7 of 7") and "cycles 24–27" in seen["end"]
    assert seen["start"] == "Start"
    assert seen["page"] == "7"
    assert seen["caption"] == "LM0[1] in every unit, as colours"
    assert seen["current"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("size", ["390,844", "1280,800", "1920,1080"])
def test_nothing_is_wider_than_the_window(browser: str, tmp_path: Path, size: str) -> None:
    script = "return [document.documentElement.scrollWidth, innerWidth, byId('map').width];"
    wide, window, drawn = run(browser, tmp_path, script, anchor="step=3", size=size)
    assert wide <= window
    assert drawn > 200


@pytest.mark.slow
def test_the_frame_of_a_notebook_shows_the_page(browser: str, tmp_path: Path) -> None:
    host = f"""<!doctype html><body>{View(assemble(PROGRAM, "sample.vsm"))._repr_html_()}<pre id="result"></pre><script>
      const waiting = setInterval(() => {{
        const inside = document.querySelector("iframe").contentDocument;
        if (inside.getElementById("page")?.hidden !== false) return;
        clearInterval(waiting);
        inside.getElementById("forward").click();
        const found = inside.getElementById("line").textContent;
        document.getElementById("result").textContent = JSON.stringify({{ failures: [], found }});
      }}, 20);
    </script></body>"""
    assert open_page(browser, tmp_path, host).startswith("d set $lm0n0c0b0p0")


@pytest.mark.slow
def test_a_unit_that_is_not_recorded_says_so(browser: str, tmp_path: Path) -> None:
    content = View(assemble(PROGRAM), units=["n1c0b0"]).page
    script = """return {
      unknown: document.querySelectorAll(".panel .unknown").length,
      shown: document.querySelectorAll(".panel [data-address]").length,
      rows: document.querySelector(".effects").textContent,
    };"""
    outside = open_page(browser, tmp_path, content.replace("</body>", DRIVER % script), "step=2&unit=n0c0b0m0p0")
    assert outside["unknown"] > 0 and outside["rows"].count("Values of this unit are not recorded") == 3
    inside = open_page(browser, tmp_path, content.replace("</body>", DRIVER % script), "step=2&unit=n1c0b0m0p0")
    assert inside["unknown"] == 0 and inside["shown"] > outside["shown"]
