"""Instructions into lines: which step, and where every operand comes from.

A list scheduler for one ALU and one MAU. What the line before has computed is read from its forwarding path. What is
read later was also written to a GRF or T: destinations cost nothing, so they are chosen when a reader needs one that
does not clash with its other operands. Where no choice is without a clash an operand is copied first.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from haribote.core.chip.values import Value
from haribote.errors import HariboteError
from haribote.stack.code import GRF, LM
from haribote.stack.vectors.nodes import Target, VectorNode, copy_of

GRF_DISTANCE, LM_DISTANCE, COPY_AFTER = 2, 3, 3
"""Lines from a write to a read; and how old all operands of a stuck instruction are when one of them is copied."""
PATIENCE, MOST_COPIES = 10, 50
"""Empty lines in a row after which nothing comes any more; and lines in which nothing but copies came."""


class Stuck(HariboteError):
    """Every instruction waits for a place that another one keeps."""


class LineAccess(NamedTuple):
    """Where an operand is read. bank: whose read port it takes, "" for none. what: what is read there."""

    bank: str
    kind: str
    what: object
    number: int = 0


@dataclass(eq=False)
class Issue:
    """A node in a line; also a copy of another node's result. stored: last line that reads it from a bank or T.
    reserved: the bank for what a masked write completes.
    """

    node: VectorNode
    line: int
    accesses: tuple[LineAccess, ...]
    stored: dict[str, int] = field(default_factory=dict)
    reserved: str = ""

    @property
    def forwards(self) -> bool:
        """False where the path holds something else than the value."""
        return self.node.cover is None


@dataclass(eq=False)
class Line:
    """What is in a step: by unit, and by memory what is read and written."""

    issues: dict[str, Issue] = field(default_factory=dict)
    reads: dict[str, LineAccess] = field(default_factory=dict)
    writes: dict[str, object] = field(default_factory=dict)
    entry: VectorNode | None = None


class Scheduler:
    """homes: the banks of every input. same: pairs of (input, home) and target that are the same words."""

    def __init__(
        self,
        nodes: Sequence[VectorNode],
        homes: Mapping[str, Sequence[str]],
        same: frozenset[tuple[tuple[str, int], Target]] = frozenset(),
    ) -> None:
        self.nodes, self.homes, self.same = list(nodes), homes, same
        self.lines: list[Line] = []
        self.issues: dict[VectorNode | Value, list[Issue]] = {}
        self.last = -1  # the last line that is not empty
        self._constants: set[tuple[str, object]] = set()
        self._in_t: list[Issue] = []
        self._heights: dict[VectorNode, int] = {}
        self._heighten()
        self._cover = {node.cover[1]: node for node in self.nodes if node.cover}
        self._users: dict[VectorNode | Value, list[VectorNode]] = {}
        for node in self.nodes:
            for source, _ in node.args:
                self._users.setdefault(source, []).append(node)

    def _heighten(self) -> None:
        for node in reversed(self.nodes):
            own = self._heights.setdefault(node, 0) + 1 + (node.cover is not None)
            for other in (*node.needs, *node.after):
                self._heights[other] = max(self._heights.get(other, 0), own)

    def run(self) -> list[Line]:
        """The lines; empty ones are left out. Raises Stuck."""
        order = {node: number for number, node in enumerate(self.nodes)}
        urgency = lambda node: (-self._heights[node], order[node])  # noqa: E731
        earlier = {node: {*node.needs, *node.after} for node in self.nodes}
        later: dict[VectorNode, list[VectorNode]] = {node: [] for node in self.nodes}
        for node, others in earlier.items():
            for other in others:
                later[other].append(node)
        ready = sorted((node for node, others in earlier.items() if not others), key=urgency)
        placed = -1  # the last line with more than a copy
        while ready:
            self.lines.append(Line())
            now = len(self.lines) - 1
            stuck: list[VectorNode] = []
            for node in list(ready):
                free = node.unit not in self.lines[now].issues
                if free and self._place(node, node, now):
                    placed = now
                    ready.remove(node)
                    for other in later[node]:
                        earlier[other].remove(node)
                        if not earlier[other]:
                            insort(ready, other, key=urgency)
                elif free and self._is_stuck(node, now):
                    stuck.append(node)
            if "alu" not in self.lines[now].issues:
                self._copy(stuck, now)
            if self.lines[now].issues:
                self.last = now
            if now - self.last >= PATIENCE or now - placed >= MOST_COPIES:
                raise Stuck(f"no line for {', '.join(node.op for node in ready)}", "a shorter chain")
        return [line for line in self.lines if line.issues]

    # --- one instruction ----------------------------------------------------------------------------------------

    def _place(self, node: VectorNode, key: VectorNode | Value, now: int) -> bool:
        """Put a node into the line if its unit, its operands and the places that it writes are free."""
        line = self.lines[now]
        if node.unit in line.issues or not self._is_computed(node, now):
            return False
        if not self._may_write(node, line):
            return False
        accesses = self._accesses(node, now)
        if accesses is None:
            return False
        issue = Issue(node, now, accesses)
        line.issues[node.unit] = issue
        for target in self._targets(node):
            line.writes[target.bank] = target
        self._reserve(node, issue, line)
        if node.gives_flags:
            line.writes["mask"] = node
        line.entry = entry_of(node) or line.entry
        for access in accesses:
            self._use(access, now)
        self.issues.setdefault(key, []).append(issue)
        return True

    def _is_computed(self, node: VectorNode, now: int) -> bool:
        """Is what a node needs in earlier lines?"""
        return all(self.issues[other][0].line < now for other in node.needs)

    def _targets(self, node: VectorNode) -> Sequence[Target]:
        """What a node writes besides temporaries: with a masked write to follow, the targets of that."""
        return self._cover[node].targets if node in self._cover else node.targets

    def _reserve(self, node: VectorNode, issue: Issue, line: Line) -> None:
        """A place for what a masked write will complete, or now completes: it has no forwarding path."""
        if node in self._cover and not self._targets(node):
            issue.reserved = next(bank for bank in GRF if bank not in line.writes)
            line.writes[issue.reserved] = issue
        if node.cover and not node.targets:
            bank = self.issues[node.cover[1]][0].reserved
            issue.stored[bank] = issue.line
            line.writes[bank] = issue

    def _may_write(self, node: VectorNode, line: Line) -> bool:
        entry = entry_of(node)
        if entry is not None and line.entry not in (None, entry):
            return False
        wanted = [target.bank for target in self._targets(node)] + ["mask"] * node.gives_flags
        if node.cover and not node.targets:
            wanted.append(self.issues[node.cover[1]][0].reserved)
        if any(bank in line.writes for bank in wanted):
            return False
        if not all(self._may_meet(line.reads.get(target.bank), target) for target in self._targets(node)):
            return False
        at_home = bool(self._targets(node) or node.cover) or not self._users.get(node)
        return self._has_homes(line, wanted, None, not at_home)

    def _has_homes(self, line: Line, taken: Sequence[str], besides: Issue | None, more: bool = False) -> bool:
        """Is there a GRF left for every result of a line that is still wanted and has no place yet?"""
        homeless = [i for i in line.issues.values() if i is not besides and self._is_homeless(i)]
        free = [bank for bank in GRF if bank not in line.writes and bank not in taken]
        return len(homeless) + more <= len(free)

    def _is_homeless(self, issue: Issue) -> bool:
        wanted = any(user not in self.issues for user in self._users.get(issue.node, ()))
        return wanted and not (issue.stored or issue.reserved or self._targets(issue.node))

    def _may_meet(self, access: LineAccess | None, target: Target) -> bool:
        """May a line read this and write the target? LM has one port: only at the same words."""
        if access is None or target.bank not in LM:
            return True
        return access.kind == "read" and ((str(access.what), access.number), target) in self.same

    def _accesses(self, node: VectorNode, now: int) -> tuple[LineAccess, ...] | None:
        """The cheapest way to read all operands in this line."""
        options = []
        for source, _ in node.args:
            options.append(list(self._options(source, now)))
            if not options[-1]:
                return None
        best: tuple[int, tuple[LineAccess, ...]] | None = None
        for chosen in product(*options):
            cost = sum(cost for cost, _ in chosen)
            accesses = tuple(access for _, access in chosen)
            if (best is None or cost < best[0]) and self._fits(accesses, node, now):
                best = cost, accesses
        return None if best is None else best[1]

    def _fits(self, accesses: Sequence[LineAccess], node: VectorNode, now: int) -> bool:
        line = self.lines[now]
        reads = dict(line.reads)
        stores: dict[tuple[int, str], object] = {}
        for access in accesses:
            if not access.bank:
                continue
            if reads.setdefault(access.bank, access) != access:
                return False
            targets = [*self._targets(node), *(w for w in line.writes.values() if isinstance(w, Target))]
            if any(t.bank == access.bank and not self._may_meet(access, t) for t in targets):
                return False
            if access.kind == "stored" and isinstance(access.what, Issue):
                for writer in self._writers(access.what):
                    if stores.setdefault((writer.line, access.bank), access.what) is not access.what:
                        return False
        return True

    def _options(self, source: VectorNode | Value, now: int) -> Iterator[tuple[int, LineAccess]]:
        """Costs and places where a source can be read in line `now`."""
        if isinstance(source, Value):
            if source.op == "fixed":
                yield 0, LineAccess("", "fixed", source.key)
            elif source.op == "const":
                for bank in GRF:
                    yield 1 + ((bank, source.key) not in self._constants), LineAccess(bank, "const", source.key)
            else:
                for number, bank in enumerate(self.homes[str(source.key)]):
                    yield 1, LineAccess(bank, "read", source.key, number)
        for issue in self.issues.get(source, ()):
            yield from self._places(issue, now)

    def _places(self, issue: Issue, now: int) -> Iterator[tuple[int, LineAccess]]:
        if issue.line == self.last and issue.forwards:
            yield 0, LineAccess("", "path", issue.node.unit)
        age = now - issue.line + (not issue.forwards)
        if age < GRF_DISTANCE:
            return
        for target in issue.node.targets:
            if target.bank in GRF or age >= LM_DISTANCE + (not issue.forwards):
                yield 1, LineAccess(target.bank, "target", target)
        for bank in GRF:
            if bank in issue.stored or self._can_store(issue, bank):
                yield (1 if bank in issue.stored else 3), LineAccess(bank, "stored", issue)
        if issue.forwards and self._t_is_free(issue, now):
            yield (2 if "T" in issue.stored else 5), LineAccess("T", "stored", issue)

    def _writers(self, issue: Issue) -> list[Issue]:
        """The issue, and the one that writes what its mask leaves."""
        return [issue] if issue.node.cover is None else [issue, self.issues[issue.node.cover[1]][0]]

    def _can_store(self, issue: Issue, bank: str) -> bool:
        return all(
            bank not in self.lines[writer.line].writes and self._has_homes(self.lines[writer.line], [bank], issue)
            for writer in self._writers(issue)
        )

    def _t_is_free(self, issue: Issue, now: int) -> bool:
        """T has room for one value: no other lives in it from this issue to line `now`."""
        others = (other for other in self._in_t if other is not issue)
        return all(other.stored["T"] <= issue.line or now <= other.line for other in others)

    def _use(self, access: LineAccess, now: int) -> None:
        """Take the port, and store what is read where it was not stored yet."""
        if access.bank:
            self.lines[now].reads[access.bank] = access
        if access.kind == "const":
            self._constants.add((access.bank, access.what))
        if access.kind == "stored" and isinstance(access.what, Issue):
            if access.bank == "T" and "T" not in access.what.stored:
                self._in_t.append(access.what)
            access.what.stored[access.bank] = now
            for writer in self._writers(access.what):
                self.lines[writer.line].writes[access.bank] = writer

    # --- operands that clash ------------------------------------------------------------------------------------

    def _is_stuck(self, node: VectorNode, now: int) -> bool:
        """True where waiting does not help."""
        young = (i for source, _ in node.args for i in self.issues.get(source, ()) if now - i.line <= COPY_AFTER)
        return self._is_computed(node, now) and not any(young)

    def _copy(self, stuck: Sequence[VectorNode], now: int) -> None:
        """Copy an operand without which the others can be read, of the first instruction that has one; else one that
        has no copy yet: operands and targets may all lie in one LM.
        """
        for node in stuck:
            for source, _ in node.args:
                others = [arg for arg in node.args if arg[0] is not source]
                rest = VectorNode(node.op, others, targets=list(self._targets(node)))
                if self._accesses(rest, now) is not None and self._place(copy_of(source), source, now):
                    return
        fresh = [source for node in stuck for source, _ in node.args if source not in self.issues]
        any(self._place(copy_of(source), source, now) for source in fresh)


def entry_of(node: VectorNode) -> VectorNode | None:
    """The node whose flags a node is masked by."""
    return node.flush or (node.cover[0] if node.cover else None)
