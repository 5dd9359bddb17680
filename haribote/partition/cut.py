"""Find a cut: what the chip refuses goes to the host, then what is cheaper there; in the fewest pieces."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import onnx

from haribote.answers.deciding import digest
from haribote.chip.program import Compiled
from haribote.graph import Index
from haribote.partition.measured import measured
from haribote.partition.phases import between, phases
from haribote.partition.pieces import Cut, Piece, Side, chip_piece, graph_of
from haribote.partition.verdicts import compiled_or_reason, refused, without_rule
from haribote.passes import fold_constants
from simulator.cache import DAMAGED, cache_folder
from simulator.files import FileError, write_file
from simulator.language import language
from simulator.messages import tr

TRIES = 12
"""Parts between host pieces that are tried on the host; the smallest ones first."""

Groups = list[tuple[Side, list[onnx.NodeProto]]]


def cut(model: onnx.ModelProto, precision: str = "float", by_cost: bool = True) -> Cut:
    """The pieces of a graph, whose constants are computed first. What was decided before is read from the cache.

    Args:
        precision: of products on the chip.
        by_cost: also give the host what the chip could do, where that takes less time.

    Raises:
        HariboteError: nothing on the host runs a node that the chip refuses.
    """
    model = fold_constants.run(model)
    file = cache_folder() / "cut" / f"{_key(model, precision, by_cost)}.json"
    with suppress(*DAMAGED):
        known = json.loads(file.read_text())
        groups: Groups = [(side, [Index(model).node[name] for name in names]) for side, names in known["groups"]]
        return _Search(model, precision, known["reasons"], known["halved"]).built(groups)
    search = _Search(model, precision)
    found = search.found()
    if by_cost:
        found = search.cheapest(found)
    with suppress(OSError, FileError):  # a cache that cannot be written costs time only
        write_file(file, json.dumps(search.decided(found)), durable=False)
    return found


class _Search:
    """reasons: of the nodes that are on the host; every other node is for the chip. halved: node to why the piece that
    begins with it is not one with the piece before it.
    """

    def __init__(
        self,
        model: onnx.ModelProto,
        precision: str,
        reasons: Mapping[str, str] | None = None,
        halved: Mapping[str, str] | None = None,
    ) -> None:
        self.model, self.precision, self.index = model, precision, Index(model)
        self.reasons, self.halved = dict(reasons or {}), dict(halved or {})
        self._verdicts: dict[bytes, Compiled | str] = {}

    @property
    def sides(self) -> dict[str, Side]:
        """Node to its side."""
        return {node.name: "host" if node.name in self.reasons else "chip" for node in self.model.graph.node}

    def found(self) -> Cut:
        """The cut in which only that is on the host what the chip refuses."""
        known = without_rule(self.model)
        for node in self.model.graph.node:
            if why := refused(self.model, node, self.index, known):
                self.reasons[node.name] = why
        while True:
            count, groups = len(self.reasons), []
            for side, nodes in phases(self.model, self.sides, self.index):
                parts = [nodes] if side == "host" else list(self._compilable(nodes))
                groups += [(side, part) for part in parts]
            if len(self.reasons) == count:
                return self.built(groups)

    def _compilable(self, nodes: Sequence[onnx.NodeProto]) -> Iterator[list[onnx.NodeProto]]:
        """The nodes in as few parts as the compiler takes, found by halving; a node that it refuses alone is left out
        and gets its reason.
        """
        verdict = self._verdict(nodes)
        if not isinstance(verdict, str):
            yield list(nodes)
        elif len(nodes) == 1:
            self.reasons[nodes[0].name] = verdict
        else:
            middle = len(nodes) // 2
            self.halved[nodes[middle].name] = verdict
            yield from self._compilable(nodes[:middle])
            yield from self._compilable(nodes[middle:])

    def _verdict(self, nodes: Sequence[onnx.NodeProto]) -> Compiled | str:
        part = graph_of(self.model, nodes, "chip", self.index)
        key = hashlib.sha256(part.SerializeToString(deterministic=True)).digest()
        if key not in self._verdicts:
            self._verdicts[key] = compiled_or_reason(part, self.precision)
        return self._verdicts[key]

    def built(self, groups: Groups) -> Cut:
        """The cut of these pieces."""
        pieces = [self._piece(side, nodes) for side, nodes in groups]
        for number in range(1, len(pieces)):
            if pieces[number - 1].side == pieces[number].side:
                why = self.halved.get(groups[number][1][0].name, tr("the two are too much for one program"))
                pieces[number] = replace(pieces[number], apart=why)
        return Cut(self.model, tuple(pieces))

    def decided(self, found: Cut) -> dict[str, object]:
        """What the cache keeps."""
        groups = [(piece.side, _names(self._nodes(piece))) for piece in found.pieces]
        return {"groups": groups, "reasons": self.reasons, "halved": self.halved}

    def _piece(self, side: Side, nodes: Sequence[onnx.NodeProto]) -> Piece:
        part = graph_of(self.model, nodes, side, self.index)
        if side == "chip":
            compiled = self._verdict(nodes)
            if isinstance(
                compiled, str
            ):  # the cache knew better: another version of the compiler would have another key
                raise ValueError(compiled)
            return chip_piece(part, compiled)
        engine, microseconds = measured(part)
        return Piece("host", part, engine, microseconds, {node.name: self.reasons[node.name] for node in nodes})

    def cheapest(self, found: Cut) -> Cut:
        """The cut with the host taking over parts between its pieces, one after another, while that saves time."""
        tried: set[tuple[str, ...]] = set()
        while True:
            parts = [part for part in self._parts_between(found) if _names(part) not in tried]
            parts = sorted(parts, key=len)[: max(TRIES - len(tried), 0)]
            if not parts:
                return found
            tried |= {_names(part) for part in parts}
            for part in parts:
                found = self._with_on_host(part, found)

    def _parts_between(self, found: Cut) -> Iterator[list[onnx.NodeProto]]:
        for piece in found.pieces:
            if piece.side == "chip":
                nodes = [self.index.node[node.name] for node in piece.model.graph.node]
                yield from between(nodes, self.sides, self.index)

    def _with_on_host(self, part: Sequence[onnx.NodeProto], found: Cut) -> Cut:
        """The cut with the part on the host, if that takes less time; else as it was."""
        before = dict(self.reasons)
        self.reasons |= dict.fromkeys(_names(part), "")
        other = self.found_again()
        if other is None or other.microseconds >= found.microseconds:
            self.reasons = before
            return found
        why = tr(
            "cheaper here: {microseconds:,.1f} us a run, else {microseconds2:,.1f} us",
            other.microseconds,
            found.microseconds,
        )
        self.reasons |= dict.fromkeys(_names(part), why)
        return self.built([(piece.side, self._nodes(piece)) for piece in other.pieces])

    def found_again(self) -> Cut | None:
        """The cut for the reasons of now; None where the chip refuses what is left for it."""
        groups: Groups = []
        for side, nodes in phases(self.model, self.sides, self.index):
            known = len(self.reasons)
            parts = [nodes] if side == "host" else list(self._compilable(nodes))
            if len(self.reasons) != known:
                return None
            groups += [(side, part) for part in parts]
        return self.built(groups)

    def _nodes(self, piece: Piece) -> list[onnx.NodeProto]:
        return [self.index.node[node.name] for node in piece.model.graph.node]


def _names(nodes: Sequence[onnx.NodeProto]) -> tuple[str, ...]:
    return tuple(node.name for node in nodes)


def _key(model: onnx.ModelProto, precision: str, by_cost: bool) -> str:
    """Of what is kept, in which reasons are texts in the language of the moment."""
    content = model.SerializeToString(deterministic=True)
    return hashlib.sha256(repr((content, precision, by_cost, language(), digest(__name__))).encode()).hexdigest()[:32]
