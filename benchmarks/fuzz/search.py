"""Fuzzing: `python -m benchmarks.fuzz [--seconds N] [--seed S] [--corpus PATH …]`.

Random bytes, mutated programs and random valid programs must give results or a message, never a traceback, a hang or a
difference between the engines. What is found is printed with the text that does it. Exit status 0: nothing found.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from pathlib import Path

import numpy as np

from benchmarks.fuzz import generate
from simulator import isa
from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check_text, fix_nops
from simulator.console import Parser, run_guarded, seed
from simulator.engine.machine import ENGINES, Machine
from simulator.engine.state.elements import fit
from simulator.engine.state.memories import Memories, Words
from simulator.errors import SimulatorError
from simulator.isa import ALL_PES
from simulator.judge.verdict import MARKER, judge

SLOW = 20.0  # seconds of processor time that a single text may take
HANG = 300.0  # seconds after which a text is given up, with a traceback of where it hangs
LONGEST = 200  # lines of a file of the corpus that are used, from either end
ROWS = 128  # words of every PE memory that are filled with random bits
EDGES = (0, 1 << 31, 0x7F800000, 0xFF800000, 0x3F800000, 0x7FFFFFFF, 0xFFFFFFFF, 0x00800000, 0x7E007E00, 0x80008000)
"""Words with numbers at the edges of the formats."""
ARRAYS = ("lm0", "lm1", "grf0", "grf1", "t", "omr", "bar0", "bar1", "mx", "my", "l1bm", "l2bm", "pdm", "dar")
WORDS = ("$lm0v", "$t", "$lr8", "$nowrite", "$lb64", "$lc0", "$d0@0", "/1000", "@0", "-", "mask", "d get", "]", '"')
NUMBERS = ("0", "1", "3", "15", "16", "63", "64", "511", "512", "4095", "4096", "65536", "536870911", "9" * 30)


# --- state -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _pool() -> Words:
    """Random words, a third of them numbers at the edges; drawn once, because drawing takes longer than running."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 1 << 32, 1 << 21, np.uint32)
    places = rng.random(words.size) < 0.3
    words[places] = rng.choice(np.array(EDGES, np.uint32), int(places.sum()))
    return words


def fill(machine: Machine, seed: int) -> None:
    """Random words where generated programs read."""
    rng = random.Random(seed)

    def words(*shape: int) -> Words:
        start, count = rng.randrange(_pool().size // 2), prod(shape)
        return _pool()[start : start + count].reshape(shape)

    for memory in (machine.lm0, machine.lm1, machine.grf0, machine.grf1):
        memory[:ROWS] = words(ROWS, ALL_PES)
    machine.t[...] = words(*machine.t.shape)
    for longs in (machine.l1bm, machine.l2bm, machine.pdm):
        longs[..., :1024] = words(*longs.shape[:-1], 2048).copy().view(np.uint64)
    for dram in machine.dram:
        dram[0:1024] = words(2048).copy().view(np.uint64)
    machine.dar[...] = words(*machine.dar.shape) % 200


def differences(left: Memories, right: Memories) -> list[str]:
    """What differs between two machines: memories, registers, forwarding paths."""
    found = []
    for name in ARRAYS:
        a, b = getattr(left, name), getattr(right, name)
        if not np.array_equal(a, b):
            where = np.argwhere(a != b)
            place = tuple(int(i) for i in where[0])
            found.append(f"{name}{list(place)}: {int(a[place]):#x} and {int(b[place]):#x}, {len(where)} in all")
    for name, path in left.paths.items():
        if not (fit(path, 4) == fit(right.paths[name], 4)).all():
            found.append(f"the path ${name}")
    for group, (one, other) in enumerate(zip(left.dram, right.dram, strict=True)):
        for page in sorted(set(one.pages()) | set(other.pages())):
            span = page * one.PAGE, one.PAGE
            if not np.array_equal(one.read(*span), other.read(*span)):
                found.append(f"DRAM of group {group}, from long word {span[0]} on")
    held, kept = left.turnaround, right.turnaround
    if (held is None) != (kept is None) or (held and kept and (held[0] != kept[0] or (held[1] != kept[1]).any())):
        found.append("the turnaround register")
    return found


@dataclass
class Outcome:
    """What a program does on one engine: its dump or its error."""

    dump: list[str] = field(default_factory=list)
    error: str = ""


def outcome(machine: Machine, text: str) -> Outcome:
    """Run a valid text; an error that the simulator explains is an outcome too."""
    try:
        return Outcome(machine.run(assemble(text)).dump)
    except SimulatorError as error:
        return Outcome(error=str(error))


# --- texts -----------------------------------------------------------------------------------------------------------


def random_bytes(rng: random.Random) -> bytes:
    """Bytes of all kinds, or of those that programs are made of."""
    alphabets = bytes(range(256)), b'$lmnrstvj0123456789[],;/@+- \n"ifd.#!efhu', b"\x00\xff\n\r\t \xc3\xa9"
    return bytes(rng.choices(rng.choice(alphabets), k=rng.choice((1, 10, 100, 2000, 20000))))


def mutate(rng: random.Random, text: str) -> str:
    """A text with a few changes: of characters, words, numbers and lines."""
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        line, kind = lines[at], rng.choice(("drop", "copy", "swap", "character", "word", "number", "cut"))
        if kind == "drop":
            del lines[at]
        elif kind == "copy":
            lines.insert(rng.randrange(len(lines) + 1), line)
        elif kind == "swap":
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], line
        elif kind == "character":
            place = rng.randrange(len(line) + 1)
            lines[at] = line[:place] + chr(rng.choice((*range(32, 127), 0, 9, 0x663, 0x2028))) + line[place + 1 :]
        elif kind == "word":
            parts = line.split(" ")
            parts[rng.randrange(len(parts))] = rng.choice((*WORDS, *rng.choice(lines).split(" ")))
            lines[at] = " ".join(parts)
        elif kind == "number":
            numbers = list(re.finditer(r"\d+", line))
            if numbers:
                spot = rng.choice(numbers)
                lines[at] = line[: spot.start()] + rng.choice(NUMBERS) + line[spot.end() :]
        else:
            lines[at] = line[: rng.randrange(len(line) + 1)]
        text = "\n".join(lines)
    return text


