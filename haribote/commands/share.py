"""`haribote share`: a page that plays by itself, a picture and a film of a compiler at work, to show to others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from haribote.commands.infer import read_image
from haribote.data.dataset import load
from haribote.network import NETWORKS, SMALL
from haribote.share.folder import FILM, PAGE, PICTURE, VIEW, check_folder, write_folder
from haribote.share.story import Story, Wanted, network_of_run, tell
from simulator.messages import say, tr

RUN = Path("runs/sim")


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
