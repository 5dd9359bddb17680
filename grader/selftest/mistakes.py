"""Mistakes that the feedback must call by their names; the self-test makes each and looks what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from grader.feedback.causes import (
    ARITHMETIC,
    FACTOR,
    HARD_CODED,
    LABELS,
    LARGE,
    LEFT_OUT,
    MASK,
    MISPAIRED,
    NEGATIVE,
    NEVER_WRITTEN,
    NOT_USED,
    OFF_BY_ONE,
    ONE_VALUE,
    OPERATION,
    PRECISION,
    READS_TOO_EARLY,
    REFUSED,
    SIGN,
    STALE,
    STRAY,
    SWAPPED,
    TRANSPOSED,
    TWICE,
    WRONG_COLUMNS,
    WRONG_COPIES,
    WRONG_INPUTS,
    WRONG_PLACE,
    WRONG_ROWS,
    ZERO,
)


@dataclass(frozen=True)
class Mistake:
    """What the solution of a task has, what stands there instead, and the cause that the feedback must name."""

    task: str
    old: str
    new: str
    cause: str


# A mistake or more for every cause.
_EACH = (
    Mistake("5.12", "range(0, op.x.words, step)", "range(step, op.x.words, step)", NEVER_WRITTEN),
    Mistake("5.12", "{take(op.y, at)}", "$ln{at}v", HARD_CODED),
    Mistake("5.12", "frelu {take(op.x, at)} {take(op.x, at)}", "lpassa {take(op.x, at)}", NEGATIVE),
    Mistake("5.14", "$lr2v4", "$lr32v4", STALE),
    Mistake("5.12", "    step, take", '    raise UnsupportedShape("a", "b")\n    step, take', REFUSED),
    Mistake("5.3", '    yield "nop"\n', "", READS_TOO_EARLY),
    Mistake("5.3", "{op.y.double()}", "{op.y.flat('ll', [4, 8, 12, 0])}", OFF_BY_ONE),
    Mistake("5.23", "{2 * at}", "{2 * ((at + 48) % x.words)}", WRONG_ROWS),
    Mistake("5.24", "{single(0.4999999403953552)}", "{single(0.4999)}", PRECISION),
    Mistake("5.1", 'l2bmb $lc0 $lb0"', 'l2bmd $lc0 $lb0"', WRONG_COPIES),
    Mistake("5.12", "    ### END", '    yield f"zero {op.x.long(0)}"\n    ### END', STRAY),
)

# Mistakes in what is computed, and from what.
_COMPUTED = (
    Mistake("5.18", "-$lr2v4", "$lr2v4", SIGN),
    Mistake("5.14", "{a.long(at + 2, 4)} $lr2v4", "{a.long(at, 4)} $lr2v4", MISPAIRED),
    Mistake("5.14", "$lr2v4", "$lr2v2", MISPAIRED),  # a wrong stride
    Mistake("5.14", "fvmul {a.long(at, 4)} $aluf", "fvmul $aluf $aluf", NOT_USED),
    Mistake("5.18", "{d.double(at)}", "{d.double(0)}", MISPAIRED),
    Mistake("5.16", "[0, 2, 0, 2]", "[0, 0, 2, 2]", MISPAIRED),  # a wrong column map
    Mistake("5.13", "hvadd -{x}r -{x} $omr1", "hvadd {x}r {x} $omr1", MASK),
    Mistake("5.13", "/$llimr1", "", ONE_VALUE),
    Mistake("5.15", "single(op.attributes['constant'])", "single(2 * op.attributes['constant'])", FACTOR),
    Mistake("5.22", '    yield "fvadd $lr18 $mauf $nowrite"\n', "", LEFT_OUT),  # a level of the sum is missing
    Mistake("5.21", "fmax", "fmin", OPERATION),
    Mistake("5.27", "rows[1:]", "[*rows[1:], rows[1]]", TWICE),
    Mistake("5.26", "(1, 1), (8, 2)", "(1, 2), (8, 1)", WRONG_COLUMNS),
    Mistake("5.28", "g, x = op.inputs", "x, g = op.inputs", TRANSPOSED),
    Mistake("5.24", 'i"23"', 'i"22"', ARITHMETIC),
)

_MORE = (
    Mistake("5.12", "{take(op.y, at)}", "{take(op.y, 8 - at)}", WRONG_ROWS),
    Mistake(
        "5.13",
        'yield f"lpassa {ones} {y} ; hvadd -{x}r -{x} $omr1"\n        yield f"zero {y}/$llimr1"',
        'yield f"zero {y} ; hvadd {x}r {x} $omr1"\n        yield f"lpassa $t {y}/$llimr1"',
        ZERO,
    ),
    Mistake("5.15", "fvmul {take(op.x, at)} {constant}", "fvpassa {take(op.x, at)}", NOT_USED),
    Mistake("5.16", "fvadd", "fvmul", OPERATION),
    Mistake("5.18", "w, d = op.inputs", "d, w = op.inputs", SWAPPED),
    Mistake("5.20", "l1bmrffadd", "l1bmm@0", LEFT_OUT),
    Mistake("5.20", "llsl $mabid $aluf $lt", "lpassa $mabid $lt", MISPAIRED),
    Mistake("5.21", "{192 + 8 * j}", "{192 + 8 * ((j + 2) % 4)}", WRONG_PLACE),
    Mistake("5.21", "{half(2, 2)}", "{half(0, 2)}", WRONG_INPUTS),
    Mistake("5.22", "fvadd $lr18 $mauf", "fvadd -$lr18 $mauf", SIGN),
    Mistake("5.23", "{v.address + 32}", "{v.address}", MISPAIRED),
    Mistake("5.24", '"-88.0"', '"-300.0"', LARGE),
    Mistake("5.25", "ior $mauf $t $lr24v", "lpassa $mauf $lr24v", NEGATIVE),
    Mistake("5.26", "uimin", "imin", LABELS),
    Mistake("5.26", "label.word(at)", "label.word(0)", WRONG_INPUTS),
    Mistake("5.27", "l2bmrffadd", "l2bm@0", LEFT_OUT),
    Mistake("5.28", "$ls[8,10,8,10]", "$ls[10,8,10,8]", WRONG_ROWS),
    Mistake("5.7", '    yield "nop/2"\n', "", READS_TOO_EARLY),
    Mistake("5.9", "op.x.double()", "op.x.flat('ll', [0, 8, 4, 12])", WRONG_ROWS),
)

MISTAKES = (*_EACH, *_COMPUTED, *_MORE)