def example_program() -> str:
    """The example of every row of the table, one after another."""
    examples = [row.example for row in isa.INSTRUCTIONS.values()] + [row.example for row in isa.MOVES.values()]
    return fix_nops(assemble("\n".join(examples)))


# --- the fuzzer ------------------------------------------------------------------------------------------------------


@dataclass
class Finding:
    """Something that must not happen: what, and the text that does it."""

    what: str
    text: str


class Fuzzer:
    """Draws texts and tries them, on all engines that this computer has."""

    def __init__(self, seed: int, corpus: Sequence[str] = ()) -> None:
        """corpus: programs to mutate, beside generated ones."""
        self.rng = random.Random(seed)
        self.corpus = [example_program(), *corpus]
        self.counts: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self._text = ""
        self.trial = Path(tempfile.gettempdir()) / f"haribote-fuzz-{os.getpid()}.vsm"
        """The program on trial, which is all that a crash of the native engine leaves."""
        probes = [Machine(engine=name) for name in ENGINES]
        self.engines = list(dict.fromkeys(machine.engine for machine in probes))

    def run(self, seconds: float, most: int | None = None) -> None:
        """Try texts until the time is up, or `most` texts are done, or something is found."""
        kinds: dict[str, Callable[[], None]] = {
            "random bytes": self.try_bytes,
            "mutated programs": self.try_mutation,
            "judged answers": self.try_judge,
            "valid programs": self.try_valid,
        }
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.findings and (most is None or self.counts.total() < most):
            kind = self.rng.choices(list(kinds), (1, 3, 1, 3))[0]
            self.counts[kind] += 1
            self._guarded(kinds[kind])

    def _guarded(self, attempt: Callable[[], None]) -> None:
        """Run one attempt: an exception that nobody explains and a long silence are findings."""
        start = time.process_time()
        faulthandler.dump_traceback_later(HANG, exit=True, file=sys.__stderr__ or sys.stderr)
        try:
            attempt()
        except Exception:
            self.findings.append(Finding(traceback.format_exc(), self._text))
        finally:
            faulthandler.cancel_dump_traceback_later()
        seconds = time.process_time() - start
        if seconds > SLOW:
            self.findings.append(Finding(f"took {seconds:.0f} s", self._text))

    def try_bytes(self) -> None:
        """Bytes given to the command `check`, as a file."""
        from simulator.__main__ import main  # imports all commands

        data = random_bytes(self.rng)
        self._text = repr(data)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "random.vsm"
            path.write_bytes(data)
            with open(Path(folder) / "output", "w", encoding="utf-8") as output:
                stdout, stderr, sys.stdout, sys.stderr = sys.stdout, sys.stderr, output, output
                try:
                    status = main(["check", str(path)])
                finally:
                    sys.stdout, sys.stderr = stdout, stderr
        if status not in (0, 1, 2):
            raise AssertionError(f"exit status {status}")

    def try_mutation(self) -> None:
        """A program with changes: findings, or a run on all engines, waits or not."""
        self._text = text = mutate(self.rng, self._program())
        program, findings = check_text(text)
        for finding in findings:
            if not 1 <= finding.line <= text.count("\n") + 1 or not finding.render("fuzz.vsm"):
                raise AssertionError(f"a finding outside the text: {finding}")
        if all(finding.severity == "warning" or "(docs/isa.md, Waits)" in finding.message for finding in findings):
            assert fix_nops(program)
            self._compare(text)

    def try_judge(self) -> None:
        """A changed test case and a changed answer."""
        expected = self.rng.choice(("1.0", "-1", "inf", "nan", "1e400", "9" * 400, "0x1", "", "1, 2", "1.5]"))
        kind = self.rng.choice(("Double", "Float", "Half", "Long", "ULong", "Int", "Short", "Other"))
        case = f"{generate.debug_statement(self.rng)}\n{MARKER}\nd getd $lm0n0c0b0m0p0 1 # expect=[{expected}] / {kind}"
        case += f" @[0,0] atol={self.rng.choice(('0', '1e-3', 'x', 'nan', '1e999'))} rtol={self.rng.random()}"
        answer = self._program()
        case, answer = (mutate(self.rng, t) if self.rng.random() < 0.5 else t for t in (case, answer))
        self._text = f"{case}\n--- answer ---\n{answer}"
        try:
            judge(case, answer)
        except SimulatorError as error:
            assert str(error)

    def try_valid(self) -> None:
        """A generated program, which must be right in every respect."""
        self._text = text = generate.program(self.rng, self.rng.choice((5, 20, 40)))
        errors = [finding for finding in check_text(text)[1] if finding.severity == "error"]
        if any("lbi" not in text.split("\n")[error.line - 1] for error in errors):  # pairs of shifts are left to chance
            raise AssertionError(f"a valid program has errors: {errors}")
        self._compare(text)

    def _program(self) -> str:
        return generate.program(self.rng, 10) if self.rng.random() < 0.5 else self.rng.choice(self.corpus)

    def _compare(self, text: str) -> None:
        """The same text on every engine, from the same random state."""
        seed = self.rng.getrandbits(32)
        self.trial.write_text(f"# memory seed {seed}\n{text}", encoding="utf-8")
        machines = [Machine(engine=name) for name in self.engines]
        for machine in machines:
            fill(machine, seed)
        outcomes = [outcome(machine, text) for machine in machines]
        for name, machine, found in zip(self.engines[1:], machines[1:], outcomes[1:], strict=True):
            if found != outcomes[0]:
                raise AssertionError(f"{self.engines[0]} and {name} show {outcomes[0]} and {found}")
            different = differences(machines[0], machine)
            if different:
                raise AssertionError(f"{self.engines[0]} and {name} differ with memory seed {seed}: {different}")


