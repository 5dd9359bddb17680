"""-O2: from a graph to a step in which layouts are planned and everything is generated; kept on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import onnx

from haribote.answers.deciding import digest
from haribote.chip.program import Compiled
from haribote.core import checker
from haribote.errors import HariboteError
from haribote.graph import Index, updates
from haribote.graphs.tiles import tile_table
from haribote.passes import cse, decompose, join_bias, simplify
from haribote.progress import stage
from haribote.stack import paths, tiling
from haribote.stack.places import NoRoom
from haribote.stack.plan import Plan
from haribote.stack.planner import elementary
from haribote.stack.planner.errors import NotPlanned
from haribote.stack.planner.facts import MOST_WORDS
from haribote.stack.planner.narrow import in_words, word_of
from haribote.stack.planner.precision import checked
from haribote.stack.planner.unsigned import signed_extremes
from haribote.stack.program.builder import Built
from haribote.stack.program.executable import Executable, from_bytes, to_bytes
from haribote.stack.program.garbage import seldom_collected
from haribote.stack.program.shortest import build, shortest
from simulator.archives import NPZ_ERRORS
from simulator.cache import cache_folder
from simulator.files import FileError, write_file
from simulator.frames import with_room
from simulator.isa import LM_WORDS
from simulator.isa.cost import Cost
from simulator.messages import Text, tr

FEW_WORDS = LM_WORDS // 8
"""Words per PE that a value may have where larger ones had to be put away."""
PIECE_WORDS = 3 * LM_WORDS // 4
"""Words per PE of all that a node reads and makes, in a graph of more pieces: fewer than `tiling.sizes` has."""
MUCH = 0.1
"""The share of a program's cycles that is worth another plan."""


@dataclass(frozen=True, eq=False)
class StackCompiled(Compiled):
    """A step ready to run: all its operators are one program, in which none can be told from the others."""

    executable: Executable = field(kw_only=True)

    @property
    def node_count(self) -> int:
        """Operators of the step."""
        return self.executable.nodes

    @cached_property
    def chip_count(self) -> int:
        """Operators on the chip: all."""
        return self.executable.nodes

    @cached_property
    def cost(self) -> Cost:
        """What one run of the step costs on the machine."""
        return self.executable.cost

    @property
    def summary(self) -> str:
        """One line: what runs on the chip."""
        return tr("on chip {chip_count} of {node_count} nodes (generated)", self.chip_count, self.node_count)

    @property
    def text(self) -> str:
        """The assembly of the step."""
        return self.executable.step


@seldom_collected()  # also while what `built` made is thrown away
def compile_stack(
    model: onnx.ModelProto, precision: str = "float", quick: bool = False, passed: Passed | None = None
) -> StackCompiled:
    """The step of a graph, its products as exact as asked: `float`, `mixed` or `half` (`planner.precision`). quick: by
    the first good plan, and a schedule that is not looked for at length. passed: gets the graph after each pass, where
    it is compiled now.

    What was compiled before is read from the cache. Raises HariboteError.
    """
    checked(precision)
    file = cache_folder() / "stack" / f"{_key(model, precision, quick)}.npz"
    try:
        if checker.asked():
            raise LookupError(tr("what is kept was not checked now"))
        executable = from_bytes(file.read_bytes())
    except NPZ_ERRORS:  # not there, or not as we write it
        executable = built(model, precision, quick, passed).executable
        with suppress(OSError, FileError):  # a cache that cannot be written costs time only
            write_file(file, to_bytes(executable), durable=False)
    return StackCompiled(model, (), (), Index(model), {}, updates(model), executable=executable)


@with_room
def built(model: onnx.ModelProto, precision: str = "float", quick: bool = False, passed: Passed | None = None) -> Built:
    """The program of a graph with its plan; quick, passed: as in `compile_stack`."""
    passed = {} if passed is None else passed
    prepared(model, passed)
    found = _cheapest(passed, precision, quick)
    types = {name: str(dtype) for name, dtype in Index(model).dtype.items() if dtype != word_of(dtype)}
    if types:
        found = replace(found, executable=replace(found.executable, types=types))
    if checker.asked():
        from haribote.stack.program.ownership import trespasses  # which nobody else needs

        if wrong := trespasses(found):
            raise HariboteError(
                tr("the program touches what is not its own: {wrong}", wrong[0]), tr("report it with the model")
            )
    paths.save()
    return found


def _cheapest(passed: Passed, precision: str, quick: bool) -> Built:
    """The program of a plan of a prepared graph. Where much of it, or of the first plan, puts values away into DRAM and
    gets them back, of which planners do not see what it costs, also one of more pieces, or else of smaller values,
    which leave room for each other; the cheaper of both. passed: the graph after each pass, the last as it is compiled.
    """
    ready = passed[LAST]
    found = shortest(_plans(ready, precision, quick), quick)
    if quick or max(found.put_away, found.first_put_away) < MUCH * found.executable.cost.cycles:
        return found
    pieces = tiling.cut(passed[BEFORE_CUT], PIECE_WORDS)
    more = tile_table(pieces) != tile_table(ready)
    try:
        if more:
            other = shortest(_plans(pieces, precision))
        else:
            other = build(next(next(_plans(ready, precision, most_words=FEW_WORDS))))
    except (NotPlanned, NoRoom):
        return found
    if found.executable.cost.fewest <= other.executable.cost.fewest:
        return found
    if more:
        passed[LAST] = pieces
    return other


def planned(model: onnx.ModelProto, precision: str = "float") -> Plan:
    """The plan of a graph. Raises HariboteError."""
    return next(next(_plans(prepared(model), precision)))


def _plans(
    ready: onnx.ModelProto, precision: str, quick: bool = False, most_words: int = MOST_WORDS
) -> Iterator[Iterator[Plan]]:
    """The plans of what `prepared` gives, as `search.plans` has them."""
    from haribote.stack.planner.search import plans  # what is kept needs no planner

    return plans(ready, precision=checked(precision), quick=quick, most_words=most_words)


Passed = dict[str, onnx.ModelProto]
"""The graph after each pass before planning, by the pass's name, in order; the last is what is planned."""

PASSES: Mapping[str, Callable[[onnx.ModelProto], onnx.ModelProto]] = {
    "in_words": in_words,
    "simplify": simplify.run,
    "decompose": decompose.run,
    "join_bias": join_bias.run,
    "elementary": elementary.run,
    "signed_extremes": signed_extremes,
    "cse": cse.run,
    "merge_axes": tiling.merge,
    "cut_axes": tiling.cut,
}
BEFORE_CUT, LAST = tuple(PASSES)[-2:]
"""What gives the graph in whole values, and in the pieces that are planned."""


def prepared(model: onnx.ModelProto, passed: Passed | None = None) -> onnx.ModelProto:
    """The graph as the planner gets it: in the operators of the stack, where there are rules. passed: gets the graph
    after each pass.

    Raises HariboteError.
    """
    for name, apply in PASSES.items():
        with stage(Text("passes")):
            model = apply(model)
        if passed is not None:
            passed[name] = model
        if name == "elementary" and checker.asked():
            checker.check(model, "chip")
    return model


def _key(model: onnx.ModelProto, precision: str, quick: bool) -> str:
    content = model.SerializeToString(deterministic=True)
    return hashlib.sha256(
        b"\0".join((content, precision.encode(), b"quick" * quick, digest(__name__).encode()))
    ).hexdigest()[:32]
