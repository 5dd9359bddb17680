"""Random valid programs, made from the table of instructions (simulator/isa): for the fuzzer and for property tests.

Every spelling, operand form and decoration of the table can appear. What shares a step is drawn at random; a step that
the assembler refuses is split into lines, a line that it refuses is drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from simulator import isa
from simulator.assembly.assembler import assemble
from simulator.assembly.checks import fix_nops
from simulator.assembly.opcodes import MOVE_OPCODES, OPCODES, Opcode
from simulator.errors import AssemblyError
from simulator.isa.forms import Form
from simulator.isa.program import Fixed
from simulator.isa.rows import ROLES, MoveRow, Row

LITERALS = ('i"-1"', 'i"0x7fffffff"', 'ui"4000000000"', 's"-32768"', 'f"1.5"', 'f"inf"', 'f"-0.0"', 'h"-1e9"', 'i"9"')
PATHS = ("$aluf", "$mauf", "$lbf")
FIXED = ("$l2bid", "$l1bid", "$mabid", "$peid", "$subpeid", "$msb1", "$mreadf")
L1B_SETS = ("0", "5", "7/0", "2/5", "0,1", "3/3", "6/1", "1/6", "0/7")
SPELLINGS = {name: [text for text, opcode in OPCODES.items() if opcode.row.name == name] for name in isa.INSTRUCTIONS}
MOVE_SPELLINGS = {name: [text for text, (row, _, _) in MOVE_OPCODES.items() if row.name == name] for name in isa.MOVES}
OTHER_LINES = (
    "mask 0", "maskmn 3", "masklrst 2", "maskllrstmnk 5", "nop/2", "nop; wait i3f",
    "l1bmm@2 $lm0v $lb0\nl1bmm $lbi $lr0v",
)  # fmt: skip
"""Mask statements, waiting, and the turnaround register read after the step that fills it."""
TRIES = 500

# --- operands --------------------------------------------------------------------------------------------------------


def _address(rng: Random, unit: int, size: int) -> int:
    """A multiple of `unit`: small as a rule, so that programs read what they wrote, sometimes close to the end."""
    if rng.random() < 0.1:
        return size - unit * rng.randint(1, 2)
    return unit * rng.randrange(max(64 // unit, 4))


def pe_memory(rng: Random, bank: str = "") -> str:
    """`$lm8v`, `$r[0,3,1,2]`, `$llmt4`, `$ls2j1` and so on."""
    letter, prefix = bank or rng.choice("mnrs"), rng.choice(("", "l", "l", "ll"))
    words = 1 << len(prefix)
    size = isa.LM_WORDS if letter in "mn" else isa.GRF_WORDS
    kind = rng.choice(("plain", "v", "v", "v", "stride", "list", "j", "t"))
    first = _address(rng, words, size)
    if kind == "list":
        return f"${prefix}{letter}[{','.join(str(_address(rng, words, size)) for _ in range(4))}]"
    if kind == "t" and letter == "m":
        return f"${prefix}mt{rng.choice(('', first, f'{first}v'))}"
    tail = {"v": "v", "stride": f"v{words * rng.randrange(9)}", "j": f"{rng.choice(('', 'v'))}j{rng.randrange(4)}"}
    return f"${prefix}{letter}{first}{tail.get(kind, '')}"


def _input(rng: Random, role_name: str, precision: str) -> str:
    role = ROLES[role_name]
    choice = rng.random()
    if Fixed in role.types and choice < 0.1:
        return rng.choice(FIXED)
    text = "$t" if choice < 0.2 else rng.choice(PATHS) if choice < 0.35 else pe_memory(rng)
    suffixes = role.suffixes(precision)
    suffix = rng.choice(suffixes) if suffixes and rng.random() < 0.25 else ""
    return f"{'-' if role.negate and rng.random() < 0.25 else ''}{text}{suffix}"


def _source(rng: Random, role_name: str, row: Row, form: Form, precision: str) -> str:
    wide = "l" if not row.shifts and rng.random() < 0.5 else ""
    unit = (form.l1bm << len(wide)) or 1
    if role_name == "literal":
        return rng.choice(LITERALS)
    if role_name == "matrix":
        return rng.choice(("$lx", "$ly"))
    if role_name == "rows":
        return f"${'ll' if precision == 'h' else 'l'}{rng.choice('xy')}{2 * rng.randrange(8)}"
    if role_name in ("lb", "block"):
        if role_name == "lb" and rng.random() < 0.1:
            return f"${wide}lbi"
        return f"${wide}lb{_address(rng, unit if role_name == 'lb' else 4 << len(wide), isa.L1BM_LONGS)}"
    if role_name == "l1bm":
        return f"$lb{_address(rng, form.l1bm, isa.L1BM_LONGS)}"
    if role_name == "lc":
        return f"$lc{_address(rng, form.l2bm, isa.L2BM_LONGS)}"
    return _input(rng, role_name, precision)


def _masked(rng: Random, text: str, mask: str) -> str:
    return f"{text}/{mask}" if mask and rng.random() < 0.7 else text


def _outputs(rng: Random, flags: bool, mask: str) -> list[str]:
    """One to three destinations of one result, under the step's mask or none."""
    if rng.random() < 0.15:
        return ["$nowrite"]
    kinds = rng.sample(["m", "n", "r", "s", "t", "base", *["omr"] * (2 * flags)], rng.choice((1, 1, 1, 2, 3)))
    found = []
    for kind in dict.fromkeys(kinds):
        if kind in "mnrs":
            text = pe_memory(rng, kind)
        elif kind == "base":
            text = rng.choice(("$mb", "$lmb", "$nb", "$lnb"))
        else:
            text = "$t" if kind == "t" else f"$omr{rng.randint(1, 15)}"
        found.append(_masked(rng, text, mask))
    return found


