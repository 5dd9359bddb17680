"""Values read from forwarding paths instead of memory: fewer steps, the same memories."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.fuzz.generate import is_valid
from simulator import assemble
from simulator.assembly.checks import check, fix_nops
from simulator.isa.program import Program
from simulator.schedule import bounds, schedule
from simulator.schedule.nodes import nodes_of
from simulator.schedule.passing import passings
from tests.long_runs import long_runs
from tests.simulator.schedule.memories import assert_equal


def passed(*lines: str) -> list[str]:
    """What could be read from a path, as the reader would be written."""
    found = passings(nodes_of(assemble("\n".join(lines))))
    return [passing.reading(passing.reader.instruction).text for passing in found if passing.reader.instruction]


@pytest.mark.parametrize(
    ("writer", "reader", "expected"),
    [
        ("iinc $lr8v $ls0v", "fvadd $ls0v -$lr16v $lm0v", "fvadd $aluf -$lr16v $lm0v"),
        ("fvmul $lr0v $ls8v $ls0v", "fvfma $lr8v -$ls0v $lr8v $lm0v", "fvfma $lr8v -$mauf $lr8v $lm0v"),
        ("fvmul $lr0v $lr0v $ls0v", "fvmul $ls0v $ls0v $lm0v", "fvmul $mauf $mauf $lm0v"),
        ("l1bmm $lb0 $lm0v", "gbfn $lm0v $nowrite", "gbfn $lbf $nowrite"),
        ("gmread $lx0 $lm0v", "gbfn $lm0v $nowrite", "gbfn $mreadf $nowrite"),
        ("ipassa $llr0v $lls0v", "l1bmm@1 $lls0v $llb0", "l1bmm@1 $aluf $llb0"),
        ("fvmul $lr0v $lr0v $ls0v", "gmwrite $ls0v $lx0", "gmwrite $mauf $lx0"),
    ],
)
def test_what_a_path_can_pass_on(writer: str, reader: str, expected: str) -> None:
    assert passed(writer, "nop/2", reader) == [expected]
    before = assemble(f"{writer}\nnop/2\n{reader}\n")
    after = schedule(before, rename=True)
    assert after.steps == 2 >= max(bounds(before, rename=True)) and expected in after.source
    assert not check(after)
    assert_equal(before, after, engine="native")


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        ("iinc $lr8v $ls0v/1110", "iinc $ls0v $lm0v"),  # one word is older
        ("iinc $lr8v $ls0v/$imr1", "iinc $ls0v $lm0v"),
        ("iinc $lr8 $ls0", "iinc $ls0 $lm0v"),  # the same word in all cycles: the last one stays
        ("iinc $lr8v $ls0v", "iinc $ls2v $lm0v"),
        ("iinc $r8v $s0v", "iinc $s0v $m0v"),  # the path holds a second word
        ("iinc $llr8v $ls0v", "iinc $ls0v $llm0v"),  # and here a second long word
        ('imm i"3" $ls[0,2,4,6]', "iinc $ls0v $llm0v"),
        ("l1bmm $llb0 $ls0v", "iinc $ls0v $llm0v"),
        ("hvmul $lr8v $lr8v $ls0v", "iinc $ls0v $llm0v"),
        ("iinc $lr8v $ls0vj1", "iinc $ls0vj1 $lm0v"),
        ("gmread $lx0 $ls0v", "fvmul $ls0v $lr0v $lm0v"),  # $mreadf is for the ALU alone
        ("iinc $lr8v $ls0v", "fvadd $lr0v $ls0ve $lm0v"),
        ("iinc $lr8v $lm0v", "iinc $lmt0v $ls0v"),
        ("iinc $lr8v $ls0v $t", "iadd $ls0v $t $lm0v"),  # T has to be waited for anyway
    ],
)
def test_what_it_cannot(writer: str, reader: str) -> None:
    assert passed(writer, "nop/2", reader) == []


def test_what_is_written_between_is_what_is_read() -> None:
    assert passed("iinc $lr8v $ls0v", "iinc $lr16v $ls4", "nop/2", "iinc $ls0v $lm0v") == []
    assert passed("iinc $lr8v $ls0v", "iinc $lmt0v $ls16v", "iinc $lr16v $lmt8v", "iinc $ls0v $ln0v") == []


def test_a_reader_takes_from_two_paths() -> None:
    before = assemble("iinc $lr8v $ls0v\nfvmul $lm0v $lm0v $ln0v\nnop/2\nfvadd $ls0v $ln0v $lr0v\n")
    after = schedule(before, rename=True)
    assert after.steps == 2 and "fvadd $aluf $mauf $lr0v" in after.source
    assert_equal(before, after, engine="native")


def chain_program(rng: Random, length: int) -> Program:
    """Chains through few words of memory, with forwarding here and there and products between."""

    def word() -> str:
        return f"$l{rng.choice('mnrs')}{8 * rng.randrange(3)}v"

    lines: list[str] = []
    while len(lines) < length:
        target = word()
        writer = rng.choice(
            (
                f"fvmul {word()} {word()} {target}",
                f"iadd {word()} {word()} {target}",
                f"l1bmm $lb{64 * rng.randrange(2)} {target}",
                f"gmmul $lx {word()} {target}",
                f"gbfn {word()} {target} $lt",
                f"l1bmm $llb0 {target}",
            )
        )
        reader = rng.choice(
            (
                f"fvadd {target} -{word()} {word()}",
                f"iinc {target} {word()}",
                f"gmwrite {target} $lx{4 * rng.randrange(2)}",
                f"l1bmm@1 {target} $lb{64 * rng.randrange(2)}",
                f"ipassa {target} $ll{rng.choice('rs')}{16 * rng.randrange(2)}v",
                f"fvadd {target} $mauf {word()}",
            )
        )
        lines += [line for line in (writer, reader) if is_valid(line)]
    return assemble(fix_nops(assemble("\n".join(lines))))


def _check(seed: int) -> tuple[int, int]:
    before = chain_program(Random(seed), 30)
    after = schedule(before, rename=True)
    assert not [finding for finding in check(after) if finding.severity == "error"]
    assert max(bounds(before, rename=True)) <= after.steps <= before.steps
    assert_equal(before, after, seed, "native", apart_from=("l1bm", "l2bm", "pdm"))  # buffers in turn: test_rename
    return schedule(before).steps, after.steps


@pytest.mark.slow
def test_random_chains() -> None:
    counts = [_check(seed) for seed in range(3)]
    assert sum(after for _, after in counts) < sum(before for before, _ in counts)


@pytest.mark.slow
@pytest.mark.parametrize("first", [100, *long_runs(*range(120, 400, 20))])
def test_many_random_chains(first: int) -> None:
    for seed in range(first, first + 20):
        _check(seed)
