"""Random programs over the whole table of instructions, machines filled by seed, and their comparison."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from simulator import AssemblyError, Machine, assemble
from simulator.assembly.opcodes import MOVE_OPCODES, OPCODES
from simulator.errors import SimulatorError
from simulator.isa import INSTRUCTIONS
from simulator.isa.forms import Form
from simulator.isa.program import Fixed, Program
from simulator.isa.rows import ROLES, Row

LM, GRF = "mn", "rs"
FIXED = ("$l2bid", "$l1bid", "$mabid", "$peid", "$subpeid", "$msb1")
LITERALS = ('i"7"', 'i"-3"', 'ui"0xdeadbeef"', 's"-5"', 'f"1.5"', 'f"-inf"', 'h"0.375"')
ARRAYS = ("lm0", "lm1", "grf0", "grf1", "t", "omr", "bar0", "bar1", "mx", "my", "l1bm", "l2bm", "pdm", "dar")


class Writer:
    """Writes random lines of assembly; what the assembler refuses is written anew."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    # --- operands ---

    def memory(self, letters: str = LM + GRF, words: int | None = None) -> str:
        choose = self.random
        letter, words = choose.choice(letters), words or choose.choice((1, 2, 2, 4))
        size = 4096 if letter in LM else 512
        address = choose.choice((0, 8, 16, 24, 32, 40, 48, 56, 64, size - 16, size - 8, size - words)) // words * words
        prefix = "l" * (words.bit_length() - 1)
        kind = choose.random()
        if letter == "m" and kind < 0.1:
            return f"${prefix}mt{choose.choice(('', f'{address}', f'{address}v'))}"
        if kind < 0.3:
            listed = [(address + words * choose.randrange(4)) % size for _ in range(4)]
            text = f"[{','.join(map(str, listed))}]"
        else:
            text = f"{address}{choose.choice(('', 'v', 'v', 'v', f'v{4 * words}'))}"
        return f"${prefix}{letter}{text}{choose.choice(('', '', '', '', 'j0', 'j2'))}"

    def operand(self, role_name: str, form: Form, row: Row, precision: str) -> str:
        choose, role = self.random, ROLES[role_name]
        if role_name == "literal":
            return choose.choice(LITERALS)
        if role_name in ("matrix", "rows"):
            register = choose.choice("xy")
            if role_name == "matrix":
                return f"$l{register}"
            double = precision == "h" and (row.unit == "mau-read" or choose.random() < 0.5)
            return f"$ll{register}{2 * choose.randrange(8)}" if double else f"$l{register}{choose.randrange(16)}"
        if role_name in ("lb", "block", "l1bm"):
            if role_name == "lb" and choose.random() < 0.15:
                return choose.choice(("$lbi", "$llbi"))
            wide = 1 if role_name == "l1bm" else choose.choice((1, 2))
            unit = max(form.l1bm, 4) * wide
            address = choose.choice((0, unit, 3 * unit, 8192 - unit))
            return f"${'l' * wide}b{address}"
        if role_name == "lc":
            unit = form.l2bm or 16
            return f"$lc{unit * choose.choice((0, 1, 5, 32768 // unit - 1))}"
        if role_name == "dar":
            return f"$dar{choose.choice((0, 5, 1020))}"
        if role_name in ("out", "flags"):
            return self.destination(role_name)
        candidates = ["memory"] * 5 + ["$t", "$aluf", "$mauf", "$lbf"]
        if Fixed in role.types:
            candidates += ["$mreadf", choose.choice(FIXED)]
        picked = choose.choice(candidates)
        text = self.memory() if picked == "memory" else picked
        if role.negate and choose.random() < 0.3:
            text = f"-{text}"
        suffixes = role.suffixes(precision)
        return text + choose.choice(suffixes) if suffixes and choose.random() < 0.3 else text

    def destination(self, role_name: str) -> str:
        choose = self.random
        candidates = ["memory"] * 6 + ["$t", "$nowrite", "$mb", "$lnb"] + ["$omr"] * 3 * (role_name == "flags")
        picked = choose.choice(candidates)
        if picked == "$nowrite":
            return picked
        text = self.memory() if picked == "memory" else f"$omr{choose.randint(1, 3)}" if picked == "$omr" else picked
        if choose.random() < 0.3:
            text += "/" + choose.choice(("1000", "0110", "$imr1", "$imr2", "ll0101", "$llimr3", "$imr0"))
        return text

    # --- lines ---

    def instruction(self, name: str) -> str:
        choose, opcode = self.random, OPCODES[name]
        row, form = opcode.row, choose.choice(opcode.row.forms)
        precision = opcode.precision or (opcode.reduction and name[len(row.name)])
        head = name
        if form.at == "mab":
            head += f"@{choose.randrange(form.units)}"
        elif form.at == "l1b":
            head += f"@{choose.randrange(8)}"
        elif form.at == "indirect":
            head += choose.choice(("@3", "@0/1", "@2/5", "@1,3"))
        elif form.at == "set":
            head += choose.choice(("", "@3", "@0/3", "@0,4"))
        if row.shifts and choose.random() < 0.6:
            head += choose.choice(("+1", "-3", "+15"))
        if row.number.get(precision or "") and row.name != "nop" and choose.random() < 0.7:
            head += f"/{choose.randint(6, 9)}"
        if row.flush and form.destination != "lb" and choose.random() < 0.2:
            head += "/" + choose.choice(("1011", "$imr1", "$imr2"))
        if row.name == "wait":
            return "wait i01"
        words = [self.operand(role, form, row, precision or "") for role in form.sources]
        if form.destination:
            words.append(self.operand(form.destination, form, row, precision or ""))
            if ROLES[form.destination].many and words[-1] != "$nowrite" and choose.random() < 0.3:
                words.append(self.destination(form.destination))
        return " ".join([head, *words])

    def move(self, name: str) -> str:
        choose = self.random
        row = MOVE_OPCODES[name][0]
        if not row.forms:
            return name
        size = 64 * choose.choice((1, 2, 5))
        ends = []
        for kind in choose.choice(sorted(row.forms)):
            address = choose.choice((0, 64, 1000, 2048, 3, {"d": 32768, "p": 524288, "c": 32768}[kind[0]] - 64))
            group, l2b = choose.randrange(4), choose.randrange(2)
            place = {"c@": f"@{group}.{l2b}", "c.": f"@.{l2b}", "c": ""}.get(kind, f"@{group}" if "@" in kind else "")
            ends.append(f"${'lc' if kind[0] == 'c' else kind[0]}{address}{place}")
        if ends[0].startswith("$d") and choose.random() < 0.1:
            ends[0] = ends[0].replace("$d", "$di").replace("32704", "9")
        return f"{name}/n{size} {ends[0]} {ends[1]}"

    def line(self, *names: str) -> str:
        """A line with these instructions that the assembler takes; after many vain attempts, without some of them."""
        for attempt in range(400):
            kept = names if attempt < 60 else names[:1]
            parts = [self.move(name) if name in MOVE_OPCODES else self.instruction(name) for name in kept]
            text = " ; ".join(parts)
            try:
                assemble(text)
            except AssemblyError:
                continue
            return text
        raise AssertionError(f"no valid line found for {names}")

    def program(self, length: int) -> list[str]:
        """Lines of one to three instructions, moves and mask statements."""
        choose = self.random
        opcodes, moves = sorted(OPCODES), sorted(MOVE_OPCODES)
        opcodes = [name for name in opcodes if name not in ("nop", "wait", "noforward")]
        families = [[n for n in opcodes if OPCODES[n].row.unit == unit] for unit in UNITS]
        lines = []
        for _ in range(length):
            kind = choose.random()
            if kind < 0.08:
                lines.append(self.line(choose.choice(moves)))
            elif kind < 0.12:
                lines.append(choose.choice(("maskrm 1", "masklmt 2", "maskllns 3", "mask 0", "maskk 2")))
            elif kind < 0.18:
                lines.append(choose.choice(("nop", "nop/3", "l1bmm@2 $lm0v $lb0\nl1bmm $lbi $lr0v")))
            else:
                chosen = choose.sample(families, choose.choice((1, 1, 2, 3)))
                names = [choose.choice(family) for family in chosen]
                lines.append(self.line(*names, *(["noforward"] if choose.random() < 0.1 else [])))
        return valid(lines)