def _destinations(rng: Random, row: Row, form: Form, precision: str, mask: str) -> list[str]:
    role = form.destination
    if role in ("out", "flags"):
        return _outputs(rng, role == "flags", mask)
    if role == "rows":
        double = precision == "h" and rng.random() < 0.5
        return [f"${'ll' if double else 'l'}{rng.choice('xy')}{(1 + double) * rng.randrange(8)}"]
    if role == "dar":
        return [f"$dar{rng.choice((0, 100, 1020))}"]
    return [_source(rng, role, row, form, precision)] if role else []


# --- instructions ----------------------------------------------------------------------------------------------------


def _at(rng: Random, form: Form) -> str:
    if form.at == "mab":
        return f"@{rng.randrange(form.units)}"
    if form.at == "l1b":
        return f"@{rng.randrange(isa.L1BS)}"
    if form.at == "indirect" or (form.at == "set" and rng.random() < 0.5):
        return f"@{rng.choice(L1B_SETS)}"
    return ""


def instruction(rng: Random, name: str, mask: str = "", spelling: str = "") -> str:
    """One instruction of the row `name`, in this spelling or in any; the assembler may still refuse it."""
    if name == "wait":
        return f"wait i{rng.randint(1, 63):02x}"
    text = spelling or rng.choice(SPELLINGS[name])
    opcode: Opcode = OPCODES[text]
    row, precision = opcode.row, opcode.precision
    form = rng.choice(row.forms)
    head = text
    if row.shifts and rng.random() < 0.5:
        head += f"{rng.randint(-15, 15):+d}"
    head += _at(rng, form)
    number = row.number.get(precision)
    if number is not None and rng.random() < 0.8:
        head += f"/{rng.choice(number[:9])}"
    flushes = row.flush and form.destination in ("out", "flags") and not form.at
    if flushes and rng.random() < 0.1:
        head += f"/{mask.lstrip('l').replace('$l', '$').replace('$l', '$') or rng.choice(('1010', '$imr2'))}"
    inputs = [_source(rng, role, row, form, precision) for role in form.sources]
    return " ".join([head, *inputs, *_destinations(rng, row, form, precision, mask)])


def move(rng: Random, name: str, spelling: str = "") -> str:
    """One MV line of the row `name`, in this spelling or in any."""
    row: MoveRow = isa.MOVES[name]
    if not row.forms:
        return name
    text = spelling or rng.choice(MOVE_SPELLINGS[name])
    kinds = rng.choice(sorted(row.forms))
    tables = [kind.startswith("d") and rng.random() < 0.2 for kind in kinds]
    ends = [_place(rng, kind, table) for kind, table in zip(kinds, tables, strict=True)]
    parameters = [f"n{rng.choice((64, 64, 128, 192, 256))}"]
    parameters += [f"i{rng.randrange(64):02x}"] * (rng.random() < 0.3) + [f"p{rng.randrange(4)}"] * (rng.random() < 0.2)
    parameters += [f"nd{rng.randint(1, 5)}"] * (any(tables) and rng.random() < 0.6)
    rng.shuffle(parameters)
    return f"{text}/{''.join(parameters)} {' '.join(ends)}"


