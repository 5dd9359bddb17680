"""The matrix core: 8x8 blocks of one operand, X, in a matrix register, times vectors of the other, Y.

For every row group of X (8 rows: three free index bits of X that come to W and PE) and every block of what is summed
over at addresses, all vectors of Y, four to a step, are multiplied; a step adds to the sums of the block before. The
lines come in the order of the threads; the scheduler lets them overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from haribote.stack.code import GRF, LM, Code, Slot, long
from haribote.stack.places import Place, operand_text
from haribote.stack.products.core import HALF, Core
from haribote.stack.products.forms import Form, Registers, in_turn, kept, rows, used_once
from haribote.stack.products.matching import loops, turned
from haribote.stack.products.result import ProductResult, result
from haribote.stack.products.room import GROUP, Banks, banks, have_room, in_blocks
from haribote.stack.products.spec import Carries, NoProduct, Spec, Tag, tags
from haribote.stack.products.split import rounding, split, unit_matrix
from haribote.stack.products.turn import turn
from haribote.stack.products.walk import ProductSide, Values, cycles, walk

COPIES = 8


@dataclass(frozen=True)
class _Walks:
    """What the loops go over. rows, within: the index bits of the 8 rows of a block, and of the 4 vectors of a step."""

    batches: list[dict[Tag, int]]
    row_groups: list[dict[Tag, int]]
    groups: list[dict[Tag, int]]
    blocks: list[dict[Tag, int]]
    rows: list[tuple[int, Tag]]
    within: list[Tag]


def _walks(spec: Spec, x: Carries, y: Carries, goal: ProductResult) -> _Walks:
    found = loops(spec, x, y, goal.kind.near)
    assert found is not None
    near = [goal.side.carries.get(bit) for bit in goal.kind.near]
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
    x: ProductSide
    y: ProductSide
    goal: ProductResult
    walks: _Walks
    banks: Banks
    core: Core
    given: Sequence[ProductSide] | None = None

    def __post_init__(self) -> None:
        self.exact, self.kind = self.core.precision == "float", self.core.kind
        self.parts = ("hi", "lo") if self.exact else ("hi",)
        self.registers = Registers(self.code)
        self.depth = len(self.walks.blocks)
        in_blocks, chunk, rows = self.banks.in_blocks, self.banks.chunk, len(self.walks.row_groups)
        self.held = 1 if in_blocks else self.depth  # blocks of vectors at once
        self.vectors = {} if self.given is not None else self._room_of_vectors()
        self.read = {side.banks[0] for side in self.given or ()} or {self.banks.vectors}
        self.apart = chunk if in_blocks else 0  # groups from the sums of a row group to those of the next
        sums = 4 * self.kind.words * (rows * chunk if in_blocks else chunk)
        self.sums = None if self.banks.in_place else self.code.take(sums, (self.banks.sums,))
        self.copies = [""]
        self.forms = self._forms(rows)
        self.near = self._copies(self.y) if self.given is None and self.banks.vectors in LM else [""]

    def _room_of_vectors(self) -> dict[str, list[Slot]]:
        """Of each part; block by block, the next is rounded while products still read the rounded part of this one."""
        words = GROUP * self.held * self.banks.chunk
        buffers = {part: 2 if self.banks.in_blocks and part == "hi" else 1 for part in self.parts}
        return {part: [self.code.take(words, (self.banks.vectors,)) for _ in range(n)] for part, n in buffers.items()}

    def _forms(self, rows: int) -> list[Form]:
        """Room for matrices; and for copies, where some lie in LM."""
        if self.depth == 1:  # nothing is summed over addresses, so a block is used once
            groups, spare = len(self.walks.groups), COPIES * GROUP
            return used_once(self.code, self.banks, self.parts, self.kind, rows, groups, spare)
        once = len(self.walks.groups) <= self.banks.chunk
        if once and (found := in_turn(self.code, self.banks, self.parts, self.depth, self.kind)):
            return found
        bank = self.banks.matrices
        if bank in LM or not have_room(self.code, bank, self.kind, len(self.parts), self.depth):
            self.copies = self._copies(self.x)
        return kept(self.code, self.banks, self.parts, rows, self.depth, self.kind)

    def _copies(self, side: ProductSide) -> list[str]:
        """Where what is rounded of an operand lies too, in turn, to be read sooner than LM lets it: what is forwarded
        keeps the steps of one rounding together. None where no GRF has room."""
        if not self.exact:
            return [""]
        other = [bank for bank in GRF if bank != side.banks[0]]
        count = min(COPIES, sum(self.code.largest(bank) // GROUP for bank in other))
        return [long(self.code.take(GROUP, other), 0, "v") for _ in range(count)] or [""]

    def run(self) -> None:
        """All lines."""
        number = len(self.walks.row_groups)
        ahead = self.depth > 1 and len(self.forms) == self.depth * number
        size = self.banks.chunk
        chunks = [self.walks.groups[at : at + size] for at in range(0, len(self.walks.groups), size)]
        for batch in self.walks.batches:
            for chunk, held in product(chunks, _ranges(self.depth, self.held)):
                for row_group in range(number) if ahead and chunk is chunks[0] else ():
                    self._split_blocks(batch, row_group, held)
                self._split_vectors(batch, chunk, held)
                for some, blocks in product(self._row_groups(), [held] if self.banks.in_blocks else self._portions()):
                    for row_group in () if ahead else some:
                        self._split_blocks(batch, row_group, blocks)
                    for row_group in some:
                        self._multiply(batch, row_group, chunk, blocks)

    def _row_groups(self) -> list[range]:
        """Row groups whose blocks are made together: one, or, of blocks that are used once, as many as half the forms
        are for."""
        return _ranges(len(self.walks.row_groups), 1 if self.depth > 1 else len(self.forms) // 2)

    def _portions(self) -> list[range]:
        """Blocks that are made and used together: all, or half of those that there are forms for, so that the next are
        made meanwhile."""
        whole = len(self.forms) >= self.depth or self.depth == 1
        return _ranges(self.depth, self.depth if whole else len(self.forms) // 2)

    # --- pseudo-singles -----------------------------------------------------------------------------------------

    def _form(self, rows: int, block: int) -> Form:
        return self.forms[(rows * self.depth + block) % len(self.forms)]

    def _vectors(self, part: str, block: int, group: int) -> str:
        """The operand of four vectors: room of the product's own, or where the halves are that were given."""
        if self.given is not None:
            batch, chunk = self.now
            elements = cycles(self.walks.within, {**batch, **chunk[group], **self.walks.blocks[block]})
            return self.given[self.parts.index(part)].text(elements, 0, self.kind.words)
        slots = self.vectors[part]
        return long(slots[block % len(slots)], GROUP * (block % self.held * self.banks.chunk + group), "v")

    def _split(self, single: str, forms: Sequence[str], copy: str = "") -> None:
        if self.exact:
            hi, lo = forms
            register = self.registers.load(rows(unit_matrix(self.code, "LM0")))
            self.code.add(*split(register, single, hi, lo, copy))
        elif self.kind is HALF:
            self.code.add(*rounding("hbfn", f"{single}r", forms[0]))
        else:
            self.code.add(*rounding("gbfn", single, forms[0]))

    def _split_blocks(self, batch: Values, row_group: int, blocks: range) -> None:
        """Some blocks of a row group."""
        for number in blocks:
            block = self.walks.blocks[number]
            form = self._form(row_group, number)
            base = {**batch, **self.walks.row_groups[row_group], **block}
            for part in range(self.kind.rows // 4):
                elements = [
                    {**base, **{tag: row >> bit & 1 for bit, tag in self.walks.rows}}
                    for row in range(4 * part, 4 * part + 4)
                ]
                copy = self.copies[(2 * number + part) % len(self.copies)]
                single = self.x.text(elements, 0, self.kind.words)
                self._split(single, [matrix.written[part] for matrix in form.values()], copy)
            self.registers.forget(form)

    def _split_vectors(self, batch: Values, chunk: Sequence[Values], blocks: range) -> None:
        self.now = batch, chunk
        if self.given is not None:
            return
        for number in blocks:
            block = self.walks.blocks[number]
            for place, group in enumerate(chunk):
                elements = cycles(self.walks.within, {**batch, **group, **block})
                single = self.y.text(elements, 0, self.kind.words)
                near = self.near[(number * len(chunk) + place) % len(self.near)]
                self._split(single, [self._vectors(part, number, place) for part in self.parts], near)

    # --- products -----------------------------------------------------------------------------------------------

    def _stages(self, groups: int, blocks: range) -> list[tuple[int, str, str]]:
        """Block, form of X and form of Y of each product, in order: small products first where that costs nothing,
        so that their rounding does not count."""
        if not self.exact:
            return [(block, "hi", "hi") for block in blocks]
        if self.depth == 1:
            order = [("lo", "hi"), ("hi", "hi")] if groups >= 4 else [("hi", "hi"), ("lo", "hi")]
            return [(0, "hi", "lo"), *((0, *forms) for forms in order)]
        small = [(block, *forms) for block in blocks for forms in (("lo", "hi"), ("hi", "lo"))]
        if self.given is not None:  # which arrive one half after the other
            small.sort(key=lambda stage: stage[2])
        large = [(block, "hi", "hi") for block in blocks]
        return small + large if groups > 1 else sorted(small + large, key=lambda stage: stage[0])

    def _multiply(self, batch: Values, rows: int, chunk: Sequence[Values], blocks: range) -> None:
        """What some blocks add to all sums of a row group."""
        stages = self._stages(len(chunk), blocks)
        forwarded = False
        for number, (block, matrix, vector) in enumerate(stages):
            first, last = number == blocks.start == 0, number == len(stages) - 1
            same = not last and stages[number + 1][:2] == (block, matrix) and len(chunk) == 1
            register = self.registers.load(self._form(rows, block)[matrix])
            for place, group in enumerate(chunk):
                elements = cycles(self.walks.within, {**batch, **self.walks.row_groups[rows], **group})
                total = self._sum(rows, place, elements)
                addend = "" if first else " $mauf" if forwarded else f" {total}"
                name = f"{'h' if self.kind is HALF else 'g'}m{'mul' if first else 'fma'}"
                line = f"{name} ${register} {self._vectors(vector, block, place)}{addend}"
                if last and blocks.stop == self.depth:
                    self.code.add(*self.goal.store(line, elements, (*self.read, self.banks.sums)))
                else:
                    self.code.add(f"{line} {'$nowrite' if same else total}")
            forwarded = same

    def _sum(self, rows: int, place: int, elements: Sequence[Values]) -> str:
        if self.sums is not None:
            words, place = self.kind.words, place + rows * self.apart
            return operand_text(
                self.sums.bank, [self.sums.address + words * (4 * place + cycle) for cycle in range(4)], words
            )
        return self.goal.side.text(elements, self.goal.side.banks.index(self.banks.sums), self.kind.words)


def _ranges(count: int, size: int) -> list[range]:
    """So many numbers, some at a time."""
    return [range(at, min(at + size, count)) for at in range(0, count, size)]


def emit_matrix(
    code: Code,
    core: Core,
    a: Sequence[Place],
    b: Sequence[Place],
    target: Place | Sequence[Place],
    halves: Sequence[Sequence[Place]] | None = None,
) -> None:
    """Add the lines of a product in the matrix unit. Raises NoProduct, NoRoom."""
    spec, goal = core.spec, result(core, target)
    letters = spec.a, spec.b
    a, b = (halves[0] if halves and name != core.matrix else homes for name, homes in (("a", a), ("b", b)))
    sides = [ProductSide(tuple(homes), tags(homes[0].map, own)) for homes, own in ((a, spec.a), (b, spec.b))]
    order = (0, 1) if core.matrix == "a" else (1, 0)
    ready = [turned(sides[number].carries, core.turns[number]) for number in order]
    walks = _walks(spec, ready[0], ready[1], goal)
    if core.precision == "float":
        unit_matrix(code, "LM0")  # before scratch takes what has never been used
    with code.scratch():
        given = tuple(dict.fromkeys(homes[0].memory for homes in halves or ()))
        if set(GRF) <= set(given):
            raise NoProduct("the halves of an operand leave a GRF to the sums", f"{' and '.join(given)}")
        x, y = (turn(code, spec, letters[number], sides[number], core.turns[number], given) for number in order)
        parts = 2 if core.precision == "float" else 1
        chosen = banks(
            code, len(walks.row_groups), len(walks.groups), len(walks.blocks), parts, goal.side.banks,
            (x.banks, y.banks), core.kind, given,
        )  # fmt: skip
        if not given and core.precision == "float":
            several = in_blocks(code, chosen, len(walks.row_groups), len(walks.groups), len(walks.blocks), x.banks)
            chosen = several or chosen
        vectors = None if halves is None else [ProductSide(tuple(homes), y.carries) for homes in halves]
        _Product(code, _best(x, chosen.matrices), _best(y, chosen.vectors), goal, walks, chosen, core, vectors).run()


def _best(side: ProductSide, avoided: str) -> ProductSide:
    """The operand with the homes outside one memory first."""
    return ProductSide(tuple(sorted(side.homes, key=lambda place: place.memory == avoided)), side.carries)
