"""The instructions of one hop: a line for every value of the bits that differ from issue to issue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, product

import numpy as np

from haribote.stack.chains import Hop
from haribote.stack.maps import COPY, Bit, W
from haribote.stack.places import Place, operand_text
from haribote.stack.rounds import Ints, Rounds, Values, address_of
from haribote.stack.shares import IDENTITY
from haribote.stack.ways import Way

Targets = Sequence[Place]
"""The places that get the same result: one, or several in different banks of the PEs."""
Four = tuple[list[int], list[int], tuple[int, ...]]
EVERY = slice(None)
"""All rounds of a hop."""


@dataclass
class Issue:
    """One line. reads, writes: addresses in the source and target of the hop. masked: the value that the bits of its
    mask must have, None without a mask. after: lines of the same hop (their numbers) that must be issued before.
    """

    text: str
    unit: str
    reads: Sequence[int] = ()
    writes: Sequence[int] = ()
    masked: int | None = None
    after: list[int] = field(default_factory=list)


def issues(hop: Hop, source: Place, *targets: Place) -> list[Issue]:
    """The lines of a hop between places whose maps are those of the hop; of the targets the banks differ."""
    if hop.target.memory == "LM":
        within: dict[str, Callable[[Hop, Place, Targets], Iterator[Issue]]] = {
            "down": _pe, "copy": _copies, "clear": partial(_copies, clears=True), "choose": _chosen,
            "matrix": _turns, "add": _joins,
        }  # fmt: skip
        return list(within[hop.way.kind](hop, source, targets))
    if hop.way.kind == "up":
        return list(_pe(hop, source, targets))
    return list((_moves if hop.way.kind == "mv" else _l2bm)(hop, source, targets[0]))


PIECE = 512
"""Long words of a reduction, a broadcast or a way down from DRAM by MV at most: steps that need the first of them need
not wait for the last, and a buffer is filled again part by part. Issue takes as long as a quarter of this (isa.md,
section 13)."""


# --- MV and L2BM -----------------------------------------------------------------------------------------------------


def _moves(hop: Hop, source: Place, target: Place) -> Iterator[Issue]:
    """MV lines; neighbours on both sides become one, of some moves up to a PIECE."""
    way, rounds = hop.way, Rounds(hop)
    if not len(rounds):
        return
    steps = 1 << way.source_block, 1 << way.target_block
    columns = (
        rounds.unit(hop.source, "group", way.takes, False), rounds.unit(hop.source, "L2B", way.takes, False),
        rounds.unit(hop.target, "group", way.puts, True), rounds.unit(hop.target, "L2B", way.puts, True),
        source.address + rounds.at(hop.source, way.source_block, False),
        target.address + rounds.at(hop.target, way.target_block, True),
    )  # fmt: skip
    further = (0, 0, 0, 0, *steps)
    apart = np.any([np.diff(column) != step for column, step in zip(columns, further, strict=True)], axis=0)
    starts = [0, *(np.flatnonzero(apart) + 1).tolist(), len(rounds)]
    pieces = way.combine or way.name.startswith("mvb") or (way.source, way.target) == ("DRAM", "L2BM")
    longest = PIECE // 64 if pieces else len(rounds)
    rows = list(_rows(columns))
    for begin, end in pairwise(starts):
        for first in range(begin, end, longest):
            (g, l2b, h, k, a, b), count = rows[first], min(longest, end - first)
            text = way.text.format(n=64 * count, A=a, B=b, g=g, l=l2b, h=h, k=k)
            yield Issue(text, "mv", range(a, a + count * steps[0]), range(b, b + count * steps[1]))


def _l2bm(hop: Hop, source: Place, target: Place) -> Iterator[Issue]:
    way, rounds = hop.way, Rounds(hop)
    columns = (
        source.address + rounds.at(hop.source, way.source_block, False),
        target.address + rounds.at(hop.target, way.target_block, True),
        rounds.unit(hop.source, "L1B", way.takes, False), rounds.unit(hop.target, "L1B", way.puts, True),
    )  # fmt: skip
    same = sum(1 << bit.number for bit in way.puts if hop.target[bit] < 0)
    for a, b, unit, chosen in _rows(columns):
        text = way.text.format(A=a, B=b, unit=unit, set=_set(chosen, same, way))
        yield Issue(text, "l2bm", range(a, a + (1 << way.source_block)), range(b, b + (1 << way.target_block)))


def _rows(columns: Sequence[Ints]) -> Iterator[tuple[int, ...]]:
    """The numbers of each round."""
    return zip(*(column.tolist() for column in columns), strict=True)


def _set(chosen: int, same: int, way: Way) -> str:
    """The L1Bs that take part: `@b0/i`, where the bits of i are copies."""
    if same == (1 << len(way.puts)) - 1:
        return ""
    return f"@{chosen}" + (f"/{same}" if same else "")


# --- PEs and L1BM ----------------------------------------------------------------------------------------------------


def _pe(hop: Hop, source: Place, targets: Targets) -> Iterator[Issue]:
    """Lines between PEs and L1BM, in the order of their masks."""
    way, up = hop.way, hop.way.kind == "up"
    banks, block, found = ((source,), targets[0], hop.source) if up else (targets, source, hop.target)
    far, through = (hop.target, way.from_address) if up else (hop.source, way.to_address)
    cycles = [far[bit] for bit in through]
    near_block, far_block = (way.source_block, way.target_block) if up else (way.target_block, way.source_block)
    rounds, off = Rounds(hop), () if up else idle_cycles(hop)
    steps = [2 * address_of(found, _cycle(cycles, c), near_block) for c in range(4)]
    columns = (
        2 * rounds.at(found, near_block, not up), block.address + rounds.at(far, far_block, up),
        rounds.unit(hop.source, "MAB", way.takes, not up), _mask_values(rounds, hop),
    )  # fmt: skip
    lines: list[Issue] = []
    for word, first, unit, value in _rows(columns):
        words = [word + step for step in steps]
        pe = _operands(banks, way.words, words, off, way.masked)
        text = way.text.format(A=first, B=first, unit=unit, pe=pe)
        span, used = range(first, first + (1 << far_block)), _touched(banks[0], words, way.words, off)
        mask = value if way.masked else None
        lines.append(Issue(text, "l1bm", used if up else span, span if up else used, mask))
    yield from sorted(lines, key=lambda line: line.masked or 0)


def idle_cycles(hop: Hop) -> tuple[int, ...]:
    """The cycles of a hop down to the PEs in which nothing new comes."""
    cycles = [hop.source[bit] for bit in hop.way.to_address]
    if hop.way.single:
        return 1, 2, 3
    return tuple(c for c in range(4) if any(c >> k & 1 and i < 0 for k, i in enumerate(cycles)))


def _cycle(cycles: Sequence[int], number: int) -> Values:
    """The values of the index bits that tell the cycles of an operand apart, in one of them."""
    return {index: number >> k & 1 for k, index in enumerate(cycles) if index >= 0}


def _touched(place: Place, words: Sequence[int], length: int, off: Sequence[int] = ()) -> list[int]:
    return [place.address + first + k for c, first in enumerate(words) if c not in off for k in range(length)]


def _operands(places: Targets, length: int, words: Sequence[int], off: Sequence[int] = (), masked: bool = False) -> str:
    """The operands that name the same words of a tensor in several banks."""
    parts = (written(p.memory, length, [p.address + word for word in words], off, masked) for p in places)
    return " ".join(parts)


def written(bank: str, length: int, words: Sequence[int], off: Sequence[int] = (), masked: bool = False) -> str:
    """`$llm8v`: an operand of `length` words per cycle at these addresses. off: cycles that are not to be written;
    masked: the mask entry follows as `{omr}`.
    """
    prefix = "l" * (length // 2)
    text = operand_text(bank, [words[0]] * 4 if len(off) == 3 else words, length)
    if masked:
        return text + f"/${prefix}imr{{omr}}"
    return text + (f"/{prefix if length == 4 else ''}{pattern(off)}" if off else "")


def pattern(off: Sequence[int]) -> str:
    """`1100`: the cycles that are written."""
    return "".join("0" if c in off else "1" for c in range(4))


# --- masks -----------------------------------------------------------------------------------------------------------


def mask_bits(hop: Hop) -> list[Bit]:
    """The unit bits that masks tell apart, by their weight in the number of a unit."""
    if hop.way.kind == "add":
        return [Bit("PE", 0)]
    return sorted((bit for bit in hop.way.puts if hop.way.masked and hop.target[bit] >= 0), key=_weight)


def _weight(bit: Bit) -> int:
    return IDENTITY[bit.level][1] << bit.number


def _mask_values(rounds: Rounds, hop: Hop) -> Ints:
    """The bits of the number that the mask of each round compares, with their values."""
    bits = mask_bits(hop)
    return sum((_weight(bit) * rounds.bit(hop.target, bit, True) for bit in bits), np.zeros(len(rounds), np.int64))


def cleared_bits(hop: Hop) -> list[Bit]:
    """The unit bits of which a hop keeps only copy 0."""
    return [bit for bit, carry in hop.source.carries if carry == COPY and hop.target[bit] >= 0]


def _clear_lines(hop: Hop, entry: int) -> list[str]:
    """Lines that put into a mask entry the PEs that keep their copy: those of whose numbers certain bits are 0."""
    numbers: dict[str, int] = {"peid": 0, "l1bid": 0, "l2bid": 0}
    for bit in cleared_bits(hop):
        numbers[IDENTITY[bit.level][0]] += _weight(bit)
    lines: list[str] = []
    for name, value in numbers.items():
        if value:
            lines += [f'imm i"{value}" $nowrite', f"iand ${name} $aluf $nowrite"]
            lines += ["ior $t $aluf $nowrite"] * (len(lines) > 2)
            lines[-1] = lines[-1].replace("$nowrite", "$t")
    lines[-1] = lines[-1].removesuffix("$t") + f"$omr{entry}"
    return lines


def mask_lines(hop: Hop, entries: Mapping[int, int]) -> list[str]:
    """Lines that put into mask entries the PEs where the bits have certain values; entries: from value to entry."""
    if hop.way.kind == "clear":
        return [line for entry in entries.values() for line in _clear_lines(hop, entry)]
    bits = mask_bits(hop)
    number = IDENTITY[bits[0].level][0] if bits else "peid"
    off = () if hop.way.kind == "choose" else idle_cycles(hop)
    tail = f"/{pattern(off)}" if off else ""
    lines = [f'imm i"{sum(map(_weight, bits))}" $nowrite', f"iand ${number} $aluf $t"]
    for value, entry in entries.items():
        lines += [f'imm i"{value}" $nowrite', f"ixor $t $aluf $omr{entry}{tail}"]
    return lines


# --- within a PE -----------------------------------------------------------------------------------------------------


def _copies(hop: Hop, source: Place, targets: Targets, clears: bool = False) -> Iterator[Issue]:
    """Four copies per line, in the order of the target's addresses. clears: zeros where a mask is not set."""
    length, name = hop.way.words, _pass(hop.way)
    first, value = (f"{name}/$imr{{omr}}", 0) if clears else (name, None)
    for reads, writes, off in _fours(hop, Rounds(hop)):
        off = () if clears else off  # a line has one mask; what is left of four is then written again
        result = _operands(targets, length, writes, off)
        text = _copy(first, source, targets, _operands((source,), length, reads), result)
        yield Issue(text, "alu", _touched(source, reads, length), _touched(targets[0], writes, length, off), value)