def _place(rng: Random, kind: str, table: bool) -> str:
    at = {"@": f"@{rng.randrange(4)}", ".": f"@.{rng.randrange(2)}"}.get(kind[1:], "")
    if kind[0] == "c":
        at = f"{at}.{rng.randrange(2)}" if kind == "c@" else at
        return f"$lc{_address(rng, 16, isa.L2BM_LONGS)}{at}"
    if table:
        return f"$di{rng.choice((0, 100, 1020))}{at}"
    return f"${kind[0]}{_address(rng, 16, isa.PDM_LONGS if kind[0] == 'p' else isa.DRAM_LONGS)}{at}"


def debug_statement(rng: Random) -> str:
    """A `d set`, a `d get` of a few units, or a DRAM preset."""
    values = "".join(f"{rng.getrandbits(64):016X}" for _ in range(2))
    if rng.random() < 0.2:
        return f"r {rng.randrange(4)} {rng.randrange(64):09X} 002 {values}"
    place, limit, levels = rng.choice(
        (("lm", 62, 5), ("n", 62, 5), ("llr", 62, 5), ("ls", 62, 5), ("lt", 2, 5), ("omr", 14, 5), ("lb", 62, 3),
         ("lc", 62, 2), ("p", 62, 1), ("d", 62, 1))
    )  # fmt: skip
    step = 2 if place in ("lm", "n", "llr", "ls") else 1
    address = step * rng.randint(place == "omr", limit // step)
    sizes = dict(zip("ncbmp", (4, 2, 8, 16, 4), strict=True))
    action = rng.choice(("set", "get", "getd", "getf", "geth", "getbd", "getbf", "getbg", "getbh"))
    units = "".join(
        f"{level}{rng.randrange(size)}"
        for level, size in list(sizes.items())[:levels]
        if action != "set" or rng.random() < 0.5
    )
    return f"d {action} ${place}{address}{units} 2{f' {values}' if action == 'set' else ''}"


# --- programs --------------------------------------------------------------------------------------------------------


def is_valid(line: str) -> bool:
    """True where the assembler takes the line."""
    try:
        assemble(line)
    except AssemblyError:
        return False
    return True


def line_with(rng: Random, name: str, spelling: str = "") -> str:
    """A valid line with an instruction of this row of the table (a row of `isa.INSTRUCTIONS` or of `isa.MOVES`).

    spelling: which of the row's, e.g. `fvadd`; any by default.
    """
    for _ in range(TRIES):
        mask = "" if rng.random() < 0.7 else rng.choice(("1010", "l0111", "ll1101", "$imr1", "$limr2", "$llimr3"))
        drawn = move(rng, name, spelling) if name in isa.MOVES else instruction(rng, name, mask, spelling)
        line = f"nop; {drawn}" if name == "wait" else drawn
        if is_valid(line):
            return line
    raise AssertionError(f"no valid line with {name} in {TRIES} tries, the last was: {line}")


def _beside(rng: Random, line: str, names: Sequence[str]) -> str:
    """The line, sharing its step with others where they fit."""
    for _ in range(rng.choice((0, 0, 1, 2))):
        together = f"{line}; {line_with(rng, rng.choice(names))}"
        line = together if is_valid(together) else line
    return line


def program(rng: Random, length: int = 20) -> str:
    """A valid program of about `length` lines, with the nops that its waits need."""
    names = [name for name in isa.INSTRUCTIONS if name not in ("nop", "wait")]
    lines = []
    for _ in range(length):
        choice = rng.random()
        if choice < 0.12:
            lines.append(line_with(rng, rng.choice(list(isa.MOVES))))
        elif choice < 0.18:
            lines.append(debug_statement(rng))
        elif choice < 0.22:
            lines.append(rng.choice(OTHER_LINES))
        else:
            lines.append(_beside(rng, line_with(rng, rng.choice(names)), names))
    text = "\n".join(lines)
    try:
        return fix_nops(assemble(text))
    except AssemblyError:  # a mask default clashes with a mask of a line
        return fix_nops(assemble("\n".join(line for line in lines if not line.startswith("mask"))))
