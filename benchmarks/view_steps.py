"""How long a step of the viewer takes, from the key to the painted page: `python -m benchmarks.view_steps PAGE.html`.

PAGE.html: what `python -m simulator view` wrote. In a headless Chromium; the median, the slowest tenth and the slowest.
Before them, the first frame: until something is painted, until the page can be used, until its values are there too,
and the CPU time of its thread by then.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from pathlib import Path

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
TIMED = """async (count) => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  const times = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await painted();
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 120)); // a person's pace; what the page does when idle is done
  }
  return times;
}"""


VALUES = "() => globalThis.viewer?.recording.words"
READY = """() => new Promise((done) => {
  let usable = 0;
  const look = () => {
    if (globalThis.viewer) usable ||= performance.now();
    if (!usable || !viewer.recording.words) return setTimeout(look, 1);
    const painted = performance.getEntriesByType("paint").map((entry) => entry.startTime);
    return done([Math.min(...painted), usable, performance.now()]);
  };
  look();
})"""


def first_frame(page: Path, width: int = 1280, height: int = 800) -> tuple[float, float, float, float]:
    """Milliseconds until something is painted, the page can be used, its values are there; its CPU by then."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=browser, args=FLAGS) as chromium:
        context = chromium.new_context(viewport={"width": width, "height": height})
        tab = context.new_page()
        tab.set_default_timeout(120_000)
        metrics = context.new_cdp_session(tab)
        metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
        tab.goto(page.resolve().as_uri(), wait_until="commit")
        painted, usable, whole = tab.evaluate(READY)
        found = {one["name"]: one["value"] for one in metrics.send("Performance.getMetrics")["metrics"]}
        return painted, usable, whole, 1000 * found["TaskDuration"]


def step_times(page: Path, count: int, first: int = 0, width: int = 1280, height: int = 800) -> list[float]:
    """Milliseconds of each of `count` steps forward from step `first` on."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=browser, args=FLAGS) as chromium:
        tab = chromium.new_page(viewport={"width": width, "height": height})
        tab.set_default_timeout(120_000)
        tab.goto(f"{page.resolve().as_uri()}#step={first}")
        tab.wait_for_function(VALUES)
        tab.wait_for_timeout(1000)
        times: list[float] = tab.evaluate(TIMED, count)
        return times


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=100)
    options = parser.parse_args()
    painted, usable, whole, spent = first_frame(options.page)
    print(f"painted after {painted:.0f} ms, first frame {usable:.0f} ms, values {whole:.0f} ms, CPU {spent:.0f} ms")
    times = sorted(step_times(options.page, options.count, options.first))
    middle, tenth = statistics.median(times), times[int(0.9 * len(times))]
    print(f"{len(times)} steps: median {middle:.1f} ms, 90 % below {tenth:.1f} ms, most {times[-1]:.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
