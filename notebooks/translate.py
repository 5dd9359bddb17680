"""Bring translations in step with their English sources: `python -m notebooks.translate [--new] [NAMES]`.

Paragraphs are marked `stale` or `missing` where there is something to do; see translation.py for the form.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from haribote.commands.command import run_command
from notebooks.form import english_texts, places
from notebooks.translation import read, renewed
from simulator.files import write_file


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 where the translations are whole, 1 where there is something to translate, 2 for a mistake."""
    parser = argparse.ArgumentParser(prog="python -m notebooks.translate", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only notebooks whose name contains it: 02_autograd")
    parser.add_argument("--new", action="store_true", help="begin translations of those that have none, too")
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    left = 0
    for place in places(options.names):
        source = place.source.with_name(place.source.name.removesuffix(".md") + ".ja.md")
        if place.language != "en" or not (source.is_file() or options.new):
            continue
        found = renewed(english_texts(place), read(source) if source.is_file() else [])
        write_file(source, "\n".join(map(str, found)).encode())
        states = [paragraph.state for paragraph in found]
        left += len(states) - states.count("")
        stale, missing = states.count("stale"), states.count("missing")
        print(f"{place.name}: {len(found)} paragraphs, {stale} stale, {missing} missing")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
