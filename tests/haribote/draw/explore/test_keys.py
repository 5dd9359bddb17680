"""Keys pressed in an explorer are its own: none reaches the notebook around it, where it would edit or delete cells."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from haribote.draw import explore
from haribote.draw.explore.panel import widget_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PAGE = """<body><div id="host"></div><p id="out">nothing</p><script type="module">
{code}
const values = {values};
const model = {{ get: (name) => values[name], set() {{}}, save_changes() {{}}, on() {{}} }};
const seen = [];
document.addEventListener("keydown", (event) => {{  // as JupyterLab does it: before the widget, except below its mark
  if (!event.target.closest("[data-lm-suppress-shortcuts]")) seen.push("before " + event.key);
}}, true);
for (const kind of ["keydown", "keypress", "keyup"]) document.addEventListener(kind, (event) => seen.push(event.key));
widget.render({{ model, el: document.getElementById("host") }});
const inputs = document.querySelectorAll("#host input, #host select, #host button, #host canvas");
for (const input of inputs) for (const kind of ["keydown", "keypress", "keyup"]) for (const key of ["d", "x", "Escape"])
  input.dispatchEvent(new KeyboardEvent(kind, {{ key, bubbles: true }}));
document.getElementById("out").textContent = inputs.length + " controls, " + seen.length + " keys: " + seen;
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("script", ["panel.js", "pad.js"])
def test_no_key_reaches_the_notebook(script: str, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    widget = explore.layout("256x16.A").widget() if script == "panel.js" else widget_of(script, strokes=[], html="")
    values = {name: getattr(widget, name) for name in widget.trait_names(sync=True) if not name.startswith("_")}
    page = tmp_path / "page.html"
    code = widget._esm.replace("export default", "const widget =")
    page.write_text(PAGE.format(code=code, values=json.dumps(values, default=str)), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
               "--disable-background-networking", "--disable-component-update", f"--user-data-dir={tmp_path / 'user'}",
               "--virtual-time-budget=3000"]  # fmt: skip
    done = subprocess.run(
        [CHROMIUM, *options, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120
    )
    found = done.stdout.partition('<p id="out">')[2].partition("</p>")[0]
    assert int(found.split()[0]) >= 2 and found.endswith(" controls, 0 keys: "), found