def _chosen(hop: Hop, source: Place, targets: Targets) -> Iterator[Issue]:
    """Four copies per line, those of one mask after those of another; what is left of four is written again."""
    length, rounds = hop.way.words, Rounds(hop)
    values = _mask_values(rounds, hop)
    for value in np.unique(values).tolist():
        for reads, writes, _ in _fours(hop, rounds, which=np.flatnonzero(values == value)):
            result = _operands(targets, length, writes, masked=True)
            text = _copy(_pass(hop.way), source, targets, _operands((source,), length, reads), result)
            yield Issue(text, "alu", _touched(source, reads, length), _touched(targets[0], writes, length), value)


def _copy(instruction: str, source: Place, targets: Targets, origin: str, result: str) -> str:
    """A copy in one line; within one memory in two, the second of which takes what the first forwards."""
    if not _in_one_memory(source, targets):
        return f"{instruction} {origin} {result}"
    return f"{instruction} {origin} $nowrite\n{instruction.split('/')[0]} $aluf {result}"


def _in_one_memory(source: Place, targets: Targets) -> bool:
    """True where a line would read and write one LM, which it may not."""
    return source.memory[:2] == "LM" and any(target.memory == source.memory for target in targets)


def _fours(hop: Hop, rounds: Rounds, parts: Values | None = None, which: Ints | slice = EVERY) -> Iterator[Four]:
    """Words of the tensors that are read and written in the cycles of a step, and the cycles that are left over.
    parts: values of the bits that tell parts apart; which: the rounds."""
    way, parts = hop.way, parts or {}
    a = 2 * (rounds.at(hop.source, way.source_block, False) + address_of(hop.source, parts, way.source_block))
    b = 2 * rounds.at(hop.target, way.target_block, True)
    if way.words == 1:
        a += rounds.bit(hop.source, W, False) + parts.get(hop.source[W], 0)
        b += rounds.bit(hop.target, W, True)
    reads, writes = a[which].tolist(), b[which].tolist()
    for start in range(0, len(reads), 4):
        own, result = reads[start : start + 4], writes[start : start + 4]
        off = tuple(range(len(own), 4))
        yield own + own[-1:] * len(off), result + result[-1:] * len(off), off


