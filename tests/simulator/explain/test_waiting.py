"""Why each nop is there, and which chain of steps it belongs to."""

from __future__ import annotations

from simulator import assemble
from simulator.explain.waiting import chains, waitings

PROGRAM = """\
mvb/n64 $p0@0 $lc0
l2bmb $lc0 $lb0
nop
l1bmm $llb0 $llm0v
nop/2
fvfma $lm0v $lm0v $t $lr0v ; ipassa $ls0v $ln0v
gmmul $lx $lr8v $ln8v/1000
mvp/n128 $p0@0 $d0@1
"""


def test_each_run_of_nops_has_its_reason() -> None:
    first, second = waitings(assemble(PROGRAM))
    assert (first.line, first.nops, first.needed, first.producer, first.consumer) == (3, 1, 1, 2, 4)
    assert first.rule == "L2BM to L1BM, then L1BM to PE"
    assert (second.line, second.nops, second.needed, second.producer, second.consumer) == (5, 2, 2, 4, 6)
    assert second.rule == "LM0 write, then LM0 read"


def test_nops_that_nothing_needs_or_more_than_needed() -> None:
    (idle,) = waitings(assemble('imm i"1" $r0\nnop/5\nlpassa $s0 $n0\n'))
    assert (idle.needed, idle.rule, idle.producer) == (0, "", None)
    (many,) = waitings(assemble('imm i"1" $ln0\nnop/2\nnop/3\nlpassa $ln0 $lr0\n'))
    assert (many.line, many.nops, many.needed) == (2, 5, 2)


def test_a_nop_may_serve_a_later_step() -> None:
    (late,) = waitings(assemble('imm i"1" $ln0\nnop\nimm i"2" $s0\nlpassa $ln0 $lr0\n'))
    assert (late.needed, late.producer, late.consumer) == (1, 1, 4)


def test_chains_follow_producer_and_consumer() -> None:
    program = assemble(
        'imm i"1" $ln0\nnop/2\nlpassa $ln0 $lm0\nnop/2\nlpassa $lm0 $t\nnop\nlpassa $t $lr0\n'
        'imm i"1" $s0\nnop/2\nlpassa $s0 $lln4\n'
    )
    found = chains(waitings(program))
    assert [chain.nops for chain in found] == [5, 2]
    assert [(link.producer, link.consumer) for link in found[0].links] == [(1, 3), (3, 5), (5, 7)]
