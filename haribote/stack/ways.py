"""The ways of one hop of a path: every kind of transfer between two memories, as a relation between maps.

A hop moves a whole tensor by one instruction, issued as often as it takes. Some bits of the place are wired by the
instruction, bit to bit (see `instructions_as_maps`); the others, addresses beyond what one instruction covers and units
that its text chooses, differ from one issue to the next, so that any of them can become any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal

from haribote.stack.instructions_as_maps import map_of
from haribote.stack.maps import Bit, Memory, W, address, unit_bits

Kind = Literal["mv", "l2bm", "up", "down", "copy", "choose", "matrix", "add", "clear"]
Combine = Literal["", "fadd", "fmax", "fmin", "iadd", "imax", "imin"]
"""What joins the parts of an element: as single-precision numbers or as integers."""
IN_TREE: Mapping[str, str] = {"fadd": "ffadd", "fmax": "fmax", "fmin": "fmin", "iadd": "iiadd"}
"""The same as the transfers that join words on their way call it; integers have no largest or smallest there."""
HEIGHT: Mapping[Memory, int] = {"LM": 0, "L1BM": 1, "L2BM": 2, "PDM": 3, "DRAM": 3}
"""Of memories in the tree."""
MASKABLE = ("MAB", "PE")
"""Levels whose units a write mask can choose."""


UNITS_OF_KINDS: Mapping[Kind, str] = {"mv": "mv", "l2bm": "l2bm", "up": "l1bm", "down": "l1bm", "matrix": "mau"}
"""What is busy with the kinds of hops that the ALU has no part in."""
BITS = (*unit_bits("LM"), W, *map(address, range(41)))
NUMBER = {bit: number for number, bit in enumerate(BITS)}
"""The bits of places as small numbers, for the search: those of the units from the root down, W, addresses."""
UNIT_COUNT: Mapping[Memory, int] = {memory: len(unit_bits(memory)) for memory in HEIGHT}
"""Bits of the units of each memory: the first of BITS."""


@dataclass(frozen=True)
class Numbers:
    """A way's bits as numbers. wired: target and source, also as pairs; sources: those of the source; reachable: target
    bits that may differ from issue to issue; elsewhere: bits of the source that an index bit must not come from,
    where it is to go to this target bit; copies: source bits that must hold copies; the others as those of the way.
    """

    wired: Mapping[int, int]
    pairs: tuple[tuple[int, int], ...]
    repeated: tuple[int, ...]
    reduces: tuple[int, ...]
    puts: tuple[int, ...]
    to_address: tuple[int, ...]
    from_address: tuple[int, ...]
    sources: frozenset[int]
    reachable: frozenset[int]
    elsewhere: Mapping[int, tuple[int, ...]]
    copies: tuple[int, ...]


@dataclass(frozen=True, eq=False)  # each is there once
class Way:
    """One kind of hop.

    text: its line with `{A}`, `{B}` for addresses, `{n}` for the size of an MV, `{g}`, `{l}`, `{h}`, `{k}` for groups
    and L2Bs of source and target, `{unit}` for what stands after `@`, `{set}` for a set of L1Bs with its `@`, `{pe}`
    for the operand in a PE. words: of that operand per cycle.

    wires: source and target of bits that are tied together. repeated: target bits that become copies. takes, puts:
    units that an issue chooses in source and target; free_copies: it may put into several at once. to_address,
    from_address: source (target) bits that the four cycles of a PE operand run through, so that they go to (come from)
    any bits of its address. source_block, target_block: address bits that one issue covers.

    masked: the units in PEs are chosen by write masks. single: only the first cycle counts, what the others write is
    overwritten by later issues; span: long words that an issue writes, junk included. assumed: isa.md marks it [A].

    reduces: source bits whose values are joined, by `combine`; parts: bits of addresses (or W, where words == 1) that
    are.
    """

    name: str
    kind: Kind
    source: Memory
    target: Memory
    text: str
    wires: tuple[tuple[Bit, Bit], ...] = ()
    repeated: tuple[Bit, ...] = ()
    takes: tuple[Bit, ...] = ()
    puts: tuple[Bit, ...] = ()
    to_address: tuple[Bit, ...] = ()
    from_address: tuple[Bit, ...] = ()
    source_block: int = 0
    target_block: int = 0
    free_copies: bool = False
    masked: bool = False
    assumed: bool = False
    single: bool = False
    words: int = 2
    span: int = 1
    reduces: tuple[Bit, ...] = ()
    parts: int = 0
    combine: str = ""

    @cached_property
    def wired(self) -> Mapping[Bit, Bit]:
        """Target bits and the source bits that they are tied to."""
        return {target: source for source, target in self.wires}

    @cached_property
    def numbers(self) -> Numbers:
        """The same in numbers."""
        wired = {NUMBER[target]: NUMBER[source] for source, target in self.wires}
        loops = [bit for bit in BITS if bit == W or (bit.level == "address" and bit.number >= self.target_block)]
        elsewhere = {bit: self.to_address for bit in self.puts}  # an issue chooses units for all of its cycles
        # the cycles of one operand: neither chosen units nor what a matrix turns
        elsewhere |= {bit: (*self.takes, *self.to_address) for bit in self.from_address}
        return Numbers(
            wired, tuple(wired.items()), _numbers(self.repeated), _numbers(self.reduces), _numbers(self.puts),
            _numbers(self.to_address), _numbers(self.from_address), frozenset(wired.values()),
            frozenset(NUMBER[bit] for bit in (*loops, *self.puts, *self.from_address)) - wired.keys(),
            {NUMBER[bit]: _numbers(others) for bit, others in elsewhere.items()},
            _numbers(self.puts) if self.kind == "choose" else (),
        )  # fmt: skip

    @cached_property
    def spreading(self) -> tuple[tuple[int, int], ...]:
        """Units of the source that become addresses of the target."""
        pairs = [(s, t) for s, t in self.wires if t.level == "address" and s.level in ("L1B", "MAB")]
        return tuple((NUMBER[source], NUMBER[target]) for source, target in pairs)

    @cached_property
    def between(self) -> bool:
        """True for an MV that names the groups on both sides."""
        return "{g}" in self.text and "{h}" in self.text

    @property
    def unit(self) -> str:
        """What is busy, for the scheduler and the costs: no two issues of a unit share a step."""
        return UNITS_OF_KINDS.get(self.kind, "alu")

    @property
    def joined(self) -> int:
        """How many bits of parts the hop makes away with."""
        return len(self.reduces) + self.parts


def _numbers(bits: Iterable[Bit]) -> tuple[int, ...]:
    return tuple(NUMBER[bit] for bit in bits)


_MEMORY: dict[str, Memory] = {"PE": "LM", "L1BM": "L1BM", "L2BM": "L2BM", "PDM": "PDM", "DRAM": "DRAM"}
_SAMPLE = {"A": 0, "B": 0, "n": 64, "g": 0, "l": 0, "h": 0, "k": 0, "unit": "0", "set": ""}


def _transfer(
    kind: Kind, text: str, masked: bool = False, assumed: bool = False, single: bool = False, combine: str = ""
) -> Way:
    """The way that a line stands for, its relation read off the instruction's map."""
    wide = "$llb" in text
    found = map_of(text.format(**_SAMPLE, pe="$llm0v" if wide else "$lm0v"))
    source, target = _MEMORY[found.source], _MEMORY[found.target]
    names = ("repeated", "takes", "puts", "to_address", "from_address", "reduces")
    parts: dict[str, list[Bit]] = {name: [] for name in names}
    wires: list[tuple[Bit, Bit]] = []
    seen: set[Bit] = set()
    full = _block(target, [bit for lead in found.leads for bit in lead.target], wide)
    leads = [lead for lead in found.leads if lead.letter != "c" or not single]
    for lead in leads:
        seen |= {*lead.source, *lead.target}
        if combine and not lead.target and not lead.chosen:
            parts["reduces"] += lead.source
        elif lead.chosen:
            parts["takes"] += lead.source
            parts["puts"] += lead.target
        elif not lead.source:
            chosen = (masked and lead.target[0].level in MASKABLE) or ("{set}" in text)
            parts["puts" if chosen else "repeated"] += lead.target
        elif lead.source[0].level == "cycle":
            parts["from_address"] += lead.target
        elif lead.target[0].level == "cycle":
            parts["to_address"] += lead.source
        else:
            wires.append((_place(lead.source[0]), _place(lead.target[0])))
    shared = [bit for bit in unit_bits(source) if bit in unit_bits(target) and bit not in seen]
    wires += [(bit, bit) for bit in (*shared, W)]
    name = re.split("[/@{]", text.split()[0])[0] + (" " + _ends(text) if kind == "mv" else "")
    marks = {" wide": wide, " masked": masked, " single": single}
    lists: dict[str, Any] = {key: tuple(bits) for key, bits in parts.items()}
    return Way(
        name + "".join(mark for mark, given in marks.items() if given), kind, source, target, text, tuple(wires),
        source_block=_block(source, [bit for lead in leads for bit in lead.source], wide),
        target_block=_block(target, [bit for lead in leads for bit in lead.target], wide), span=1 << full,
        free_copies=kind != "mv", masked=masked, assumed=assumed, single=single, words=4 if wide else 2,
        combine=combine,
        **lists,
    )  # fmt: skip