def _pass(way: Way) -> str:
    return "ipassa" if way.words == 1 else "lpassa"


def _joins(hop: Hop, source: Place, targets: Targets) -> Iterator[Issue]:
    """Lines one after another, since each forwards to the next, that join the parts of four times a way's words."""
    way = hop.way
    joined = range(hop.target.width, hop.source.width)
    choices = [dict(zip(joined, values, strict=False)) for values in product((0, 1), repeat=way.parts)]
    rounds = Rounds(hop)
    if way.name == "add W":  # by this much `lbsl` turns a long word
        yield Issue('imm i"32" $t', "alu")
    for group in zip(*(_fours(hop, rounds, parts) for parts in choices), strict=True):
        _, writes, off = group[0]
        result = _operands(targets, way.words, writes, off)
        masked = _operands(targets, way.words, writes, off, masked=True) if way.masked else ""
        lines = _joining(way, [_operands((source,), way.words, reads) for reads, _, _ in group], result, masked)
        if _in_one_memory(source, targets):
            lines[-1] = lines[-1].replace(result, "$nowrite")
            lines.append(f"{_pass(way)} ${JOIN[way.combine][1]} {result}")
        reads = [address for four in group for address in _touched(source, four[0], way.words)]
        value = 1 if way.masked else None
        yield Issue("\n".join(lines), "alu", reads, _touched(targets[0], writes, way.words, off), value)


