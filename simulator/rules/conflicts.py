"""What cannot share a step (isa.md, section 12.1). Errors stop the assembler; warnings come out of `check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simulator.errors import Diagnostic
from simulator.isa.program import (
    BaseAddress,
    Destination,
    Immediate,
    Instruction,
    Location,
    MaskRegister,
    Matrix,
    PeMemory,
    Source,
    TRegister,
    Turnaround,
)
from simulator.isa.units import UNITS
from simulator.rules.accesses import L1BM_READS, L1BM_WRITES, Access, accesses, distance, ends

_SPLIT = "put one of them on a line of its own"


def _found(location: Location, message: str, fix: str = _SPLIT) -> Diagnostic:
    return Diagnostic(location.line, location.column, message, fix)


def issue_group(instruction: Instruction) -> str:
    """The issue group. Reading the turnaround register is one of its own; writing it alone goes with L1BM. [A]"""
    if any(isinstance(source.operand, Turnaround) for source in instruction.sources):
        return "turnaround"
    return UNITS[instruction.unit].group


def _units(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for instruction in instructions:
        group = issue_group(instruction)
        if group in seen:
            yield _found(instruction.location, f"two {group} instructions in one step")
        seen.add(group)
    ops = {instruction.op for instruction in instructions}
    if "nop" in ops and ops - {"nop", "wait"}:
        nop = next(i for i in instructions if i.op == "nop")
        yield _found(nop.location, "nop can share a step only with wait", "leave out the nop")
    if ops == {"wait"}:
        yield _found(instructions[0].location, "wait cannot stand alone", "write `nop; wait iXX`")


def _mau(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    units = {i.unit: i for i in instructions if i.unit in ("mau", "mau-write", "mau-read")}
    if len(units) == 3:
        yield _found(
            units["mau-read"].location, "at most two of MAU calculation, matrix write and matrix read share a step"
        )
    letters = {i.precision for i in units.values()}
    if len(letters) > 1:
        last = list(units.values())[-1]
        yield _found(
            last.location, f"MAU instructions of one step have one precision, not {' and '.join(sorted(letters))}"
        )
    write, product = units.get("mau-write"), units.get("mau")
    if not write or not product:
        return
    if product.op in ("vfma", "vmul"):
        second, written = product.sources[1], write.sources[0]
        if _decorated(second) != _decorated(written):
            yield _found(
                written.location,
                f"beside {product.op}, a matrix write must read exactly its second input",
                "make both operands identical, `-`, `e` and `r` included",
            )
    elif product.op in ("vadd", "vpassa"):
        yield Diagnostic(
            product.location.line,
            product.location.column,
            f"it is not known whether {product.op} may stand beside a matrix write",
            _SPLIT,
            "warning",
        )


def _decorated(source: Source) -> tuple[object, ...]:
    return source.operand, source.negate, source.widen, source.narrow


def _matrices(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for instruction in instructions:
        for end in ends(instruction):
            if not isinstance(end.operand, Matrix):
                continue
            if end.operand.register in seen:
                yield _found(end.location, f"matrix register {end.operand.register} is used twice in one step")
            seen.add(end.operand.register)


def _reading(instructions: Sequence[Instruction]) -> Iterator[tuple[str, object, Location]]:
    """Every PE memory read: memory, what identifies the addresses, place. T indirection reads T."""
    for instruction in instructions:
        for end in ends(instruction):
            operand = end.operand
            if isinstance(operand, PeMemory):
                if operand.indirect:
                    yield "t", None, end.location
                if isinstance(end, Source):
                    yield operand.bank, _address(operand), end.location
            elif isinstance(operand, TRegister) and isinstance(end, Source):
                yield "t", None, end.location


def _address(operand: PeMemory) -> tuple[object, ...]:
    shifted = None if operand.j is None else (operand.j, operand.words)
    return operand.addresses, operand.indirect, shifted


def _one_address(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    """One read address per memory and step; LM has a single port for reading and writing."""
    reads: dict[str, object] = {}
    for memory, address, location in _reading(instructions):
        if reads.setdefault(memory, address) != address:
            yield _found(
                location,
                f"{memory.upper()} is read at two addresses in one step; it has one read address",
                "read one of them a step earlier, or keep a copy in another memory",
            )
    for instruction in instructions:
        for end in instruction.destinations:
            operand = end.operand
            if not isinstance(operand, PeMemory) or operand.bank not in ("lm0", "lm1") or operand.bank not in reads:
                continue
            if reads[operand.bank] != _address(operand):
                yield _found(
                    end.location,
                    f"{operand.bank.upper()} is read and written at different addresses in one step",
                    "use the same addresses, or write to another memory",
                )


def _written(destination: Destination) -> str:
    operand = destination.operand
    if isinstance(operand, PeMemory):
        return operand.bank.upper()
    if isinstance(operand, BaseAddress):
        return f"the base address of {operand.bank.upper()}"
    if isinstance(operand, TRegister):
        return "T"
    return "the mask register" if isinstance(operand, MaskRegister) else ""


def _written_once(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for instruction in instructions:
        for destination in instruction.destinations:
            memory = _written(destination)
            if memory and memory in seen:
                yield _found(destination.location, f"{memory} is written twice in one step")
            seen.add(memory)


def _immediates(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    if not any(isinstance(source.operand, Immediate) for i in instructions for source in i.sources):
        return
    for instruction in instructions:
        for end in ends(instruction):
            if isinstance(end.operand, PeMemory) and end.operand.bank == "lm0":
                yield _found(
                    end.location, "imm and LM0 cannot be used in one step", "use another memory, e.g. LM1 or $t"
                )


def _masks(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    flushes = [i for i in instructions if i.flush is not None]
    for instruction in flushes[1:]:
        yield _found(instruction.location, "two zero-flush masks in one step")
    entries: set[int] = {i.flush for i in flushes if i.flush is not None}
    lengths: set[int] = set()
    for instruction in instructions:
        for destination in instruction.destinations:
            mask = destination.mask
            if mask is None:
                continue
            if entries - {mask.entry} or lengths - {mask.words}:
                yield _found(
                    destination.location, "all masks of a step use one entry and one length", "use the same mask"
                )
            entries.add(mask.entry)
            lengths.add(mask.words)


def _l1bm(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    """The same L1BM address written and read, or written twice, by two instructions of a step. [A]"""
    before: list[Access] = []
    transfers = [instruction for instruction in instructions if instruction.unit in ("l1bm", "l2bm")]
    for instruction in transfers if len(transfers) > 1 else ():
        here = [access for access in accesses(instruction) if access.kind in L1BM_WRITES | L1BM_READS]
        for access in here:
            for other in before:
                writes = access.kind in L1BM_WRITES or other.kind in L1BM_WRITES
                if writes and distance(other.cycles, access.cycles) is not None:
                    yield _found(access.location, "two instructions use the same L1BM address in one step")
        before += here


_RULES = (_units, _mau, _matrices, _one_address, _written_once, _immediates, _masks, _l1bm)


def conflicts(instructions: Sequence[Instruction]) -> list[Diagnostic]:
    """All findings about the instructions of one step."""
    return [finding for rule in _RULES for finding in rule(instructions)]
