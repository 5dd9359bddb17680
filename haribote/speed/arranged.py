"""-O2 with the learner's kernels: the layout of every operator of a batch, so that the whole step is cheapest (7.7).

An operator may be done in the layout of its row of the kernel table, or in another one in which a generator writes it.
All of a batch is one chain, in the order of the graph: task 7.7 chooses, by the cycles of what the kernels yield.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf

import onnx

from haribote.answers.generators import generator_for
from haribote.answers.resolve import Answer, resolve_row
from haribote.chip.codegen import Find, LeftOut, run_kernel
from haribote.errors import HariboteError
from haribote.graph import Index, clone
from haribote.kernel_table import BY_TRANSFER, DEALT, DEALT_ROWS, A, KernelRow, P
from haribote.own.quick_check import looked_at, what_is_wrong
from haribote.passes.assign_layouts import annotate
from haribote.passes.placement import row_of, tensor_inputs
from haribote.speed.chain import cheapest_layouts, cost_of_plan
from simulator import SimulatorError, assemble
from simulator.isa.cost import cost_of

MATRICES = (A, P, DEALT)
"""The layouts of 256x16 between which there is a choice."""


def preferring(find: Find) -> Find:
    """The learner's kernels, those that their generators write in other layouts too, and the course's for the rest."""

    def found(row: KernelRow, _: bool = False) -> Answer | None:
        if row in DEALT_ROWS.values():
            kernel = generator_for(row)
            return Answer(kernel, "yours") if kernel else None
        course = resolve_row(row, True)
        try:
            own = find(row, False)
        except LeftOut as why:
            return course and replace(course, instead=str(why), failing=True)
        return replace(own, otherwise=course) if own and own.owner == "yours" else own or course

    return found


def run(model: onnx.ModelProto, find: Find) -> onnx.ModelProto:
    """The graph after the stage `layout`, with other rows where these are cheaper. find: as `preferring` gives it."""
    result = clone(model)
    links, arranger = list(_chain(result)), _Arranger(find)
    work = [arranger.work(link) for link in links]
    if not any(DEALT in prices for prices in work) or not all(work):
        return result
    for link, layout in zip(links, arranger.plan(work), strict=True):
        for node in link.nodes:
            annotate(node, _rows(node)[layout])
    return result


@dataclass
class _Link:
    """Operators that must have one layout, since vectors pass between them. vectors: tags of those from elsewhere."""

    nodes: list[onnx.NodeProto]
    vectors: set[tuple[str, str]] = field(default_factory=set)


def _rows(node: onnx.NodeProto) -> Mapping[str, KernelRow]:
    """The rows that may serve a node, by their layout of 256x16."""
    row = row_of(node)
    rows = [] if row is None else [row, *(DEALT_ROWS[row.name] for _ in range(row.name in DEALT_ROWS))]
    return {tag: row for row in rows for tag in (*row.inputs, row.output) if tag in MATRICES}


def _chain(model: onnx.ModelProto) -> Iterator[_Link]:
    """The operators of a batch, in the order of the graph."""
    index, links, maker = Index(model), list[_Link](), dict[str, _Link]()
    for node in model.graph.node:
        if not _rows(node):
            continue
        thin = [name for name in tensor_inputs(node, index) if _is_vector(index, name)]
        link = next((maker[name] for name in thin if name in maker), None)
        if link is None:
            links.append(link := _Link([]))
        link.nodes.append(node)
        link.vectors |= {("DL", name) for name in thin if name not in maker}
        if _is_vector(index, node.output[0]):
            maker[node.output[0]] = link
    for link in links:
        own = {node.name for node in link.nodes}
        made = [node.output[0] for node in link.nodes if maker.get(node.output[0])]
        readers = {name: {reader.name for reader in index.consumers[name]} for name in made}
        link.vectors |= {("UL", name) for name in made if name in index.outputs or not readers[name] <= own}
    yield from links


def _is_vector(index: Index, name: str) -> bool:
    """Whether a value is one number for each row of a batch."""
    return index.shape[name] in ((256,), (256, 1))


class _Arranger:
    """What kernels cost, by what they yield."""

    def __init__(self, find: Find) -> None:
        self._find, self._known = find, dict[KernelRow, float | None]()

    def work(self, link: _Link) -> dict[str, float]:
        """The cycles of a link in each layout in which all of it can be done."""
        found = {}
        for layout in _rows(link.nodes[0]):
            rows = [_rows(node).get(layout) for node in link.nodes]
            prices = [self.cycles(row) if row else None for row in (*rows, *self._transfers(link, layout))]
            known = [price for price in prices if price is not None]
            if len(known) == len(prices):
                found[layout] = sum(known)
        return found

    def _transfers(self, link: _Link, layout: str) -> Sequence[KernelRow]:
        """The DL and UL that vectors from and to elsewhere need."""
        base = {op: BY_TRANSFER[op, "256"] for op in ("DL", "UL")}
        return [DEALT_ROWS[base[op].name] if layout == DEALT else base[op] for op, _ in link.vectors]

    def plan(self, work: Sequence[Mapping[str, float]]) -> list[str]:
        """The layout of each link, by task 7.7: the cheapest of all ways from DRAM and back."""
        down, up = ({tag: self.cycles(BY_TRANSFER[op, tag]) or inf for tag in MATRICES} for op in ("DL", "UL"))
        move = {(a, b): 0.0 if a == b else up[a] + down[b] for a in MATRICES for b in MATRICES}

        def cost(ends: tuple[str, str], plan: Sequence[str]) -> float:
            return down[ends[0]] + cost_of_plan(plan, work, move, *ends) + up[ends[1]]

        found = [(ends, cheapest_layouts(work, move, *ends)) for ends in product(work[0], work[-1])]
        return min(found, key=lambda entry: cost(*entry))[1]

    def cycles(self, row: KernelRow) -> float | None:
        """What the kernel of a row costs; None where there is none that is right."""
        if row not in self._known:
            try:
                self._known[row] = self._cycles(row)
            except (HariboteError, SimulatorError):
                self._known[row] = None
        return self._known[row]

    def _cycles(self, row: KernelRow) -> float | None:
        answer = self._find(row, False)
        if answer is None:
            return None
        text = "\n".join(run_kernel(answer.kernel, looked_at(row)))
        if answer.owner == "yours" and what_is_wrong(row, text):
            return None
        return cost_of(assemble(text)).cycles