JOIN: Mapping[str, tuple[str, str]] = {
    "fadd": ("fvadd", "mauf"), "fmax": ("fmax", "aluf"), "fmin": ("fmin", "aluf"),
    "iadd": ("iadd", "aluf"), "imax": ("imax", "aluf"), "imin": ("imin", "aluf"),
}  # fmt: skip
"""The instruction that joins two words, and the path on which its result is forwarded."""


def _joining(way: Way, parts: Sequence[str], result: str, masked: str) -> list[str]:
    """Lines that join operands: `parts`, or the words of one between them. T holds 32 where the words are W's. masked:
    the result in odd PEs only.
    """
    op, path = JOIN[way.combine]
    (first, *others) = parts
    if way.name == "add W":
        return [f"lbsl {first} $t $nowrite", f"{op} {first} $aluf {result}"]
    if way.name == "add PE 0":  # even PEs have the right neighbour's part, and hand the result on
        return [f"msr {first} $nowrite", f"{op} {first} $aluf {result}", f"msl ${path} {masked}"]
    opposite = [f"msr {first} $nowrite", "msr $aluf $nowrite"]
    if way.name == "add PE 1":
        return [*opposite, f"{op} {first} $aluf {result}"]
    if way.name == "add PEs":  # opposite PEs first: then all four add up the same pairs, and agree to the last bit
        return [*opposite, f"{op} {first} $aluf $t", f"msr ${path} $nowrite", f"{op} $t $aluf {result}"]
    sums = [f"{op} {part} ${path if number else 'aluf'} $nowrite" for number, part in enumerate(others)]
    return [f"{_pass(way)} {first} $nowrite", *sums[:-1], sums[-1].replace("$nowrite", result)]


def _turns(hop: Hop, source: Place, targets: Targets) -> Iterator[Issue]:
    """Through the matrix registers in turn: rows are written from the addresses that become PEs, columns are read."""
    way = hop.way
    rows = [hop.target[bit] for bit in way.from_address]
    columns = [hop.source[bit] for bit in way.to_address]
    parts, rounds = range(1 << max(len(rows) - 2, 0)), Rounds(hop)
    below = [[2 * address_of(hop.source, _cycle(rows, 4 * part + c)) for c in range(4)] for part in parts]
    above = [[2 * address_of(hop.target, _cycle(columns, 4 * part + c)) for c in range(4)] for part in parts]
    empty = [np.all([rounds.padding(_cycle(rows, 4 * part + c)) for c in range(4)], axis=0) for part in parts]
    number, ends = 0, list[int]()
    places = 2 * rounds.at(hop.source, 0, False), 2 * rounds.at(hop.target, 0, True)
    for count, (first, last) in enumerate(_rows(places)):
        register = "xy"[count % 2]
        free = [ends[count - 2]] if count > 1 else []
        for part in parts:
            if empty[part][count]:
                continue  # no element comes from these rows, and nobody need have written them
            words = [first + step for step in below[part]]
            text = f"{way.text}mwrite {_operands((source,), 2, words)} $l{register}{4 * part}"
            yield Issue(text, "mauw", _touched(source, words, 2), (), after=free)
            number += 1
        written = number - 1
        for part in parts:
            words = [last + step for step in above[part]]
            off = tuple(c for c in range(4) if any(4 * part + c >> k & 1 and i < 0 for k, i in enumerate(columns)))
            if len(off) < 4:
                text = f"{way.text}mread $l{register}{4 * part} {_operands(targets, 2, words, off)}"
                yield Issue(text, "maur", (), _touched(targets[0], words, 2, off), after=[written])
                number += 1
        ends.append(number - 1)
