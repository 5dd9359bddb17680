"""`haribote share`: a page that plays by itself, a picture and a film of a compiler at work, to show to others."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from haribote.commands.infer import read_image
from haribote.data.dataset import load
from haribote.network import LARGE, NETWORKS, SMALL
from haribote.share.folder import FILM, PAGE, PICTURE, VIEW, check_folder, write_folder
from haribote.share.story import Story, Wanted, network_of_run, tell
from simulator.messages import say, tr

LONGEST_NAME = 40
RUN = Path("runs/sim")


def name(text: str) -> str:
    """A name to be shown, for argparse: of one line, and not longer than a title may be."""
    found = " ".join(text.split(" ")).strip()
    if len(found) > LONGEST_NAME:
        raise argparse.ArgumentTypeError(
            tr("must have at most {most} characters, received {count}", LONGEST_NAME, len(found))
        )
    if not found.isprintable():
        raise argparse.ArgumentTypeError(tr("must be one line of characters that can be seen, received {text!r}", text))
    return found


def network_name(text: str) -> str:
    """`small`, `large`, or the widths of one of them, for argparse."""
    known = {"784-16-10": LARGE.name, "16-16-10": SMALL.name} | {network: network for network in NETWORKS}
    if text not in known:
        raise argparse.ArgumentTypeError(tr("must be one of {names}, received {text}", ", ".join(known), text))
    return known[text]


def share_command(folder: Path, data: str, network: str, run: Path | None, digit: Path | None, wanted: Wanted) -> int:
    """Write the folder; the exit status. network: "" for that of the run, or the small one. run: of `haribote train`.

    Raises as `tell`, `load`, `read_image` and `write_folder` do.
    """
    check_folder(folder)
    if digit is not None:
        wanted = replace(wanted, digit=read_image(digit))
    known = network or network_of_run(run or RUN) or SMALL.name
    wanted = replace(wanted, network=NETWORKS[known], folder=run or RUN, asked=run is not None)
    found = load(data)
    say(found.origin, flush=True)
    story = tell(wanted, found)
    contents = _contents(story)
    write_folder(folder, contents)
    for file, content in contents.items():
        say(tr("{file}: {size:,} kB", folder / file, -(-len(content) // 1000)))
    say(tr("open {page} in a browser; it needs no network", folder / PAGE))
    return 0


def _contents(story: Story) -> dict[str, bytes]:
    from haribote.share.canvas import can_write
    from haribote.share.film import film, picture
    from haribote.share.page import page

    drawn = story
    if not can_write(story.name):
        drawn = replace(story, name="")
        say(tr("no font here has all characters of {name!r}: picture and film are without it", story.name))
    contents = {PAGE: page(story, bool(story.viewer)).encode(), PICTURE: picture(drawn), FILM: film(drawn)}
    return contents | ({VIEW: story.viewer.encode()} if story.viewer else {})