# --- the command -----------------------------------------------------------------------------------------------------


def read_corpus(paths: Sequence[Path]) -> list[str]:
    """The texts of files, and of the .vsm files in folders; of long files both ends."""
    files = [file for path in paths for file in (sorted(path.rglob("*.vsm")) if path.is_dir() else [path])]
    texts = [file.read_text(encoding="utf-8").split("\n") for file in files]
    return ["\n".join(text if len(text) <= 2 * LONGEST else text[:LONGEST] + text[-LONGEST:]) for text in texts]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for a while and say what was found."""
    parser = Parser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--seed", type=seed, help="start of the random numbers (default: another one every time)")
    parser.add_argument("--corpus", type=Path, nargs="*", default=(), help="programs to mutate: .vsm files or folders")
    return run_guarded(lambda: _fuzz(parser.parse_args(arguments)))


def _fuzz(options: argparse.Namespace) -> int:
    start = random.SystemRandom().getrandbits(32) if options.seed is None else options.seed
    try:
        fuzzer = Fuzzer(start, read_corpus(options.corpus))
    except (OSError, UnicodeDecodeError) as error:
        raise SimulatorError(f"cannot read the corpus: {error}", "--corpus with .vsm files or folders") from error
    print(f"seed {start}; should Python itself crash, the program that does it is {fuzzer.trial}", flush=True)
    fuzzer.run(options.seconds)
    fuzzer.trial.unlink(missing_ok=True)
    tried = ", ".join(f"{count} {kind}" for kind, count in fuzzer.counts.items())
    print(f"engines {' and '.join(fuzzer.engines)}: {tried}")
    for finding in fuzzer.findings:
        print(f"--- found ---\n{finding.what}\n--- text ---\n{finding.text}")
    return 1 if fuzzer.findings else 0
