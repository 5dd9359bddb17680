"""What a frame does, in words: for the page's step from `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from simulator.explain.line import sentences
from simulator.isa import program as p
from simulator.language import language
from simulator.messages import tr


def frame_words(lines: Sequence[p.Line]) -> tuple[list[str], str]:
    """Sentences to read at once, and the text to unfold: operands and cycles ("" where there is no more to say)."""
    if not lines:
        return [tr("The machine before the first line. What is not listed is zero.")], ""
    if len(lines) > 1:
        return [_debug(lines)], ""
    return _explained(lines[0], language())


@lru_cache(maxsize=1 << 12)
def _explained(line: p.Line, into: str) -> tuple[list[str], str]:
    """The same of one line. into: the language of the moment, which `sentences` speaks."""
    found = sentences(line)
    text = [part for sentence in found for part in sentence.lines()]
    return [sentence.text for sentence in found], "\n".join(text) if len(text) > len(found) else ""


def _debug(lines: Sequence[p.Line]) -> str:
    if isinstance(lines[0], p.DebugGet):
        return tr(
            "{lines:,} debug statements: the emulator prints what stands in these words. Nothing changes.", len(lines)
        )
    return tr("{lines:,} debug statements: data put in place by the emulator, at no cost of time.", len(lines))