def valid(lines: list[str]) -> list[str]:
    """The lines without those that a mask statement before them makes wrong."""
    lines = "\n".join(lines).split("\n")
    try:
        assemble("\n".join(lines))
    except AssemblyError as error:
        wrong = {finding.line for finding in error.diagnostics}
        return [line for number, line in enumerate(lines, 1) if number not in wrong]
    return lines


UNITS = ("alu", "alu", "mau", "mau", "mau-write", "mau-read", "l1bm", "l2bm", "l2bmdarw")


def fill(machine: Machine, seed: int) -> None:
    """Random contents where the programs of `Writer` work.

    Any bits, ordinary singles, small integers, extreme exponents and mantissas, singles of few bits.
    """
    rng = np.random.default_rng(seed)

    def words(shape: tuple[int, ...]) -> Any:
        kind = rng.integers(0, 5, (*shape[:-1], 1))
        bits = rng.integers(0, 1 << 32, shape, np.uint32)
        singles = rng.standard_normal(shape).astype(np.float32).view(np.uint32)
        extreme = np.where(bits & 3 == 0, bits | 0x7F800000, np.where(bits & 1, bits | 0x007FFFFF, bits & 0x80FFFFFF))
        chosen = [bits, singles, bits & 0xFFF, extreme]
        return np.select([kind == number for number in range(4)], chosen, singles & 0xFFFFE000)

    for name in ("lm0", "lm1", "grf0", "grf1"):
        memory = getattr(machine, name)
        memory[:128] = words((128, memory.shape[1]))
        memory[-16:] = words((16, memory.shape[1]))
    machine.t[...] = words(machine.t.shape)
    machine.mx[...], machine.my[...] = words(machine.mx.shape), words(machine.my.shape)
    machine.omr[1:16] = rng.integers(0, 2, machine.omr[1:16].shape)
    for bar in (machine.bar0, machine.bar1):
        bar[...] = rng.integers(0, 64, bar.shape) * 4 if seed % 3 == 0 else 0
    for longs in (machine.l1bm[..., :1024], machine.l1bm[..., -1024:], machine.l2bm[:, :4096], machine.l2bm[:, -512:]):
        longs[...] = words((*longs.shape[:-1], 2 * longs.shape[-1])).view(np.uint64)
    for longs in (machine.pdm[:, :8192], machine.pdm[:, -512:]):
        longs[...] = words((longs.shape[0], 2 * longs.shape[1])).view(np.uint64)
    for dram in machine.dram:
        dram[0:4096] = words((8, 1024)).reshape(-1).view(np.uint64)
        dram[32000:33792] = words((7, 512)).reshape(-1).view(np.uint64)
    machine.dar[...] = rng.integers(0, 200, machine.dar.shape)


