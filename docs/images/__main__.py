"""Make the pictures of README and docs from what is there, in both languages, beside this file.

    python -m docs.images [film pipeline cut notebooks] [--record]

`film` and `notebooks` need a Japanese font; `notebooks` needs playwright and Chromium, and runs one in each language.
`--record` trains for `pipeline` again.
"""

from __future__ import annotations

import argparse
import sys

from docs.images import cut, film, notebooks, pipeline
from haribote.commands.command import run_command
from haribote.draw.fonts import SAMPLES, font_with
from haribote.errors import HariboteError
from simulator.language import LANGUAGES, spoken
from simulator.messages import say

PICTURES = {"film": film.make, "pipeline": pipeline.make, "cut": cut.make, "notebooks": notebooks.make}
LETTERED = ("film", "notebooks")
"""Whose letters are drawn into them as pixels."""


def main() -> int:
    """The exit status: 0, or 2 where something is missing."""
    parser = argparse.ArgumentParser(prog="python -m docs.images", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--record", action="store_true", help="train for `pipeline` again; takes minutes")
    parser.set_defaults(run=_run, command="")
    return run_command(parser)


def _run(options: argparse.Namespace) -> int:
    if unknown := [name for name in options.names if name not in PICTURES]:
        raise HariboteError(f"there is no picture {unknown[0]!r}", f"one of {', '.join(PICTURES)}")
    if options.record:
        pipeline.record()
    for name in options.names or PICTURES:
        for language in LANGUAGES:
            sample = SAMPLES.get(language, "")
            if name in LETTERED and sample and not font_with(sample):
                raise HariboteError(f"no font for the pictures in {language!r}", "install one, such as IPA Gothic")
            with spoken(language):
                say(PICTURES[name](language), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
