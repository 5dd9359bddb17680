"""Answers as the third hints describe them, written from the hints: plain, right, and nobody's shortest."""

from __future__ import annotations

BODIES = {
    "5.14": """
    a, b = op.inputs
    for at in range(0, op.y.words, 8):
        yield f"lpassa {b.long(at)} $nowrite"
        yield f"fvmul {a.long(at)} $aluf {op.y.long(at)}"
""",
    "5.18": """
    w, d = op.inputs
    whole = op.y.words // 8 * 8
    for at in range(0, whole, 8):
        yield f"lpassa {d.long(at)} $nowrite"
        yield f"fvadd {w.long(at)} -$aluf {op.y.long(at)}"
    for at in range(whole, op.y.words, 4):
        yield f"ipassa {d.word(at)} $nowrite"
        yield f"fvadd {w.word(at)} -$aluf {op.y.word(at)}"
""",
    "5.13": """
    yield 'imm f"1.0" $t'
    yield "nop"
    for at in range(0, op.x.words, 8):
        yield f"fvadd -{op.x.long(at)} -{op.x.long(at)} $omr1 ; lpassa $t {op.y.long(at)}"
        yield f"zero {op.y.long(at)}/$imr1"
""",
    "5.24": """
    x, clamped, n, r, total, scale = op.x, "$lr0v", "$lr8v", "$lr16v", "$lr24v", "$lr32v"
    constants = [1.5 * 2**23 + 127, -0.693145751953125, -1.428606765330187e-06, 0.00138143206, 0.00836885069]
    constants += [0.0416684002, 0.166665196, 0.49999994, 1.0, 1.4426950408889634]
    for number, value in enumerate(constants):
        yield f"imm {single(value)} $ls{2 * number}"
    yield 'imm f"-88.0" $ls40'
    yield 'imm f"89.0" $ls42'
    yield 'imm i"23" $ls44'
    step, take = (8, type(x).long) if x.words % 8 == 0 else (4, type(x).word)
    for at in range(0, x.words, step):
        yield f"fmax {take(x, at)} $ls40 {clamped}"
        yield "nop"
        yield f"fmin {clamped} $ls42 {clamped}"
        yield "nop"
        yield "imm " + single(constants[0]) + " $nowrite"
        yield f"fvfma {clamped} $ls18 $aluf {total}"
        yield "nop"
        yield f"fvadd {total} -$ls0 {n}"
        yield f"ilsl {total} $ls44 {scale}"
        yield f"lpassa {clamped} $nowrite"
        yield f"fvfma {n} $ls2 $aluf $nowrite"
        yield f"fvfma {n} $ls4 $mauf {r}"
        yield "lpassa $ls6 $nowrite"
        yield f"lpassa $aluf {total}"
        yield "nop"
        for number in (4, 5, 6, 7, 8, 8):
            yield f"lpassa {total} $t"
            yield "nop"
            yield f"fvfma $t {r} $ls{2 * number} {total}"
            yield "nop"
        yield f"lpassa {total} $t"
        yield "nop"
        yield f"fvmul $t {scale} {take(op.y, at)}"
""",
    "5.5": """
    yield f"mvp/n512 {op.x.dram()} $lc0@.0"
    for i in range(8):
        yield f"l2bmb $lc{64 * i} $lb{64 * i}"
    for i in range(16):
        yield f"l1bmm $llb{32 * i} {op.y.double(16 * i)}"
""",
    "5.11": """
    for i in range(16):
        yield f"l1bmm@0 {op.x.double(16 * i)} $llb{32 * i}"
    for i in range(8):
        yield f"l2bm@0 $lb{64 * i} $lc{64 * i}"
    yield f"mvp/n512 $lc0@.0 {op.y.dram()}"
""",
    "5.10": """
    for k in range(8):
        yield f"dmwrite {op.x.long(8 * k)} $lx0"
        yield f"dmread $lx0 $lr{2 * k}/1000"
    yield "l1bmm@0 $llr0v $llb0"
    yield "nop/3"
    yield "l2bm@0 $lb0 $lc0"
    yield f"mvp/n64 $lc0@.0 {op.y.dram()}"
""",
    "5.22": """
    x = op.x
    y = op.y if op.y.memory == "LM1" else op.scratch(op.y.words)
    for k in range(16):
        yield f"lpassa {x.long(16 * k + 2, 4)} $nowrite"
        yield f"fvadd {x.long(16 * k, 4)} $aluf $lr0v $ls0v"
        yield "nop"
        yield "fvadd $r0v2 $s1v2 $r8v"
        yield "msl $mauf $nowrite"
        yield "fvadd $aluf $r8v $r16v"
        yield "msl $mauf $nowrite"
        yield "msl $aluf $nowrite"
        yield f"fvadd $aluf $r16v {y.word(4 * k)}"
    if y != op.y:
        yield "nop/2"
        for at in range(0, y.words, 16):
            yield f"lpassa {y.double(at)} {op.y.double(at)}"
""",
    "5.23": """
    x, v = op.inputs
    y = op.y if op.y.memory == "LM1" else op.scratch(op.y.words)
    for k in range(16):
        yield f"ipassa {v.word(4 * k)} $r{8 * k}v2"
        yield f"ipassa {v.word(4 * k)} $r{8 * k + 1}v2"
    for k in range(16):
        for at in (16 * k, 16 * k + 2):
            yield f"fvadd {x.long(at, 4)} -$lr{8 * k}v {y.long(at, 4)}"
    if y != op.y:
        yield "nop/2"
        for at in range(0, y.words, 16):
            yield f"lpassa {y.double(at)} {op.y.double(at)}"
""",
    "5.26": """
    label, y = op.x, op.y
    yield 'imm f"1.0" $ls0'
    yield 'imm i"1" $ls2'
    yield "nop/2"
    yield "ilsl $subpeid $ls2 $lr0v"
    for register, more in ((8, 1), (16, 8), (24, 9)):
        yield f'imm i"{more}" $ls4'
        yield "nop/2"
        yield f"iadd $lr0v $ls4 $lr{register}v"
    for at in range(0, y.words, 16):
        yield f"zero {y.double(at)}"
    for k in range(16):
        for word in range(4):
            yield f"ixor {label.word(4 * k)} $r{8 * word} $omr1"
            yield f"ipassa $s0 {y.word(16 * k + word, 4)}/$imr1"
""",
    "5.6": """
    yield f"mvp/n256 {op.x.dram()} $lc0@.0"
    yield f"mvp/n256 {op.x.dram(256)} $lc0@.1"
    for i in range(4):
        yield f"l2bmb $lc{64 * i} $lb{64 * i}"
    for i in range(8):
        yield f"l1bmm $llb{32 * i} {op.y.double(16 * i)}"
""",
    "5.31": """
    yield f"mvp/n1024 {op.x.dram()} $lc0@.0"
    yield f"mvp/n1024 {op.x.dram(1024)} $lc0@.1"
    for s in range(4):
        yield f"l2bmd $lc{256 * s} $lb{32 * s}"
    for s in range(4):
        yield f"l1bmm $llb{32 * s} {op.y.double(16 * s)}"
""",
    "5.29": """
    yield f"mvp/n2048 {op.x.dram()} $p0"
    for group in range(4):
        yield f"mvb/n2048 $p0@{group} $lc{2048 * group}"
    for i in range(32):
        yield f"l2bmd $lc{256 * i} $lb{32 * i}"
    for i in range(4):
        yield f"l1bmd $lb{256 * i} {op.y.long(8 * i)}"
""",
    "5.30": """
    yield f"mvp/n16384 {op.x.dram()} $lc0@.0"
    yield f"mvp/n16384 {op.x.dram(16384)} $lc0@.1"
    for i in range(64):
        yield f"l2bmd $lc{256 * i} $lb{32 * i}"
    for i in range(8):
        yield f"l1bmd $lb{256 * i} {op.y.long(8 * i)}"
""",
    "5.32": """
    for i in range(4):
        yield f"l1bmd {op.x.long(8 * i)} $lb{256 * i}"
    for half in range(32):
        yield f"l2bmd $lb{32 * half} $lc{256 * half}"
        if half % 8 == 7:
            g = half // 8
            yield f"mvp/n2048 $lc{2048 * g}@0.0 {op.y.dram()}@{g}"
""",
}
