"""What tables and pictures say about the pieces of a program: in words, with letters for layouts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase

from haribote.layout import LayoutError
from haribote.stack.maps import NOTHING, BitMap
from haribote.stack.notation import text_of
from haribote.stack.places import Place
from haribote.stack.plan import Alias, Become, Compute, Halve, Load, Multiply, Pick, Shift, Store, Stream, Version
from haribote.stack.program.builder import ActionCode, Built
from haribote.stack.program.scheduled import cut
from haribote.stack.program.work import Joined, Spill, reads, writes
from simulator.isa.cost import Cost, cost_of
from simulator.messages import tr


def piece_costs(built: Built) -> list[Cost]:
    """What the lines of each piece cost when nothing overlaps; a nop is of the piece whose line waits."""
    return [cost_of(piece) for piece in cut(built.plain, (piece.lines for piece in built.pieces))]


class Letters:
    """A letter for every layout of a program, in the order in which they appear."""

    def __init__(self, built: Built) -> None:
        found = [version.map for version in built.plan.resident]
        for piece in built.pieces:
            found += [version.map for version in (*read(piece), *made(piece))]
        self._letters: Mapping[BitMap, str] = {
            layout: _letter(number) for number, layout in enumerate(dict.fromkeys(found))
        }

    def __getitem__(self, layout: BitMap) -> str:
        return self._letters[layout]

    def legend(self) -> Iterator[str]:
        """What the letters stand for, in the language of the moment."""
        for layout, letter in self._letters.items():
            size = "x".join(map(str, layout.shape)) or tr("scalar")
            yield f"{letter}  {size}  {layout_text(layout)}, {tr('{value} words per PE', 2 * layout.longs)}"


def _letter(number: int) -> str:
    """A, B, …, Z, AA, AB, …"""
    more, last = divmod(number, len(ascii_uppercase))
    return (_letter(more - 1) if more else "") + ascii_uppercase[last]


def layout_text(found: BitMap) -> str:
    """A map in the notation, or bit by bit where the notation cannot say it."""
    try:
        return text_of(found)
    except LayoutError:
        return ", ".join(f"{bit} {found.name(carry)}" for bit, carry in found.carries if carry != NOTHING)


def told(piece: ActionCode) -> str:
    """What an action does, in a few words."""
    match piece.action:
        case Spill(_, back):
            return tr("back from DRAM") if back else tr("to DRAM, for want of room")
        case Load(_, half):
            return tr("load halves") if half else tr("load")
        case Store():
            return tr("store")
        case Shift(source, _, combine, _):
            return f"{combine or 'move'} {source}"
        case Alias(source, _):
            return tr("same words as {value}", source.value)
        case Compute(nodes, _, _):
            return "; ".join(f"{node.op_type} {', '.join(node.input)}" for node in nodes)
        case Halve(source, _, _):
            return tr("halves of {value}", source.value)
        case Multiply(spec, a, b, _, _, precision):
            return f"{a.value} x {b.value}, {spec}" + f", {precision}" * (precision != "float")
        case Stream(matrix, vectors):
            return tr("{value} x {value2}, streamed", matrix.value, vectors.value)
        case Joined(multiply, shift):
            return f"{multiply.a.value} x {multiply.b.value}, {multiply.spec}, {shift.combine}"
        case Pick(source):
            return f"{tr('pick from')} {source.value}"
        case Become(source, _):
            return tr("becomes {value}", source.value)


def read(piece: ActionCode) -> list[Version]:
    """The versions that a piece reads from homes."""
    return list(dict.fromkeys(reads(piece.action)))


def made(piece: ActionCode) -> list[Version]:
    """The versions that a piece gives homes."""
    return list(dict.fromkeys(writes(piece.action)))


def subject(piece: ActionCode) -> str:
    """The values that an action is about: those that it makes, else what it takes away."""
    return ", ".join(str(version) for version in made(piece) or read(piece))


def way(piece: ActionCode, letters: Letters) -> str:
    """From which layouts to which, `A B -> C`."""
    before = " ".join(dict.fromkeys(letters[version.map] for version in read(piece)))
    after = " ".join(dict.fromkeys(letters[version.map] for version in made(piece)))
    return f"{before or 'DRAM'} -> {after or 'DRAM'}"


def where(places: Sequence[Place]) -> str:
    """`GRF0:8 GRF1:8`: the homes of a version, with their addresses in words."""
    return " ".join(f"{place.memory}:{place.address}" for place in places)


def utilisation(cost: Cost) -> str:
    """For how many of its steps a program waits, and how many each unit works."""
    steps = max(cost.steps, 1)
    units = ", ".join(f"{name} {count / steps:.0%}" for name, count in sorted(cost.units.items()) if name != "nop")
    return tr(
        "of {steps} steps {nops} wait ({value:.1%}); units work in: {value2}",
        steps=cost.steps,
        nops=cost.nops,
        value=cost.nops / steps,
        value2=units or tr("none"),
    )
