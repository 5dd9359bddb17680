"""The drawing's colours and style sheet, light and dark; what they mean, for the legend."""

from __future__ import annotations

from collections.abc import Collection

from simulator.messages import Text
from simulator.pictures.style import themed

_LIGHT = {
    "paper": "#ffffff", "ink": "#1b2330", "faint": "#5c6675", "line": "#8a94a3", "input": "#f1f3f6",
}  # fmt: skip
_DARK = {
    "paper": "#12161c", "ink": "#e8ecf2", "faint": "#a3adbb", "line": "#7c8797", "input": "#222933",
}  # fmt: skip

PAINTS = {
    "chip": (Text("runs on the chip"), "#e5e6f6", "#393fb9", "#253048", "#7098fa"),
    "yours": (Text("yours"), "#e5e6f6", "#393fb9", "#253048", "#7098fa"),
    "course": (Text("the course's, until yours passes"), "#ecebed", "#696673", "#2f353c", "#c4d0c8"),
    "failing": (Text("yours fails: the course's runs"), "#f2e1e6", "#9b193c", "#402a2d", "#f97a72"),
    "host": (Text("runs on the host"), "#f0e6de", "#894000", "#413025", "#fe9748"),
    "wrong": (Text("on the host: its kernel fails its check"), "#f2e1e6", "#9b193c", "#402a2d", "#f97a72"),
    "loss": (Text("loss value (on the host)"), "#efe3ee", "#832b7c", "#413447", "#fbadf1"),
    "matrix": (Text("matrix"), "#e5e6f6", "#393fb9", "#303049", "#a899fc"),
    "elementwise": (Text("element by element"), "#dee7e2", "#014821", "#103b2c", "#06d16d"),
    "reduction": (Text("over rows or columns"), "#edeadf", "#715c09", "#383416", "#d2ad00"),
    "shape": (Text("moves or converts only"), "#e7e9ea", "#4a5661", "#31353c", "#aeb0be"),
    "same": (Text("unchanged"), "#ecebed", "#696673", "#2f353c", "#a2b3bd"),
    "changed": (Text("~ changed"), "#ebe9de", "#665300", "#3d3119", "#e89b0f"),
    "removed": (Text("− removed"), "#f2e1e6", "#9b193c", "#3f292c", "#f3756d"),
    "added": (Text("+ added"), "#e0e5df", "#103807", "#2c442e", "#95fa78"),
}
"""Style class to its meaning, fill and stroke in a light drawing, fill and stroke in a dark one. What stands in one
legend differs for red-green blind eyes too.
"""

MARKS = {"yours": "Y", "course": "C", "failing": "F", "host": "H", "wrong": "F"}
"""Style class to the letter in the corner of its boxes, for readers who do not tell the colours apart."""

MEMORIES = {"DRAM": ("#45515c", "#b2afbd"), "LM0": ("#244e95", "#68affc"), "LM1": ("#982502", "#eea119")}
"""Memory to the colour of its wires in a light drawing and in a dark one. Wires of LM1 are dashed too."""

_RULES = """
.haribote { background: var(--paper); }
.haribote text { font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.haribote text { fill: var(--ink); text-anchor: middle; }
.haribote .paper { fill: var(--paper); }
.haribote .caption { font: 600 16px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: start; }
.haribote .title { font: 600 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.haribote .transfer .title { font-size: 11px; }
.haribote .detail { fill: var(--faint); }
.haribote .key { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: start; }
.haribote .box rect { fill: var(--input); stroke: var(--line); stroke-width: 1.25; }
.haribote .output rect { stroke-width: 2; }
.haribote .yours rect, .haribote .failing rect { stroke-width: 2.5; }
.haribote .course rect { stroke-dasharray: 4 3; }
.haribote .mark { font: 700 11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.haribote .wire { fill: none; stroke: var(--line); stroke-width: 1.6; }
.haribote .tip { fill: var(--line); stroke: none; }
.haribote .label rect { fill: var(--paper); }
.haribote .label text { font-size: 11px; fill: var(--faint); }
.haribote .wire.LM1 { stroke-dasharray: 6 3; }
"""


def style_sheet(used: Collection[str] | None = None) -> str:
    """The CSS of a drawing. used: the classes of its shapes; without, all rules."""
    rules = _RULES.split("\n")
    for paint in PAINTS:
        rules.append(f".haribote .{paint} rect {{ fill: var(--{paint}); stroke: var(--{paint}-line); }}")
        for kind in ("title", "mark"):
            rules.append(f".haribote .{paint} .{kind} {{ fill: var(--{paint}-line); }}")
    rules += [f".haribote .same .{kind} {{ fill: var(--faint); }}" for kind in ("title", "name")]
    for memory in MEMORIES:
        rules.append(f".haribote .wire.{memory} {{ stroke: var(--{memory}); }}")
        rules.append(f".haribote .tip.{memory} {{ fill: var(--{memory}); }}")
        rules.append(f".haribote .label.{memory} text {{ fill: var(--{memory}); }}")
    return themed("haribote", _variables(_LIGHT, 1, 0), _variables(_DARK, 3, 1), rules, used)


def _variables(base: dict[str, str], first: int, column: int) -> dict[str, str]:
    paints = {name: paint[first] for name, paint in PAINTS.items()}
    lines = {f"{name}-line": paint[first + 1] for name, paint in PAINTS.items()}
    return base | paints | lines | {memory: colours[column] for memory, colours in MEMORIES.items()}
