"""The page: one HTML file that plays by itself, and asks nothing of a network."""

from __future__ import annotations

import base64
import io
import json
import re
import zlib
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.own.ledger import COLUMNS, MEASURES, Ledger
from haribote.own.shares import per_cent
from haribote.share import texts
from haribote.share.drawings import loss_drawing, loss_points, timeline
from haribote.share.field import MEMORIES
from haribote.share.recording import Moment
from haribote.share.story import Story
from haribote.words import word
from simulator.language import language
from simulator.messages import shown, tr

VIEW = "view.html"
"""The viewer's page beside this one, where it was asked for."""


def page(story: Story, viewed: bool = False) -> str:
    """The HTML. viewed: whether VIEW lies beside it. All texts are in the language of the moment."""
    folder = files("haribote.share") / "template"

    def part(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    blocks, numbers = _blocks(story.recording.moments)
    places = {name: _with_code(text) for name, text in _texts(story).items()} | _parts(story)
    places |= {
        "LANGUAGE": language(),
        "STYLE": part("page.css"),
        "SCRIPT": part("page.js"),
        "VIEW": _view_text(viewed),
        "DATA": json.dumps(_data(story, numbers), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"),
        "FIELDS": base64.b64encode(zlib.compress(blocks, 9)).decode(),
    }
    return re.sub(r"@([A-Z_]+)@", lambda match: places[match[1]], part("page.html"))


def _texts(story: Story) -> dict[str, str]:
    """What stands on the page as text."""
    recording = story.recording
    return {
        "TITLE": texts.title(story),
        "SUBTITLE": texts.subtitle(story),
        "STEP_TITLE": tr("One training step, PE by PE"),
        "CYCLES": texts.cycles(recording.cycles),
        "FIELD_LABEL": tr("The 64 x 64 PEs of the chip, as bright as the values that they hold"),
        "MEMORIES_LABEL": tr("Memories: in bold what is written, dashed what is read"),
        "LAST": str(len(recording.moments) - 1),
        "POSITION": tr("Position in the step"),
        "PLAY": tr("Play"),
        "FIELD_TEXT": tr(
            "Each dot is one of 4,096 processing elements. It is as bright as the value that it writes, or reads, is "
            "large, and has the colour of the kernel. Words in memories above the PEs are spread over the PEs below."
        ),
        "DIGIT_TITLE": texts.digit_title(story),
        "SAYS": texts.says(story, story.answers[-1]),
        "DIGIT_TEXT": texts.digit_text(story),
        "LOSS_TITLE": tr("It learns"),
        "LOSS_TEXT": texts.loss_text(story),
        "RACE_TITLE": tr("The same step at each level"),
        "RACE_TEXT": tr("In cycles by the chip's published rates, one thing after another. Shorter is better."),
        "LEDGER_TITLE": tr("Whose is the step?"),
        "LEDGER_MORE": tr("Every part of the compiler, and what it did"),
        "FOOTER": tr(
            "Made with `haribote share`, from a run on a simulator. Haribote is an unofficial project, not affiliated "
            "with Preferred Networks. MN-Core is a trademark of Preferred Networks."
        ),
    }


def _parts(story: Story) -> dict[str, str]:
    """What stands on the page as HTML."""
    legend = [f'<li><i class="k-{kind}"></i>{escape(shown(text))}</li>' for kind, text in texts.KINDS.items()]
    legend += [f'<li><i class="{paint}"></i>{escape(name)}</li>' for paint, name in _owners(story)]
    return {
        "MEMORIES": "".join(f"<li>{escape(tr('matrix') if name == 'matrix' else name)}</li>" for name in MEMORIES),
        "TIMELINE": timeline(story),
        "LEGEND": "".join(legend),
        "PICTURES": "".join(_pictures(story)),
        "ANSWERS": "".join(
            f'<li><span>{digit}</span><span><b style="width:{100 * share:.1f}%"></b></span></li>'
            for digit, share in enumerate(story.answers[-1].shares)
        ),
        "LOSS": loss_drawing(story),
        "LANES": "".join(_lanes(story)),
        "SHARES": "".join(_shares(story)),
        "TABLE": _table(story, story.ledger),
    }


def _owners(story: Story) -> list[tuple[str, str]]:
    """Paints and names of the lower row of the timeline."""
    found = [("mine" if owner == "yours" else "course", texts.whose(story, owner)) for owner in story.owners]
    return list(dict.fromkeys(found))


def _pictures(story: Story) -> list[str]:
    drawn = [(story.digit.picture, texts.digit_title(story))]
    if story.digit.seen.shape != story.digit.picture.shape:
        drawn.append((story.digit.seen, tr("what the network sees of it")))
    return [f'<img src="{_png(pixels)}" alt="{escape(text)}">' for pixels, text in drawn]


def _lanes(story: Story) -> list[str]:
    longest = max(lane.cycles for lane in story.lanes)
    return [
        f'<li><span>{escape(shown(lane.name))}</span><div class="track"><div class="road" style="width:'
        f'{max(2.0, 68 * lane.cycles / longest):.1f}%"><b></b></div>{escape(texts.cycles(lane.cycles))}</div>'
        f'<span class="note">{escape(shown(lane.note))}</span></li>'
        for lane in story.lanes
    ]


def _shares(story: Story) -> list[str]:
    found, whole = story.ledger, texts.all_of_it(story)
    rows = [f'<li class="whole" style="display:block">{escape(whole)}</li>'] if whole else []
    for measure in MEASURES:
        share = found.share(measure, story.author)
        bar = f'<b style="width:{100 * share:.1f}%"></b>'
        number = f'<span class="number">{escape(per_cent(share))}</span>'
        rows.append(f'<li><span>{escape(word(measure))}</span><span class="bar">{bar}</span>{number}</li>')
    return [*rows, f'<li class="small" style="display:block">{escape(texts.shares(story))}</li>']


def _table(story: Story, found: Ledger) -> str:
    head = "".join(f"<th>{escape(word(name))}</th>" for name in COLUMNS)
    cells = (found.cells(entry, texts.whose(story, entry.owner)) for entry in found.entries)
    rows = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in cells)
    return f"<thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody>"


def _view_text(viewed: bool) -> str:
    if viewed:
        text = tr("This moment in the viewer, with every word of every memory")
        return f'<a id="view" href="{VIEW}">{escape(text)}</a>'
    return _with_code(tr("`haribote share --view` puts beside it a page with every word of every memory."))


def _data(story: Story, blocks: list[int]) -> dict[str, Any]:
    """What the script plays. moments: cycle, kernel, line, memories read and written, frame of the viewer, block."""
    recording = story.recording
    return {
        "texts": {
            "play": tr("Play"),
            "pause": tr("Pause"),
            "between": texts.between(),
            "cycle": tr("cycle {cycle} of {cycles}", "{cycle}", f"{recording.cycles:,.0f}"),
        },
        "kinds": list(texts.KINDS),
        "cycles": recording.cycles,
        "kernels": [{"kind": k.kind, "label": texts.kernel_label(story, k)} for k in recording.kernels],
        "moments": [
            [
                round(m.cycle, 1),
                m.kernel,
                m.text,
                m.reads,
                m.writes,
                m.line + 1 if m.part == recording.longest else -1,
                block,
            ]
            for m, block in zip(recording.moments, blocks, strict=True)
        ],
        "liveliest": recording.liveliest,
        "losses": loss_points(story),
        "answers": [
            {"steps": a.steps, "shares": [round(share, 4) for share in a.shares], "says": texts.says(story, a)}
            for a in story.answers
        ],
        "lanes": [lane.cycles for lane in story.lanes],
    }


def _blocks(moments: tuple[Moment, ...]) -> tuple[bytes, list[int]]:
    """The fields of all moments, two PEs in a byte, each once; and the number of the field of each moment."""
    known: dict[bytes, int] = {}
    numbers = []
    for moment in moments:
        packed = (moment.field[0::2] << 4 | moment.field[1::2]).astype(np.uint8).tobytes()
        numbers.append(known.setdefault(packed, len(known)))
    return b"".join(known), numbers


def _png(pixels: NDArray[np.uint8]) -> str:
    """A small grey picture as an address that holds it."""
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(content, format="PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"


def _with_code(text: str) -> str:
    """A text as HTML, with what stands between backquotes as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