def state(machine: Machine) -> dict[str, Any]:
    """Everything a machine remembers, in shapes that do not depend on the engine."""
    everything: dict[str, Any] = {name: getattr(machine, name) for name in ARRAYS}
    for name, value in machine.paths.items():
        everything[name] = np.zeros((4, 4, machine.lm0.shape[1]), np.uint32)
        everything[name][:, : value.shape[1]] = value
    for group, dram in enumerate(machine.dram):
        everything[f"dram of group {group}"] = dram[0:131072]
    everything["dar_fetched"], everything["dar_next"] = machine.dar_fetched, np.array(machine.dar_next)
    if machine.turnaround is not None:
        everything[f"turnaround register with {machine.turnaround[0]}"] = machine.turnaround[1]
    return everything


def difference(first: Machine, second: Machine) -> str:
    """The first place where two machines differ, or ""."""
    a, b = state(first), state(second)
    if a.keys() != b.keys():
        return f"one has {sorted(a.keys() ^ b.keys())}"
    for name, value in a.items():
        if not np.array_equal(value, b[name]):
            places = np.argwhere(value != b[name])
            where = tuple(int(i) for i in places[0])
            return f"{name}{list(where)}: {value[where]:#x} and {b[name][where]:#x}; {len(places)} places differ"
    return ""


def check(lines: list[str], first: Machine, second: Machine) -> None:
    """Run lines on two machines that are alike; they must say the same and be alike again."""
    program: Program = assemble("\n".join(lines))
    outcomes = []
    for machine in (first, second):
        try:
            machine.run(program)
            outcomes.append("")
        except SimulatorError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1], "\n".join(lines)
    found = difference(first, second)
    assert not found, "\n".join([found, *lines])


def all_opcodes() -> list[str]:
    """Every spelling of every instruction, control instructions left out."""
    control = {name for name, row in INSTRUCTIONS.items() if row.unit in ("nop", "noforward", "wait")}
    return [name for name in (*sorted(OPCODES), *sorted(MOVE_OPCODES)) if name not in control]
