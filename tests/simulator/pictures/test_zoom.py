"""Pictures that are looked at closely: zoomed and dragged in pages and in their files, whole without scripts."""

from __future__ import annotations

import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from simulator.pictures import Picture, animate, chip, timeline
from simulator.pictures.canvas import WIDTH, Canvas

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=3000"]  # fmt: skip


def large() -> Picture:
    canvas = Canvas()
    canvas.text(20, 40, "a detail", "s")
    return canvas.picture("large", 500, 1700, zooms=True)


def test_what_is_stored_has_no_script_and_what_is_saved_is_still_a_picture(tmp_path: Path) -> None:
    picture = large()
    assert "<script" not in picture._repr_svg_() and "<script" in picture._repr_html_()
    picture.save(tmp_path / "with.svg")
    picture.save(tmp_path / "without.svg", script=False)
    assert (tmp_path / "without.svg").read_text() == picture.text
    root = ElementTree.parse(tmp_path / "with.svg").getroot()
    assert [child.tag.rpartition("}")[2] for child in root][-1] == "script"
    assert "http" not in (tmp_path / "with.svg").read_text().replace("http://www.w3.org/2000/svg", "")


def test_only_pictures_with_details_zoom() -> None:
    assert not chip().zooms and not timeline("nop\n" * 5).zooms
    assert timeline("nop\nlpassa $lm0v $ln0v\n" * 100).zooms


@pytest.mark.parametrize("picture", [large(), animate("lpassa $lm0v $ln0v")], ids=["zoomed", "film"])
def test_keys_pressed_in_a_picture_are_its_own(picture: Picture) -> None:
    html = picture._repr_html_()
    before_controls = html[: min(html.index(kind) for kind in ("<button", "<input") if kind in html)]
    assert 'data-lm-suppress-shortcuts="true"' in before_controls


SCRIPT = """<p id="out"></p><script>
const svg = document.querySelector("svg"), box = document.querySelector(".zoom-box"), said = {}, seen = [];
const view = () => svg.getAttribute("viewBox").split(" ").map((v) => Math.round(Number(v) * 10) / 10);
const press = (key) => box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const wheel = (deltaY, ctrlKey) => svg.dispatchEvent(new WheelEvent("wheel",
  { deltaY, ctrlKey, clientX: 0, clientY: 0, bubbles: true, cancelable: true }));
document.addEventListener("keydown", (event) => seen.push(event.key));
said.width = svg.getBoundingClientRect().width; said.page = document.documentElement.scrollWidth;
said.whole = view();
said.pageScrolls = wheel(-1, false); said.still = view();
said.pageStays = wheel(-1, true); said.larger = view();
svg.setPointerCapture = () => {};
const at = (kind, clientX, clientY) => svg.dispatchEvent(new PointerEvent(kind,
  { pointerId: 1, button: 0, clientX, clientY, bubbles: true }));
at("pointerdown", 300, 100); at("pointermove", 200, 100); at("pointerup", 200, 100); at("pointermove", 0, 0);
said.dragged = view();
press("ArrowLeft"); press("ArrowLeft"); press("ArrowLeft"); press("ArrowLeft"); said.atTheEdge = view();
for (let i = 0; i < 40; i++) press("+"); said.most = view();
for (const key of ["d", "x", "Escape"]) press(key);
press("0"); said.again = view();
document.querySelectorAll(".zoom-bar button")[1].click(); said.button = view();
svg.dispatchEvent(new MouseEvent("dblclick", { bubbles: true })); said.double = view();
said.seen = seen; said.bar = getComputedStyle(document.querySelector(".zoom-bar")).display;
document.getElementById("out").textContent = JSON.stringify(said);
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_it_fits_700_pixels_and_zooms_by_wheel_buttons_and_keys(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    page = tmp_path / "page.html"
    page.write_text(f'<body style="margin:0">{large()._repr_html_()}{SCRIPT}', encoding="utf-8")
    options = [*OPTIONS, "--window-size=700,900", f"--user-data-dir={tmp_path / 'user'}", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *options, page.as_uri()], capture_output=True, text=True, timeout=120)
    said = json.loads(done.stdout.partition('<p id="out">')[2].partition("</p>")[0])
    assert WIDTH > said["page"] >= said["width"]
    assert said["whole"] == said["still"] == said["again"] == said["double"] == [0, 0, 1700, 500]
    assert said["pageScrolls"] and not said["pageStays"]
    assert said["larger"] == [0, 0, 1360, 400] and said["dragged"][0] > 0 and said["dragged"][2:] == [1360, 400]
    assert said["atTheEdge"][0] == 0 and said["most"][2] == pytest.approx(1700 / 16, abs=0.1)
    assert said["button"][2] == 1360 and said["seen"] == [] and said["bar"] == "flex"