def _ends(text: str) -> str:
    """`d.c` or `d@.c@` of an MV line."""
    return ".".join(
        part[1].replace("l", "c") + ("@" if "{g}" in part or "{h}" in part else "") for part in text.split()[1:]
    )


def _place(bit: Bit) -> Bit:
    """The second long word of a double one is the next address."""
    return address(0) if bit.level == "long" else bit


def _block(memory: Memory, bits: list[Bit], wide: bool) -> int:
    if memory == "LM":
        return 1 if wide else 0
    return max((bit.number + 1 for bit in bits if bit.level == "address"), default=0)


def _local() -> Iterator[Way]:
    """Hops between memories of the same PE, and through the matrix register, which turns cycles into PEs."""
    wide = (*kept(), (address(0), address(0)))
    yield Way("copy wide", "copy", "LM", "LM", "", wide, source_block=1, target_block=1, words=4)
    yield Way("copy", "copy", "LM", "LM", "", kept())
    yield Way("copy words", "copy", "LM", "LM", "", kept(W), words=1)
    for letter in "df":
        turned = _turned(letter)
        yield Way(f"{letter}m", "matrix", "LM", "LM", letter, kept(*turned), to_address=turned, from_address=turned)


def _turned(letter: str) -> tuple[Bit, ...]:
    """The bits that a matrix register exchanges with cycles, lowest first, from the maps of its write and its read."""
    write, read = map_of(f"{letter}mwrite $lm0v $lx0"), map_of(f"{letter}mread $lx0 $lm0v")
    columns = {
        lead.target[0].number: _element(lead.source[0]) for lead in write.leads if lead.target[0].level == "column"
    }
    rows = {lead.source[0].number: _element(lead.target[0]) for lead in read.leads if lead.source[0].level == "row"}
    assert rows == columns
    return tuple(bit for _, bit in sorted(rows.items()))


