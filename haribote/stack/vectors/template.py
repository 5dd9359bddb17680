"""Lines with symbols for operands: the same for every group of words, which only differ in addresses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from haribote.stack.code import GRF, MASK_ENTRIES
from haribote.stack.vectors.lines import Issue, Line, Stuck, entry_of
from haribote.stack.vectors.nodes import Target, VectorNode

Key = TypeVar("Key")


class Symbol(NamedTuple):
    """An operand. kind and what: `path` (`alu`, `mau`), `fixed` (its text), `T`, `read` (name, home), `const` (word,
    bank), `temporary` (bank, number), `target` (a Target), `flags` (number).
    """

    kind: str
    what: tuple[object, ...]


@dataclass(frozen=True)
class TemplateInstruction:
    """op with its operands; flush, mask: numbers of flags."""

    op: str
    sources: tuple[tuple[Symbol, bool], ...]
    destinations: tuple[Symbol, ...]
    flush: int | None
    mask: int | None


@dataclass(frozen=True)
class Template:
    """temporaries: how many of 8 words in each GRF. flags: how many entries of the mask register. constants: words and
    the banks in which they are wanted.
    """

    lines: tuple[tuple[TemplateInstruction, ...], ...]
    temporaries: tuple[int, int]
    flags: int
    constants: tuple[tuple[int, str], ...]

    def text(self, operand: Callable[[Symbol], str], entries: Sequence[int], length: str) -> list[str]:
        """The lines as text. length: `l` where operands are long words, else empty."""
        return [" ; ".join(_text(i, operand, entries, length) for i in line) for line in self.lines]


def _text(i: TemplateInstruction, operand: Callable[[Symbol], str], entries: Sequence[int], length: str) -> str:
    flush = "" if i.flush is None else f"/$imr{entries[i.flush]}"
    mask = "" if i.mask is None else f"/${length}imr{entries[i.mask]}"
    sources = [("-" if negated else "") + operand(symbol) for symbol, negated in i.sources]
    flags = [f"$omr{entries[int(str(d.what[0]))]}" for d in i.destinations if d.kind == "flags"]
    places = [operand(d) + mask for d in i.destinations if d.kind != "flags"]
    if i.op == "widen":
        return " ".join([f"fvpassa{flush}", f"{sources[0]}e", *(places + flags or ["$nowrite"])])
    return " ".join([i.op + flush, *sources, *(places + flags or ["$nowrite"])])


def template(lines: Sequence[Line]) -> Template:
    """Numbers for temporaries and flags. Raises Stuck for more flags at a time than there are entries."""
    issues = [issue for line in lines for issue in line.issues.values()]
    first = {issue.node: issue for issue in issues}
    flags = _number_flags(issues)
    starts = {i: first[i.node.cover[1]].line if i.node.cover else i.line for i in issues}
    numbers: dict[tuple[Issue, str], int] = {}
    counts = tuple(_number(bank, issues, starts, numbers) for bank in GRF)
    covers = {first[i.node.cover[1]]: i for i in issues if i.node.cover}

    def place(bank: str, issue: Issue) -> Symbol:
        return Symbol("T", ()) if bank == "T" else Symbol("temporary", (bank, numbers[issue, bank]))

    def destinations(issue: Issue) -> list[Symbol]:
        found = [Symbol("target", (target,)) for target in issue.node.targets]
        return found + [place(bank, issue) for bank in sorted(issue.stored)]

    def instruction(issue: Issue) -> TemplateInstruction:
        sources: list[tuple[Symbol, bool]] = []
        for access, (_, negated) in zip(issue.accesses, issue.node.args, strict=True):
            if isinstance(access.what, Issue):
                symbol = place(access.bank, access.what)
            elif isinstance(access.what, Target):
                symbol = Symbol("target", (access.what,))
            else:
                symbol = Symbol(access.kind, {"read": (access.what, access.number)}.get(access.kind, (access.what,)))
                if access.kind == "const":
                    symbol = Symbol("const", (access.what, access.bank))
            sources.append((symbol, negated))
        own = destinations(issue) + (destinations(covers[issue]) if issue in covers else [])
        if issue.node.gives_flags and first[issue.node] is issue:
            own.append(Symbol("flags", (flags[issue.node],)))
        flush = flags[issue.node.flush] if issue.node.flush else None
        mask = flags[issue.node.cover[0]] if issue.node.cover else None
        return TemplateInstruction(issue.node.op, tuple(sources), tuple(own), flush, mask)

    texts = tuple(tuple(instruction(issue) for issue in line.issues.values()) for line in lines)
    symbols = {symbol for line in texts for i in line for symbol, _ in i.sources if symbol.kind == "const"}
    constants = sorted((int(str(symbol.what[0])), str(symbol.what[1])) for symbol in symbols)
    return Template(texts, (counts[0], counts[1]), max(flags.values(), default=-1) + 1, tuple(constants))


def _number_flags(issues: Sequence[Issue]) -> dict[VectorNode, int]:
    """Flags: from the line that makes them to the last that is masked by them. Raises Stuck."""
    last: dict[VectorNode, int] = {}
    for issue in issues:
        if (flags := entry_of(issue.node)) is not None:
            last[flags] = max(last.get(flags, 0), issue.line)
    lives: dict[VectorNode, Life] = {}
    for issue in issues:
        if issue.node.gives_flags:
            lives.setdefault(issue.node, (issue.line, last.get(issue.node, issue.line) + 1))
    numbers = _numbered(lives, range(len(MASK_ENTRIES)))
    if max(numbers.values(), default=0) >= len(MASK_ENTRIES):
        raise Stuck(f"more than {len(MASK_ENTRIES)} flags at a time", "a shorter chain")
    return numbers


def _number(bank: str, issues: Sequence[Issue], starts: dict[Issue, int], numbers: dict[tuple[Issue, str], int]) -> int:
    """Temporaries in a bank; how many there are at a time."""
    lives = {issue: (starts[issue], issue.stored[bank]) for issue in issues if bank in issue.stored}
    found = _numbered(lives)
    numbers.update({(issue, bank): number for issue, number in found.items()})
    return max(found.values(), default=-1) + 1


Life = tuple[int, int]
"""Lines: of what makes something, and from which on its place may be another's."""


def _numbered(lives: Mapping[Key, Life], free: Iterable[int] = ()) -> dict[Key, int]:
    """A place for everything: the one that has been free for longest, so that few wait for each other; a new one where
    none is free.
    """
    places = deque(free)
    count = len(places)
    busy: list[tuple[int, int]] = []  # from when on it is free, number
    numbers: dict[Key, int] = {}
    for key, (start, end) in sorted(lives.items(), key=lambda life: life[1][0]):
        for entry in sorted(entry for entry in busy if entry[0] <= start):
            busy.remove(entry)
            places.append(entry[1])
        if not places:
            places.append(count)
            count += 1
        numbers[key] = places.popleft()
        busy.append((end, numbers[key]))
    return numbers
