"""No message alters what stands in its places: names of files, nodes and folders are often words of the catalogues."""

from __future__ import annotations

import string

import pytest

from notebooks.messages import DOMAINS, read
from simulator.messages import Text
from simulator.page_texts import END_OF_CONTEXT

VALUES = ("step", "loss", "output", "mixed", "gold", "case", "passed", "wrong rows")
"""Words that the catalogues have by themselves, as a learner may call a node, a folder or a file."""
MARK = "⟦⟧"


def places(template: str) -> dict[str, bool]:
    """The names of what is put into a template, and whether it may be text: no number's format; {} of no template."""
    try:
        parts = [(name, spec, how) for _, name, spec, how in string.Formatter().parse(template) if name]
    except ValueError:  # braces that mean themselves
        return {}
    if not all(name.isidentifier() for name, _, _ in parts):
        return {}
    numbers = {name for name, spec, _ in parts if spec and spec[-1] in "fgde%,x"}
    return {name: name not in numbers for name, _, _ in parts}


def said(template: str, name: str, value: str) -> str:
    """The message in Japanese with a value in a place, and 7 in all others; spaces do not count, for columns of tables
    have a width.
    """
    return "".join(Text(template, {other: 7 for other in places(template)} | {name: value}).said("ja").split())


@pytest.mark.parametrize("domain", DOMAINS)
def test_names_and_paths_are_verbatim_in_every_message(domain: str) -> None:
    templates = [text for text in read(domain, "ja") if END_OF_CONTEXT not in text]
    checked, altered = 0, []
    for template in templates:
        for name in (name for name, text in places(template).items() if text):
            checked += 1
            marked = said(template, name, MARK)
            for value in VALUES:
                if said(template, name, value) != marked.replace(MARK, "".join(value.split())):
                    altered.append((template, name, value))
    assert checked > 400 and altered == []
