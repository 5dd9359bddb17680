"""Colours and fonts of the pictures, light and dark.

A picture follows the theme of JupyterLab or VS Code where it is shown in one, elsewhere that of the reader's screen. It
paints its own background, so that it can be read on any page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from simulator.errors import LanguageError
from simulator.language import language

LIGHT = {
    "paper": "#ffffff", "ink": "#1b2330", "faint": "#566070", "line": "#a3acb9", "empty": "#e9ecf0", "box": "#f5f6f8",
    "from": "#1d64c8", "to": "#a85400", "good": "#006a6a", "bad": "#c2183a", "on": "#ffffff",
}  # fmt: skip
DARK = {
    "paper": "#12161c", "ink": "#e8ecf2", "faint": "#a6b0be", "line": "#6b7686", "empty": "#2a313b", "box": "#1b2129",
    "from": "#74adff", "to": "#ffab4a", "good": "#6ff0c8", "bad": "#ff5f78", "on": "#12161c",
}  # fmt: skip

HUES_LIGHT = ("#1d72e0", "#b75b07", "#2b5939", "#631f5e", "#4342ab", "#297d9d", "#6f4800", "#5d6673")
HUES_DARK = ("#5e88e9", "#f78527", "#b4ec9f", "#fb3e8e", "#e88ade", "#b3f0f8", "#a09e6a", "#9aa3b0")
"""Classes `h0` to `h7`. In pictures of the machine the first four are the PEs of a MAB, and `h7` is all of them; in
pictures without PEs they are what the legend says. They differ for red-green blind eyes too, by hue or by lightness.
"""

CYCLES_LIGHT = ("#212c40", "#39455a", "#515c72", "#6a758c")
CYCLES_DARK = ("#e4ecfb", "#bec9e3", "#a0abc4", "#838ea6")
"""The cycles of a step, classes `k0` to `k3`: one hue that fades, since hues are PEs."""

BLOCKS_LIGHT = ("#365050", "#587272")
BLOCKS_DARK = ("#afcccc", "#85a0a1")
"""Neighbouring blocks, such as L1Bs, in turn: classes `u0` and `u1`. Their numbers and places tell which is which."""

HEAT_LIGHT = ("#fbd9a6", "#f6b267", "#ea8440", "#d2532f", "#a62436", "#6d1244")
HEAT_DARK = ("#57320f", "#8a4813", "#bf6420", "#e6893c", "#fbb873", "#ffe6bd")
"""How large an error is, smallest first, classes `e0` to `e5`."""

MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'
SANS = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif'
MONO_EM, SANS_EM = 0.61, 0.58
"""Width of a character as a share of the font size, of the widest of these fonts (sans: of ordinary text)."""
JAPANESE = '"Hiragino Sans", "Yu Gothic UI", "Yu Gothic", Meiryo, "Noto Sans CJK JP", "Noto Sans JP"'
"""Fonts of macOS, Windows and Linux; without their names some systems show kanji in their Chinese forms."""

_RULES = f"""
.hbp {{ font-family: {SANS}; font-size: 12px }}
.hbp text {{ fill: var(--ink); }}
.hbp .paper {{ fill: var(--paper); }}
.hbp .empty {{ fill: var(--empty); }}
.hbp .ink {{ fill: var(--ink); }}
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


def fonts(family: str) -> str:
    """A font family, MONO or SANS, that has the characters of the language of the moment."""
    latin, _, any_ = family.rpartition(", ")
    return f"{latin}, {JAPANESE}, {any_}" if _spoken() == "ja" else family


def lang(*attributes: str) -> str:
    """What an element says about its language, ` lang="ja"`; "" in English."""
    spoken = _spoken()
    return "" if spoken == "en" else "".join(f' {name}="{spoken}"' for name in attributes or ("lang",))


def _spoken() -> str:
    try:
        return language()
    except LanguageError:  # which a card has to tell
        return "en"


def style_sheet(used: Collection[str] | None = None) -> str:
    """The CSS of a picture. used: the classes of its shapes; without, all rules."""
    rules = _RULES.split("\n")
    for name in ("from", "to", "good", "bad"):
        rules += [f".hbp .{name} {{ fill: var(--{name}); }}", f".hbp text.{name} {{ fill: var(--{name}); }}"]
        rules.append(f".hbp .{name}-line {{ fill: none; stroke: var(--{name}); stroke-width: 1.5; }}")
    for name in _scales("light"):
        rules.append(f".hbp .{name} {{ fill: var(--{name}); }}")
        rules.append(f".hbp .{name}-line {{ fill: none; stroke: var(--{name}); stroke-width: 1.8; }}")
    return themed("hbp", {**LIGHT, **_scales("light")}, {**DARK, **_scales("dark")}, rules, used)


def themed(
    name: str, light: Mapping[str, str], dark: Mapping[str, str], rules: Iterable[str], used: Collection[str] | None
) -> str:
    """The CSS of an SVG, or of a card, of class `name`; it touches nothing outside of it. light, dark: values of the
    variables; rules: a line each; used: the classes of its shapes, None for all.
    """
    lines = [rule.replace(SANS, fonts(SANS)).replace(MONO, fonts(MONO)) for rule in rules if rule]
    if used is not None:
        lines = [rule for rule in lines if applies(rule, {name, *used})]
    needed = set(re.findall(r"var\(--([\w-]+)\)", "".join(lines)))
    day, night = (
        " ".join(f"--{variable}: {value};" for variable, value in theme.items() if variable in needed)
        for theme in (light, dark)
    )
    return "\n".join(
        [
            f".{name} {{ {day} }}",
            f"@media (prefers-color-scheme: dark) {{ .{name} {{ {night} }} }}",
            f'body[data-jp-theme-light="true"] .{name}, body.vscode-light .{name} {{ {day} }}',
            f'body[data-jp-theme-light="false"] .{name}, body.vscode-dark .{name} {{ {night} }}',
            *lines,
        ]
    )


def applies(rule: str, used: Collection[str]) -> bool:
    """Whether one of the selectors of a rule names only classes that are used."""
    selectors = rule.partition("{")[0].split(",")
    return any(set(re.findall(r"\.([a-zA-Z][\w-]*)", selector)) <= set(used) for selector in selectors)


def _scales(theme: str) -> dict[str, str]:
    """Class to colour of everything that is numbered."""
    light = {"h": HUES_LIGHT, "e": HEAT_LIGHT, "k": CYCLES_LIGHT, "u": BLOCKS_LIGHT}
    dark = {"h": HUES_DARK, "e": HEAT_DARK, "k": CYCLES_DARK, "u": BLOCKS_DARK}
    chosen = light if theme == "light" else dark
    return {f"{letter}{n}": colour for letter, colours in chosen.items() for n, colour in enumerate(colours)}
