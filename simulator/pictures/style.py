"""Colours and fonts of the pictures, light and dark.

A picture follows the theme of JupyterLab or VS Code where it is shown in one, elsewhere that of the reader's screen. It
paints its own background, so that it can be read on any page.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff", "ink": "#1b2330", "faint": "#566070", "line": "#a3acb9", "empty": "#e9ecf0", "box": "#f5f6f8",
    "from": "#1d64c8", "to": "#a85400", "good": "#167a3b", "bad": "#c2183a", "on": "#ffffff",
}  # fmt: skip
DARK = {
    "paper": "#12161c", "ink": "#e8ecf2", "faint": "#a6b0be", "line": "#6b7686", "empty": "#2a313b", "box": "#1b2129",
    "from": "#74adff", "to": "#ffab4a", "good": "#4fd07f", "bad": "#ff7388", "on": "#12161c",
}  # fmt: skip

HUES_LIGHT = ("#2a6bc6", "#b35f10", "#23804a", "#c2365b", "#7a4cc4", "#0f7d88", "#836f14", "#667080")
HUES_DARK = ("#5b9cf5", "#eda04d", "#52bd7b", "#ea6a8a", "#a985ec", "#3fbfc9", "#c2aa45", "#9aa3b0")
"""What tells units apart, classes `h0` to `h7`."""

HEAT_LIGHT = ("#fbd9a6", "#f6b267", "#ea8440", "#d2532f", "#a62436", "#6d1244")
HEAT_DARK = ("#57320f", "#8a4813", "#bf6420", "#e6893c", "#fbb873", "#ffe6bd")
"""How large an error is, smallest first, classes `e0` to `e5`."""

MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'
SANS = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif'
MONO_EM, SANS_EM = 0.61, 0.58
"""Width of a character as a share of the font size, of the widest of these fonts (sans: of ordinary text)."""

_RULES = f"""
.hbp {{ font-family: {SANS}; font-size: 12px; max-width: 100%; height: auto; }}
.hbp text {{ fill: var(--ink); }}
.hbp .paper {{ fill: var(--paper); }} .hbp .empty {{ fill: var(--empty); }} .hbp .ink {{ fill: var(--ink); }}
.hbp .box {{ fill: var(--box); stroke: var(--line); }}
.hbp .frame {{ fill: none; stroke: var(--line); }}
.hbp .rule {{ fill: none; stroke: var(--line); stroke-width: 1; }}
.hbp .gap {{ fill: none; stroke: var(--paper); stroke-width: 1; }}
.hbp .mark {{ fill: none; stroke: var(--ink); stroke-width: 2; }}
.hbp .halo {{ fill: none; stroke: var(--paper); stroke-width: 5; }}
.hbp .arrow {{ fill: none; stroke: var(--faint); stroke-width: 1.5; }}
.hbp .tip {{ fill: var(--faint); }}
.hbp .head {{ font-weight: 600; font-size: 15px; }}
.hbp .b {{ font-weight: 600; }}
.hbp .m {{ font-family: {MONO}; font-size: 11px; }}
.hbp .s {{ font-size: 11px; }}
.hbp text.f {{ fill: var(--faint); }}
.hbp text.on {{ fill: var(--on); }}
"""


def style_sheet() -> str:
    """The CSS of a picture; it touches nothing outside of it."""
    rules = [_RULES.strip()]
    for name in ("from", "to", "good", "bad"):
        rules.append(f".hbp .{name} {{ fill: var(--{name}); }} .hbp text.{name} {{ fill: var(--{name}); }}")
        rules.append(f".hbp .{name}-line {{ fill: none; stroke: var(--{name}); stroke-width: 1.5; }}")
    rules += [f".hbp .h{n} {{ fill: var(--h{n}); }}" for n in range(len(HUES_LIGHT))]
    rules += [
        f".hbp .h{n}-line {{ fill: none; stroke: var(--h{n}); stroke-width: 1.8; }}" for n in range(len(HUES_LIGHT))
    ]
    rules += [f".hbp .e{n} {{ fill: var(--e{n}); }}" for n in range(len(HEAT_LIGHT))]
    light = _variables(LIGHT, HUES_LIGHT, HEAT_LIGHT)
    dark = _variables(DARK, HUES_DARK, HEAT_DARK)
    return "\n".join(
        [
            f".hbp {{ {light} }}",
            f"@media (prefers-color-scheme: dark) {{ .hbp {{ {dark} }} }}",
            f'body[data-jp-theme-light="true"] .hbp, body.vscode-light .hbp {{ {light} }}',
            f'body[data-jp-theme-light="false"] .hbp, body.vscode-dark .hbp {{ {dark} }}',
            *rules,
        ]
    )


def _variables(base: dict[str, str], hues: tuple[str, ...], heat: tuple[str, ...]) -> str:
    values = {**base, **{f"h{n}": c for n, c in enumerate(hues)}, **{f"e{n}": c for n, c in enumerate(heat)}}
    return " ".join(f"--{name}: {value};" for name, value in values.items())
