"""The matrix core: 8x8 blocks of one operand, X, in a matrix register, times vectors of the other, Y.

For every row group of X (8 rows: three free index bits of X that come to W and PE) and every block of what is summed
over at addresses, all vectors of Y, four to a step, are multiplied; a step adds to the sums of the block before. The
lines come in the order of the threads; the scheduler lets them overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from haribote.stack.code import GRF, LM, Code, Slot, long
from haribote.stack.places import Place
from haribote.stack.products.core import NEAR, Core
from haribote.stack.products.matching import loops, turned
from haribote.stack.products.registers import Registers
from haribote.stack.products.result import Result, result
from haribote.stack.products.room import BLOCK, GROUP, Banks, banks
from haribote.stack.products.spec import Carries, NoProduct, Spec, Tag, tags
from haribote.stack.products.split import split, unit_matrix
from haribote.stack.products.turn import turn
from haribote.stack.products.walk import Side, Values, cycles, walk


@dataclass(frozen=True)
class _Walks:
    """What the loops go over. rows, within: the index bits of the 8 rows of a block, and of the 4 vectors of a step."""

    batches: list[dict[Tag, int]]
    row_groups: list[dict[Tag, int]]
    groups: list[dict[Tag, int]]
    blocks: list[dict[Tag, int]]
    rows: list[tuple[int, Tag]]
    within: list[Tag]


def _walks(spec: Spec, x: Carries, y: Carries, goal: Result) -> _Walks:
    found = loops(spec, x, y)
    assert found is not None
    near = [goal.side.carries[bit] for bit in NEAR]
    rows = [(number, carry) for number, carry in enumerate(near) if isinstance(carry, Tag)]
    within = goal.cycles or [tag for tag in goal.side.tags() if tag in found.y_free][:2]
    if not all(tag in found.x_free for _, tag in rows) or not all(tag in found.y_free for tag in within):
        raise NoProduct(
            "W and PE of a product's result carry rows of its matrix, the cycles other index bits",
            f"{[str(tag) for _, tag in rows]} and {[str(tag) for tag in within]}",
        )
    chosen = {tag for _, tag in rows} | set(within)
    row_groups, groups = ([tag for tag in free if tag not in chosen] for free in (found.x_free, found.y_free))
    batches, x_groups, y_groups, blocks = (
        list(walk(spec, bits)) for bits in (found.batch, row_groups, groups, found.summed)
    )
    return _Walks(batches, x_groups, y_groups, blocks, rows, within)


@dataclass
class _Product:
    """A product while it is emitted: what it reads, where it goes, and the memories that it uses."""

    code: Code
    x: Side
    y: Side
    goal: Result
    walks: _Walks
    banks: Banks
    exact: bool

    def __post_init__(self) -> None:
        self.parts = ("hi", "lo") if self.exact else ("hi",)
        self.registers = Registers(self.code)
        self.depth = len(self.walks.blocks)
        chunk = self.banks.chunk
        self.vectors = self.code.take(GROUP * self.depth * chunk * len(self.parts), (self.banks.vectors,))
        self.sums = None if self.banks.in_place else self.code.take(GROUP * chunk, (self.banks.sums,))
        self.forms = self._forms()

    def _forms(self) -> list[dict[str, Slot]]:
        """Room for blocks of X. Where nothing is summed over addresses each is used once, and two are enough."""
        rest = [bank for bank in (*LM, *GRF) if bank not in (self.banks.vectors, self.banks.sums)]
        where = sorted(rest, key=lambda bank: bank != self.banks.matrices)
        if self.depth == 1:
            low = self.banks.sums  # free while the first products are no sums yet
            return [
                {part: self.code.take(BLOCK, where if part == "hi" else (low,)) for part in self.parts} for _ in "ab"
            ]
        count = self.depth * len(self.walks.row_groups)
        if self.code.largest(where[0]) < BLOCK * count * len(self.parts):
            count = self.depth
        return [{part: self.code.take(BLOCK, where) for part in self.parts} for _ in range(count)]

    def run(self) -> None:
        """All lines."""
        number = len(self.walks.row_groups)
        ahead = self.depth > 1 and len(self.forms) == self.depth * number
        size = self.banks.chunk
        chunks = [self.walks.groups[at : at + size] for at in range(0, len(self.walks.groups), size)]
        for batch in self.walks.batches:
            if ahead:
                for rows in range(number):
                    self._split_blocks(batch, rows)
            for chunk in chunks:
                self._split_vectors(batch, chunk)
                for rows in range(number):
                    if not ahead:
                        self._split_blocks(batch, rows)
                    self._multiply(batch, rows, chunk)

    # --- pseudo-singles -----------------------------------------------------------------------------------------

    def _form(self, rows: int, block: int) -> dict[str, Slot]:
        return self.forms[(rows * self.depth + block) % len(self.forms)]

    def _vectors(self, part: str, block: int, group: int) -> str:
        number = (self.parts.index(part) * self.depth + block) * self.banks.chunk + group
        return long(self.vectors, GROUP * number, "v")

    def _split(self, single: str, forms: Sequence[str]) -> None:
        if self.exact:
            register = self.registers.load(unit_matrix(self.code, "LM0"))
            self.code.add(*split(register, single, *forms))
        else:
            self.code.add(f"gbfn {single} {forms[0]}")

    def _split_blocks(self, batch: Values, rows: int) -> None:
        """The blocks of a row group."""
        for number, block in enumerate(self.walks.blocks):
            form = self._form(rows, number)
            for half in (0, 4):
                base = {**batch, **self.walks.row_groups[rows], **block}
                elements = [
                    {**base, **{tag: row >> bit & 1 for bit, tag in self.walks.rows}} for row in range(half, half + 4)
                ]
                self._split(self.x.text(elements), [long(slot, 2 * half, "v") for slot in form.values()])
            for slot in form.values():
                self.registers.forget(slot)

    def _split_vectors(self, batch: Values, chunk: Sequence[Values]) -> None:
        for number, block in enumerate(self.walks.blocks):
            for place, group in enumerate(chunk):
                single = self.y.text(cycles(self.walks.within, {**batch, **group, **block}))
                self._split(single, [self._vectors(part, number, place) for part in self.parts])

    # --- products -----------------------------------------------------------------------------------------------

    def _stages(self, groups: int) -> list[tuple[int, str, str]]:
        """Block, form of X and form of Y of each product, in order: small products first where that costs nothing,
        so that their rounding does not count."""
        if not self.exact:
            return [(block, "hi", "hi") for block in range(self.depth)]
        if self.depth == 1:
            order = [("lo", "hi"), ("hi", "hi")] if groups >= 4 else [("hi", "hi"), ("lo", "hi")]
            return [(0, "hi", "lo"), *((0, *forms) for forms in order)]
        small = [(block, *forms) for block in range(self.depth) for forms in (("lo", "hi"), ("hi", "lo"))]
        large = [(block, "hi", "hi") for block in range(self.depth)]
        return small + large if groups > 1 else sorted(small + large, key=lambda stage: stage[0])

    def _multiply(self, batch: Values, rows: int, chunk: Sequence[Values]) -> None:
        """All sums of a row group."""
        stages = self._stages(len(chunk))
        forwarded = False
        for number, (block, matrix, vector) in enumerate(stages):
            last = number == len(stages) - 1
            same = not last and stages[number + 1][:2] == (block, matrix) and len(chunk) == 1
            register = self.registers.load(self._form(rows, block)[matrix])
            for place, group in enumerate(chunk):
                elements = cycles(self.walks.within, {**batch, **self.walks.row_groups[rows], **group})
                total = self._sum(place, elements)
                addend = "" if number == 0 else " $mauf" if forwarded else f" {total}"
                line = f"gm{'fma' if number else 'mul'} ${register} {self._vectors(vector, block, place)}{addend}"
                if last:
                    self.code.add(*self.goal.store(line, elements))
                else:
                    self.code.add(f"{line} {'$nowrite' if same else total}")
            forwarded = same

    def _sum(self, place: int, elements: Sequence[Values]) -> str:
        if self.sums is not None:
            return long(self.sums, GROUP * place, "v")
        return self.goal.side.text(elements, self.goal.side.banks.index(self.banks.sums))


def emit_matrix(
    code: Code, core: Core, a: Sequence[Place], b: Sequence[Place], target: Place | Sequence[Place]
) -> None:
    """Add the lines of a product in the matrix unit. Raises NoProduct, NoRoom."""
    spec, goal = core.spec, result(core, target)
    letters = spec.a, spec.b
    sides = [Side(tuple(homes), tags(homes[0].map, own)) for homes, own in ((a, spec.a), (b, spec.b))]
    order = (0, 1) if core.matrix == "a" else (1, 0)
    ready = [turned(sides[number].carries, core.turns[number]) for number in order]
    walks = _walks(spec, ready[0], ready[1], goal)
    exact = core.precision == "float"
    parts = 2 if exact else 1
    homes = [() if core.turns[number] else sides[number].banks for number in order]
    chosen = banks(code, len(walks.groups), len(walks.blocks), parts, goal.side.banks, homes)
    with code.scratch():
        x, y = (sides[number] for number in order)
        product = _Product(code, x, y, goal, walks, chosen, exact)
        product.x = turn(
            code,
            spec,
            letters[order[0]],
            _best(x, chosen.matrices),
            core.turns[order[0]],
            _first(chosen.sums, chosen.vectors, without=chosen.matrices),
        )
        product.y = turn(
            code,
            spec,
            letters[order[1]],
            _best(y, chosen.vectors),
            core.turns[order[1]],
            _first(chosen.sums, *LM, without=chosen.vectors),
        )
        product.run()


def _best(side: Side, avoided: str) -> Side:
    """The operand with the homes outside one memory first."""
    return Side(tuple(sorted(side.homes, key=lambda place: place.memory == avoided)), side.carries)


def _first(*chosen: str, without: str) -> list[str]:
    """The memories of a PE but one, some first."""
    rest = [bank for bank in (*GRF, *LM) if bank != without]
    return sorted(rest, key=lambda bank: chosen.index(bank) if bank in chosen else len(chosen))
