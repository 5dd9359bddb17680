"""The text that `haribote gpt train` reads where no other is given: small stories that a grammar of ours tells.

No text of anyone else's is in it. It is the same wherever it is made: every choice comes from a counter, by a sequence
of numbers that we compute ourselves, so it changes with no version of Python or NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LENGTH = 300_000
"""Characters of the text."""

BEINGS = ("fox", "cat", "bear", "hen", "owl", "dog", "mouse", "goat", "girl", "boy", "king", "baker", "sailor", "child")
NATURES = ("old", "small", "brave", "tired", "happy", "quiet", "young", "clever", "lazy", "kind", "proud", "hungry")
THINGS = ("apple", "lamp", "book", "key", "stone", "bell", "boat", "drum", "letter", "hat", "cup", "rope", "coin")
LOOKS = ("red", "blue", "round", "heavy", "golden", "little", "broken", "warm", "green", "shiny", "wooden", "white")
PLACES = ("river", "hill", "forest", "house", "garden", "market", "bridge", "tower", "lake", "mill", "harbour", "cave")
TIMES = ("in the morning", "at night", "one day", "in spring", "after the rain", "before dawn", "at noon", "in winter")
FINDS = ("finds", "sees", "wants", "carries", "hides", "takes", "loses", "paints", "buys", "brings")
GOES = ("walks", "runs", "swims", "comes back", "goes home", "looks", "sings on the way", "climbs")
WAYS = ("to", "behind", "past", "near", "over to")
FEELS = ("glad", "sad", "afraid", "proud", "sleepy", "full of joy", "not alone", "in a hurry", "very still")
WEATHERS = ("the sun shines", "the wind blows", "the rain falls", "the snow is deep", "the moon is up", "it is cold")


class Dice:
    """Choices that are the same on every machine."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def one(self, items: Sequence[str]) -> str:
        """One of the items."""
        return items[self.below(len(items))]

    def below(self, count: int) -> int:
        """A number from 0 to count - 1: the upper bits of a linear congruential sequence modulo 2**64."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self._state >> 33) % count


def stories(length: int = LENGTH) -> str:
    r"""So many characters of stories, each of a line of some sentences; of small letters and ` .,\n`."""
    dice, parts, total = Dice(2024), list[str](), 0
    while total < length:
        parts.append(" ".join(_story(dice)) + "\n")
        total += len(parts[-1])
    return "".join(parts)[:length]


def _story(dice: Dice) -> Iterator[str]:
    """The sentences of a story about one or two beings, a thing and a place."""
    hero, other = f"the {dice.one(NATURES)} {dice.one(BEINGS)}", f"the {dice.one(BEINGS)}"
    thing, place = f"{dice.one(LOOKS)} {dice.one(THINGS)}", f"the {dice.one(PLACES)}"
    yield f"{dice.one(TIMES)} {hero} {dice.one(FINDS)} a {thing} {dice.one(('near', 'behind', 'by'))} {place}."
    for _ in range(1 + dice.below(3)):
        yield _sentence(dice, hero, other, thing, place)
    yield dice.one((f"then {hero} is {dice.one(FEELS)}.", f"now {other} has the {thing}.", "and so the day ends."))


def _sentence(dice: Dice, hero: str, other: str, thing: str, place: str) -> str:
    """One sentence in the middle of a story."""
    forms = (
        lambda: f"{dice.one(WEATHERS)}, and {hero} {dice.one(GOES)} {dice.one(WAYS)} {place}.",
        lambda: f"{hero} gives the {thing} to {other}.",
        lambda: f"{other} {dice.one(FINDS)} the {thing} too, but {hero} is {dice.one(FEELS)}.",
        lambda: f"{other} {dice.one(GOES)} {dice.one(WAYS)} the {dice.one(PLACES)}.",
        lambda: f"where is the {thing} now, asks {other}. it is in {place}, says {hero}.",
        lambda: f"{dice.one(TIMES)} {other} is {dice.one(FEELS)}.",
    )
    return forms[dice.below(len(forms))]()
