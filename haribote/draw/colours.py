"""The drawing's colours and style sheet, light and dark; what they mean, for the legend."""

from __future__ import annotations

_LIGHT = {
    "paper": "#ffffff", "ink": "#1b2330", "faint": "#5c6675", "line": "#8a94a3", "input": "#f1f3f6",
}  # fmt: skip
_DARK = {
    "paper": "#12161c", "ink": "#e8ecf2", "faint": "#a3adbb", "line": "#7c8797", "input": "#222933",
}  # fmt: skip

PAINTS = {
    "chip": ("runs on the chip", "#dbeafe", "#2563eb", "#172c54", "#6aa5ff"),
    "host": ("runs on the host", "#ffedd5", "#c2570c", "#46290f", "#fb9a4b"),
    "wrong": ("on the host: its kernel fails its check", "#fde2e4", "#c81e3a", "#4a1620", "#ff7a8c"),
    "loss": ("loss value (on the host)", "#ede9fe", "#7c3aed", "#2f2357", "#b197fc"),
    "matrix": ("matrix", "#dbeafe", "#2563eb", "#172c54", "#6aa5ff"),
    "elementwise": ("element by element", "#d9f2e6", "#0b7a55", "#0f3529", "#4cc79a"),
    "reduction": ("over rows or columns", "#fdf0c8", "#96690a", "#3b2f0c", "#e0b64a"),
    "shape": ("moves or converts only", "#eceff3", "#6b7686", "#262d38", "#95a1b2"),
    "same": ("unchanged", "#f4f5f7", "#a3acb9", "#1d232c", "#667182"),
    "changed": ("~ changed", "#fdf0c8", "#96690a", "#3b2f0c", "#e0b64a"),
    "removed": ("− removed", "#fde2e4", "#c81e3a", "#4a1620", "#ff7a8c"),
    "added": ("+ added", "#d5f5df", "#0f7a38", "#10381f", "#4fd07f"),
}
"""Style class to its meaning, fill and stroke in a light drawing, fill and stroke in a dark one."""

MEMORIES = {"DRAM": ("#596579", "#9aa7ba"), "LM0": ("#0b7f74", "#3fd0c0"), "LM1": ("#bb2a86", "#ff7cc8")}
"""Memory to the colour of its wires in a light drawing and in a dark one."""

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
.haribote .wire { fill: none; stroke: var(--line); stroke-width: 1.6; }
.haribote .tip { fill: var(--line); stroke: none; }
.haribote .label rect { fill: var(--paper); }
.haribote .label text { font-size: 10px; fill: var(--faint); }
"""


def style_sheet() -> str:
    """The CSS of a drawing; it touches nothing outside of it."""
    rules = [_RULES.strip()]
    for paint in PAINTS:
        rules.append(f".haribote .{paint} rect {{ fill: var(--{paint}); stroke: var(--{paint}-line); }}")
        rules.append(f".haribote .{paint} .title {{ fill: var(--{paint}-line); }}")
    rules.append(".haribote .same .title, .haribote .same .name { fill: var(--faint); }")
    for memory in MEMORIES:
        rules.append(f".haribote .wire.{memory} {{ stroke: var(--{memory}); }}")
        rules.append(f".haribote .tip.{memory} {{ fill: var(--{memory}); }}")
        rules.append(f".haribote .label.{memory} text {{ fill: var(--{memory}); }}")
    light = _variables(_LIGHT, 1, 0)
    dark = _variables(_DARK, 3, 1)
    light_page = f'body[data-jp-theme-light="true"] {light}'  # JupyterLab's own theme, whatever the screen's is
    dark_page = f'body[data-jp-theme-light="false"] {dark}'
    return "\n".join([light, f"@media (prefers-color-scheme: dark) {{ {dark} }}", light_page, dark_page, *rules])


def _variables(base: dict[str, str], first: int, column: int) -> str:
    values = {**base}
    for paint, colours in PAINTS.items():
        values[paint], values[f"{paint}-line"] = colours[first], colours[first + 1]
    values |= {memory: colours[column] for memory, colours in MEMORIES.items()}
    return ".haribote { " + " ".join(f"--{name}: {value};" for name, value in values.items()) + " }"