def _element(bit: Bit) -> Bit:
    return W if bit.level == "element" else bit


MV = (
    "mvp/n{n} $d{A} $lc{B}@.{k}", "mvp/n{n} $d{A}@{g} $lc{B}@{h}.{k}",
    "mvb2/n{n} $d{A} $lc{B}", "mvb4/n{n} $d{A} $lc{B}",
    "mvp/n{n} $d{A} $p{B}", "mvp/n{n} $d{A}@{g} $p{B}@{h}", "mvd/n{n} $d{A} $p{B}@{h}",
    "mvp/n{n} $p{A} $d{B}", "mvp/n{n} $p{A}@{g} $d{B}@{h}", "mvd/n{n} $p{A}@{g} $d{B}",
    "mvp/n{n} $p{A} $lc{B}@.{k}", "mvp/n{n} $p{A}@{g} $lc{B}@{h}.{k}", "mvb/n{n} $p{A}@{g} $lc{B}",
    "mvp/n{n} $p{A}@{g} $p{B}@{h}",
    "mvp/n{n} $lc{A}@.{l} $p{B}", "mvp/n{n} $lc{A}@{g}.{l} $p{B}@{h}",
    "mvp/n{n} $lc{A}@.{l} $d{B}", "mvp/n{n} $lc{A}@{g}.{l} $d{B}@{h}",
)  # fmt: skip
L2BM = (
    "l2bmd $lc{A} $lb{B}",
    "l2bmb{set} $lc{A} $lb{B}",
    "l2bmb2 $lc{A} $lb{B}",
    "l2bmd $lb{A} $lc{B}",
    "l2bm@{unit} $lb{A} $lc{B}",
)
DOWN = (
    "l1bmd $lb{A} {pe}",
    *(f"{op} ${lb}{{A}} {{pe}}" for op in ("l1bmm", "l1bmm4", "l1bmp") for lb in ("llb", "lb")),
)
UP = ("l1bmd {pe} $lb{B}", *(f"{op}@{{unit}} {{pe}} ${lb}{{B}}" for op in ("l1bmm", "l1bmm4") for lb in ("llb", "lb")))


JOINING: tuple[tuple[Kind, str], ...] = (
    ("up", "l1bmr{op} {{pe}} $llb{{B}}"), ("up", "l1bmr{op} {{pe}} $lb{{B}}"),
    ("up", "l1bmr4{op} {{pe}} $llb{{B}}"), ("up", "l1bmr4{op} {{pe}} $lb{{B}}"),
    ("l2bm", "l2bmr{op} $lb{{A}} $lc{{B}}"), ("l2bm", "l2bmr2{op} $lb{{A}} $lc{{B}}"),
    ("mv", "mvr{op}/n{{n}} $lc{{A}} $d{{B}}"), ("mv", "mvr{op}/n{{n}} $lc{{A}} $p{{B}}@{{h}}"),
    ("mv", "mvr2{op}/n{{n}} $lc{{A}} $d{{B}}"), ("mv", "mvr4{op}/n{{n}} $lc{{A}} $d{{B}}"),
)  # fmt: skip
"""Transfers that join words on their way."""


