"""The text that a model learns: its characters as numbers, and its batches."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from haribote.gpt.stories import stories
from simulator.files import decoded, read_bytes
from simulator.messages import tr

Tokens = NDArray[np.int32]
MOST_CHARACTERS = 512
"""Different characters that a model may have."""


class TextError(HariboteError):
    """A text cannot be learned, or has characters that the model does not know."""


@dataclass(frozen=True)
class Alphabet:
    """The characters that a model knows, in order; the number of a token is its place."""

    characters: str

    def __len__(self) -> int:
        return len(self.characters)

    def tokens(self, text: str) -> Tokens:
        """The numbers of a text's characters. Raises TextError for one that is unknown."""
        numbers = {character: number for number, character in enumerate(self.characters)}
        unknown = next((at for at, character in enumerate(text) if character not in numbers), None)
        if unknown is not None:
            raise TextError(
                tr(
                    "character {number} of the text, {character!r}, is none of those that the model has learned",
                    unknown + 1,
                    text[unknown],
                ),
                tr("only these: {known!r}", self.characters),
            )
        return np.array([numbers[character] for character in text], np.int32)

    def text(self, tokens: Tokens) -> str:
        """The inverse."""
        return "".join(self.characters[int(token)] for token in tokens)


@dataclass(frozen=True)
class Corpus:
    """A text as numbers. origin: what it is, in words; digest: tells it from any other."""

    alphabet: Alphabet
    tokens: Tokens
    origin: str
    digest: str

    def batch(self, seed: int, step: int, size: int, context: int) -> tuple[Tokens, Tokens]:
        """The batch of a step: pieces of the text, [size, context], and for each character the one that follows.

        It depends on nothing but these numbers, so that a training that goes on reads what it would have read.
        """
        starts = np.random.default_rng([seed, step]).integers(0, len(self.tokens) - context, size)
        pieces = self.tokens[starts[:, None] + np.arange(context + 1)]
        return pieces[:, :-1], pieces[:, 1:]


def corpus(path: Path | None, context: int) -> Corpus:
    """The text of a file, or our stories where there is none.

    Raises TextError for a text that does not fill one window, or has too many different characters; SimulatorError for
    a file that cannot be read.
    """
    text = stories() if path is None else _read(path)
    what = tr("stories of our own") if path is None else str(path)
    if len(text) < context + 2:
        raise TextError(
            tr("{what} has {count} characters, and one piece needs {least}", what, len(text), context + 2),
            tr("a longer text; some 100,000 characters are good"),
        )  # fmt: skip
    alphabet = Alphabet("".join(sorted(set(text))))
    if len(alphabet) > MOST_CHARACTERS:
        raise TextError(
            tr(
                "{what} has {count} different characters, at most {most} can be learned",
                what,
                len(alphabet),
                MOST_CHARACTERS,
            ),
            tr("a text in one alphabet, or with rare characters taken out"),
        )
    origin = tr("{what}: {count:,} characters, {kinds} different ones", what, len(text), len(alphabet))
    return Corpus(alphabet, alphabet.tokens(text), origin, hashlib.sha256(text.encode()).hexdigest()[:16])


def _read(path: Path) -> str:
    """The text of a file, with the line ends of any system."""
    try:
        return decoded(read_bytes(path))
    except UnicodeDecodeError:
        raise TextError(tr("{path} is not a text file", path), tr("a text in UTF-8")) from None
