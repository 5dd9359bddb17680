"""How soon the page of `haribote share` is there: `python -m benchmarks.share PAGE.html`.

In a headless Chromium, from the start of loading: until something is painted, and until the field of PEs is.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from pathlib import Path

from benchmarks.view_steps import FLAGS

READY = """() => new Promise((done) => {
  const painted = () => performance.getEntriesByType("paint").length;
  let drawn = 0;
  const look = () => {
    if (document.documentElement.dataset.ready) drawn ||= performance.now();
    return drawn && painted() ? done(drawn) : setTimeout(look, 1);
  };
  look();
})"""
PAINTED = "Math.max(...performance.getEntriesByType('paint').map((entry) => entry.startTime))"


def times(page: Path, count: int) -> tuple[list[float], list[float]]:
    """Milliseconds until the first paint, and until the field is drawn, of each of `count` visits."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    painted, drawn = [], []
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=browser, args=FLAGS) as chromium:
        for _ in range(count):
            context = chromium.new_context(viewport={"width": 1280, "height": 800})
            tab = context.new_page()
            tab.goto(page.resolve().as_uri(), wait_until="commit")
            drawn.append(float(tab.evaluate(READY)))
            painted.append(float(tab.evaluate(PAINTED)))
            context.close()
    return painted, drawn


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--count", type=int, default=10)
    options = parser.parse_args()
    for name, found in zip(("first paint", "field drawn"), times(options.page, options.count), strict=True):
        print(f"{name}: median {statistics.median(found):.0f} ms, least {min(found):.0f} ms, most {max(found):.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
