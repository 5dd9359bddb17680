"""Cards in the page of a notebook: their text is broken between words."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.contracts import contract
from simulator.notebook.card import card

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=3000"]  # fmt: skip
JUPYTERLAB = "pre { word-break: break-all; word-wrap: break-word; white-space: pre-wrap; }"
"""What its sheet says of each pre of an output, there below `.jp-OutputArea-output`."""
TEXT = "every unmistakable misunderstanding of an accumulating instruction is explained " * 4
SCRIPT = """<p id="out"></p><script>
const torn = [];
for (const pre of document.querySelectorAll("pre")) {
  const walk = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node; (node = walk.nextNode());) for (const word of node.data.matchAll(/\\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) torn.push(word[0]);
  }
}
document.getElementById("out").textContent = JSON.stringify([document.querySelectorAll("pre").length, torn]);
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize(("html", "breaks"), [
    (card("bad", "head", f'<pre class="prose">{TEXT}</pre>'), False),
    (contract("5.12")._repr_html_(), False),
    (f"<pre>{TEXT}</pre>", True),
])  # fmt: skip
def test_no_word_is_broken_in_jupyterlab(html: str, breaks: bool, tmp_path: Path) -> None:
    """The last one is what JupyterLab does to texts that say nothing: so the test sees what is torn."""
    assert CHROMIUM is not None
    page = tmp_path / "page.html"
    outputs = f'<style>.jp-OutputArea-output {JUPYTERLAB}</style><div class="jp-OutputArea-output">{html}</div>'
    page.write_text(f'<meta charset="utf-8"><body style="width: 333px">{outputs}{SCRIPT}', encoding="utf-8")
    options = [*OPTIONS, f"--user-data-dir={tmp_path / 'user'}", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *options, page.as_uri()], capture_output=True, text=True, timeout=120)
    count, torn = json.loads(done.stdout.partition('<p id="out">')[2].partition("</p>")[0])
    assert count == 1 and bool(torn) is breaks, torn