def kept(*others: Bit) -> tuple[tuple[Bit, Bit], ...]:
    """The wires of a hop within the PEs that keeps all units and words as they are but for some bits."""
    return tuple((bit, bit) for bit in (*unit_bits("LM"), W) if bit not in others)


CLEAR = Way("clear", "clear", "LM", "LM", "", kept(), masked=True)
"""Units that hold a copy keep it or get zeros: then copies are parts of a sum."""


@cache
def ways(combine: str = "") -> tuple[Way, ...]:
    """All of them; those that join parts by `combine` last."""
    found = [_transfer("mv", text) for text in MV]
    found.append(_transfer("mv", "mvb/n{n} $d{A} $lc{B}", assumed=True))
    found += [_transfer("l2bm", text) for text in L2BM]
    found += [_transfer("down", text) for text in DOWN] + [_transfer("up", text) for text in UP]
    found += [_transfer("down", text, masked=True) for text in DOWN[1:]]
    found += [_transfer("l2bm", text, single=True) for text in L2BM]
    found += [_transfer("up", text, single=True) for text in UP]
    found += [_transfer("down", text, masked, single=True) for masked in (False, True) for text in DOWN[masked:-2]]
    return (*found, *_local(), *(_joining(combine) if combine else ()))


def _joining(combine: str) -> Iterator[Way]:
    """Ways that join parts: transfers, and instructions of a PE."""
    op = IN_TREE.get(combine, "")
    for kind, text in JOINING:
        if op and ("$llb" not in text or combine[0] == "f"):
            yield _transfer(kind, text.format(op=op), combine=combine)
    if op:
        yield from _some_l1bs(_transfer("l2bm", f"l2bmr{op} $lb{{A}} $lc{{B}}", combine=combine))
    for parts in range(1, 11):
        yield Way(f"add {parts}", "add", "LM", "LM", "", kept(), parts=parts, combine=combine)
    yield _across("add W", (W,), combine)
    yield _across("add PE 0", (Bit("PE", 0),), combine)
    yield _across("add PE 1", (Bit("PE", 1),), combine)
    yield _across("add PEs", (Bit("PE", 0), Bit("PE", 1)), combine)


def _some_l1bs(all_of_them: Way) -> Iterator[Way]:
    """`l2bmr` with a set of L1Bs: some bits of their numbers are joined, the others chosen by each issue."""
    for joined in range(1, 7):
        bits = {
            on: tuple(bit for bit in all_of_them.reduces if bool(joined >> bit.number & 1) is on)
            for on in (True, False)
        }
        name, operands = all_of_them.text.split(" ", 1)
        yield replace(
            all_of_them, name=f"{all_of_them.name} over {joined}", text=f"{name}@{{unit}}/{joined} {operands}",
            reduces=bits[True], takes=bits[False],
        )  # fmt: skip


def _across(name: str, bits: tuple[Bit, ...], combine: str) -> Way:
    """Joins the words of a long word, or of neighbouring PEs, all of which then hold the result."""
    masked = name == "add PE 0"
    return Way(name, "add", "LM", "LM", "", kept(*bits), bits, reduces=bits, combine=combine, masked=masked)


@cache
def ways_into(memory: Memory, assumed: bool = False, single: bool = False, combine: str = "") -> tuple[Way, ...]:
    """Those that end in a memory, without those that join what one MAB has (`haribote.stack.nearby`). assumed: with
    what isa.md marks [A]; single: with those of one cycle.
    """
    found = (way for way in ways(combine) if way.target == memory and way.kind != "add")
    return tuple(way for way in found if (assumed or not way.assumed) and (single or not way.single))


@cache
def ways_across(source: Memory | None = None, target: Memory | None = None) -> tuple[Way, ...]:
    """Those between memories of groups, from `source` or into `target`."""
    found = (way for way in ways() if HEIGHT[way.source] == HEIGHT[way.target] == HEIGHT["DRAM"])
    return tuple(way for way in found if way.source == source or way.target == target)


@cache
def named(name: str, source: Memory, target: Memory, combine: str = "") -> Way:
    """A way by its name."""
    return next(way for way in (*ways(combine), CLEAR) if (way.name, way.source, way.target) == (name, source, target))
