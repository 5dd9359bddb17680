"""Mistakes that the feedback must call by their names; the self-test makes each and looks what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from grader.feedback import causes


@dataclass(frozen=True)
class Mistake:
    """What the solution of a task has, what stands there instead, and the cause that the feedback must name."""

    task: str
    old: str
    new: str
    cause: str


# A mistake or more for every cause.
_EACH = (
    Mistake("5.12", "range(0, op.x.words, step)", "range(step, op.x.words, step)", causes.NEVER_WRITTEN),
    Mistake("5.12", "{take(op.y, at)}", "$ln{at}v", causes.HARD_CODED),
    Mistake("5.12", "frelu {take(op.x, at)} {take(op.x, at)}", "lpassa {take(op.x, at)}", causes.NEGATIVE),
    Mistake("5.14", "$lr2v4", "$lr32v4", causes.STALE),
    Mistake("5.12", "    step, take", '    raise UnsupportedShape("a", "b")\n    step, take', causes.REFUSED),
    Mistake("5.3", '    yield "nop"\n', "", causes.READS_TOO_EARLY),
    Mistake("5.3", "{op.y.double()}", "{op.y.flat('ll', [4, 8, 12, 0])}", causes.OFF_BY_ONE),
    Mistake("5.23", "{2 * at}", "{2 * ((at + 48) % x.words)}", causes.WRONG_ROWS),
    Mistake("5.24", "{single(0.4999999403953552)}", "{single(0.4999)}", causes.PRECISION),
    Mistake("5.1", 'l2bmb $lc0 $lb0"', 'l2bmd $lc0 $lb0"', causes.WRONG_COPIES),
    Mistake("5.12", "    ### END", '    yield f"zero {op.x.long(0)}"\n    ### END', causes.STRAY),
)

# Mistakes in what is computed, and from what.
_COMPUTED = (
    Mistake("5.18", "-$lr2v4", "$lr2v4", causes.SIGN),
    Mistake("5.14", "{a.long(at + 2, 4)} $lr2v4", "{a.long(at, 4)} $lr2v4", causes.MISPAIRED),
    Mistake("5.14", "$lr2v4", "$lr2v2", causes.MISPAIRED),  # a wrong stride
    Mistake("5.14", "fvmul {a.long(at, 4)} $aluf", "fvmul $aluf $aluf", causes.NOT_USED),
    Mistake("5.18", "{d.double(at)}", "{d.double(0)}", causes.MISPAIRED),
    Mistake("5.16", "[0, 2, 0, 2]", "[0, 0, 2, 2]", causes.MISPAIRED),  # a wrong column map
    Mistake("5.13", "hvadd -{x}r -{x} $omr1", "hvadd {x}r {x} $omr1", causes.MASK),
    Mistake("5.13", "/$llimr1", "", causes.ONE_VALUE),
    Mistake("5.15", "single(op.attributes['constant'])", "single(2 * op.attributes['constant'])", causes.FACTOR),
    Mistake("5.22", '    yield "fvadd $lr18 $mauf $nowrite"\n', "", causes.LEFT_OUT),  # a level of the sum is missing
    Mistake("5.21", "fmax", "fmin", causes.OPERATION),
    Mistake("5.27", "rows[1:]", "[*rows[1:], rows[1]]", causes.TWICE),
    Mistake("5.26", "(1, 1), (8, 2)", "(1, 2), (8, 1)", causes.WRONG_COLUMNS),
    Mistake("5.28", "g, x = op.inputs", "x, g = op.inputs", causes.TRANSPOSED),
    Mistake("5.24", 'i"23"', 'i"22"', causes.ARITHMETIC),
)

_MORE = (
    Mistake("5.12", "{take(op.y, at)}", "{take(op.y, 8 - at)}", causes.WRONG_ROWS),
    Mistake(
        "5.13",
        'yield f"lpassa {ones} {y} ; hvadd -{x}r -{x} $omr1"\n        yield f"zero {y}/$llimr1"',
        'yield f"zero {y} ; hvadd {x}r {x} $omr1"\n        yield f"lpassa $t {y}/$llimr1"',
        causes.ZERO,
    ),
    Mistake("5.15", "fvmul {take(op.x, at)} {constant}", "fvpassa {take(op.x, at)}", causes.NOT_USED),
    Mistake("5.16", "fvadd", "fvmul", causes.OPERATION),
    Mistake("5.18", "w, d = op.inputs", "d, w = op.inputs", causes.SWAPPED),
    Mistake("5.20", "l1bmrffadd", "l1bmm@0", causes.LEFT_OUT),
    Mistake("5.20", "llsl $mabid $aluf $lt", "lpassa $mabid $lt", causes.MISPAIRED),
    Mistake("5.21", "{192 + 8 * j}", "{192 + 8 * ((j + 2) % 4)}", causes.WRONG_PLACE),
    Mistake("5.21", "{half(2, 2)}", "{half(0, 2)}", causes.WRONG_INPUTS),
    Mistake("5.22", "fvadd $lr18 $mauf", "fvadd -$lr18 $mauf", causes.SIGN),
    Mistake("5.23", "{v.address + 32}", "{v.address}", causes.MISPAIRED),
    Mistake("5.24", '"-88.0"', '"-300.0"', causes.LARGE),
    Mistake("5.25", "ior $mauf $t $lr24v", "lpassa $mauf $lr24v", causes.NEGATIVE),
    Mistake("5.26", "uimin", "imin", causes.LABELS),
    Mistake("5.26", "label.word(at)", "label.word(0)", causes.WRONG_INPUTS),
    Mistake("5.27", "l2bmrffadd", "l2bm@0", causes.LEFT_OUT),
    Mistake("5.28", "$ls[8,10,8,10]", "$ls[10,8,10,8]", causes.WRONG_ROWS),
    Mistake("5.7", '    yield "nop/2"\n', "", causes.READS_TOO_EARLY),
    Mistake("5.9", "op.x.double()", "op.x.flat('ll', [0, 8, 4, 12])", causes.WRONG_ROWS),
)

MISTAKES = (*_EACH, *_COMPUTED, *_MORE)
