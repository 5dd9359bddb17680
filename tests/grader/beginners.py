"""Sixty mistakes of beginners: what stands in an answer, by task.

A pair is a text of the solution and what stands there instead; a text alone is the whole file.
"""

from __future__ import annotations

Mistake = tuple[str, "str | tuple[str, str]"]

ACCURACY = "def accuracy(logits, labels):\n    "
LEFT = "from haribote.errors import NotWritten\n\n\n"
ADDMM = "def addmm(g, c, a, b, *, beta=1, alpha=1):\n    "
RUN = "def run_nodes(nodes, values, compute):\n    "
RESERVE = "def reserve(end, shape):\n    "
EPOCH = "from haribote.data import batch_order\ndef train_epoch(backend, images, labels, run, epochs):\n    "
RELU = 'from haribote.kernel import kernel\n@kernel("5.12", "Relu")\ndef relu(op):\n    '

MISTAKES: dict[str, Mistake] = {
    # the file
    "a syntax error": ("0.1", f"{ACCURACY}return (logits.argmax(axis=1) == labels.mean()\n"),
    "a tab among blanks": ("0.1", "def accuracy(logits, labels):\n    x = 1\n\treturn x\n"),
    "another name of the function": ("0.1", "def acuracy(logits, labels):\n    return 0.5\n"),
    "a name that is not there": ("0.1", f"{ACCURACY}return (logit.argmax(axis=1) == labels).mean()\n"),
    "an import that is not there": ("0.1", f"import nunpy as np\n{ACCURACY}return 0.5\n"),
    "NumPy without its import": ("0.1", f"{ACCURACY}return np.mean(logits.argmax(axis=1) == labels)\n"),
    "too few parameters": ("0.1", "def accuracy(logits):\n    return 0.5\n"),
    "a leftover raise": ("5.12", f"{LEFT}{RELU}yield 'nop'\n    raise NotWritten('')\n"),
    "a leftover raise before the answer": ("0.1", f"{LEFT}{ACCURACY}raise NotWritten('')\n    return 0.5\n"),
    "the product's assembler": ("4.2", "from simulator import assemble\ndef first_moves(**given):\n    yield 'nop'\n"),
    "an endless loop": ("0.1", f"{ACCURACY}while True:\n        pass\n"),
    "exit()": ("0.1", f"{ACCURACY}exit()\n"),
    # 0.1
    "printed, not returned": ("0.1", f"{ACCURACY}print((logits.argmax(axis=1) == labels).mean())\n"),
    "an array for a number": ("0.1", f"{ACCURACY}return logits.argmax(axis=1) == labels\n"),
    "a sum for a mean": ("0.1", ("np.mean", "np.sum")),
    "the other axis": ("0.1", ("argmax(axis=1)", "argmax(axis=0)")),
    "the smallest for the largest": ("0.1", ("argmax", "argmin")),
    # 1.1, 1.2
    "operands exchanged": ("1.1", f'{ADDMM}return g.op("Add", g.op("MatMul", b, a, part="m"), c)\n'),
    "no bias": ("1.1", f'{ADDMM}return g.op("MatMul", a, b)\n'),
    "the last node with a part": ("1.1", f'{ADDMM}return g.op("Add", g.op("MatMul", a, b), c)\n'),
    "nothing returned by a rule": ("1.1", f'{ADDMM}g.op("Add", g.op("MatMul", a, b, part="m"), c)\n'),
    "a minus": ("1.1", ('"Add"', '"Sub"')),
    "no nodes are run": ("1.2", f"{RUN}return dict(values)\n"),
    "the given dictionary is changed": ("1.2", ("known = dict(values)", "known = values")),
    "names of left-out inputs": ("1.2", (" if name else None", "")),
    "nothing returned by the loop": ("1.2", ("    return known", "    known")),
    # 2.x
    "the mask forgotten": ("2.1", "def relu(g, node, grad):\n    yield g.op('Identity', grad)\n"),
    "return for yield": ("2.1", "def relu(g, node, grad):\n    return grad\n"),
    "one gradient of two": ("2.2", "def add(g, node, grad):\n    yield grad\n"),
    "not summed over the rows": ("2.2", "def add(g, node, grad):\n    yield grad\n    yield grad\n"),
    "the product exchanged": ("2.3", ('g.op("Gemm", grad, b', 'g.op("Gemm", b, grad')),
    "a flag the other way round": ("2.3", ("transB=1 - tb", "transB=tb")),
    "an update uphill": ("2.5", ('"Sub"', '"Add"')),
    "the rate left out": ("2.5", ('g.op("Mul", step, g.number(learning_rate, name), part="scaled")', "step")),
    # 3.x
    "lines returned, not yielded": ("3.1", "def gemm_loops(m, n, k, trans_a, trans_b):\n    return 'y[0] = 0;'\n"),
    "C++ without a semicolon": ("3.1", ("y[i] = 0;", "y[i] = 0")),
    "C++ of an unknown name": ("3.1", ("factor * row[j]", "faktor * row[j]")),
    "rows for columns in C++": ("3.1", ('f"a[p * {m} + i]" if trans_a', 'f"a[i * {k} + p]" if trans_a')),
    "softmax over the wrong axis": ("3.2", ("g.ints([1]", "g.ints([0]")),
    "no division": ("3.2", ('g.op("Div", exp, total)', "exp")),
    # 4.x
    "an index for a place": ("4.1", ("index // after % digit.size * digit.stride", "index")),
    "the stride forgotten": ("4.1", (" * digit.stride", "")),
    "no array": ("4.1", "def position(layout, level):\n    return None\n"),
    "return for yield in assembly": ("4.3", "def place_nops(**parts):\n    return list(parts.values())[0][0]\n"),
    "no nops": ("4.3", "def place_nops(**parts):\n    for part in parts.values():\n        yield from part\n"),
    # 5.x
    "an unknown instruction": ("5.12", f"{RELU}yield 'relu $lm0v $ln0v'\n"),
    "no lines": ("5.12", f"{RELU}return\n    yield\n"),
    "a number for a line": ("5.12", f"{RELU}yield 3\n"),
    "the input is written": ("5.14", ("{op.y", "{op.x")),
    "one address for all": ("5.12", ("{take(op.y, at)}", "$ln{at}v")),
    "another operation": ("5.14", ("fvmul", "fvadd")),
    "memory that nobody wrote": ("5.12", ("frelu {take(op.x, at)} {take(op.x, at)}", "lpassa $lr0v")),
    # 6.x
    "nothing returned": ("6.1", f"{RESERVE}address = end\n"),
    "one number for two": ("6.1", f"{RESERVE}return end\n"),
    "not rounded up": ("6.1", ("-(-end // 64) * 64", "end")),
    "losses not returned": ("6.2", f"{EPOCH}for images in []: pass\n"),
    "always the first epoch": ("6.2", ("epoch=run.epoch", "epoch=0")),
    "all rows at once": ("6.2", f"{EPOCH}return [backend.step(images, labels)]\n"),
    # 7.x, 8.x
    "no order": ("7.1", ("dict(sorted(found.items(), key=lambda entry: -entry[1]))", "found")),
    "None for a number": ("7.2", "def leaves_first(uses, now):\n    max(range(len(uses)))\n"),
    "what is needed soonest leaves": ("7.2", ("return max(", "return min(")),
    "all at one place": ("8.6", "def place(buffers):\n    return [0 for _ in buffers]\n"),
}  # fmt: skip

WORDS = {
    "a syntax error": "'(' was never closed",
    "a tab among blanks": "inconsistent use of tabs and spaces",
    "another name of the function": "has no function accuracy; is it acuracy?",
    "a name that is not there": "did you mean logits?",
    "an import that is not there": "did you mean numpy?",
    "NumPy without its import": "name 'np' is not defined",
    "too few parameters": "takes 1 positional argument but 2 were given",
    "a leftover raise": "still stands among lines of yours",
    "a leftover raise before the answer": "still stands among lines of yours",
    "the product's assembler": "of the course, they may import haribote.errors",
    "an endless loop": "is there an endless loop?",
    "exit()": "never with exit()",
    "printed, not returned": "returned nothing (None)",
    "an array for a number": "must return one number, received an array",
    "a sum for a mean": "is a mean missing?",
    "the other axis": "print the shapes",
    "the smallest for the largest": "their smallest score at the label",
    "operands exchanged": "are the operands exchanged",
    "no bias": "it is the product x · weightᵀ",
    "the last node with a part": "the result must be called 'logits'",
    "nothing returned by a rule": "must return the name of the result",
    "a minus": "off by -2 times bias",
    "no nodes are run": "the value 'a' is missing",
    "the given dictionary is changed": "begin with a copy of it",
    "names of left-out inputs": "KeyError: ''",
    "nothing returned by the loop": "run_nodes returned nothing (None)",
    "the mask forgotten": "nothing has been done to it",
    "return for yield": "a rule yields names, this one returned str",
    "one gradient of two": "yielded 1 of 2 names",
    "not summed over the rows": "is a sum or a mean over one of them missing?",
    "the product exchanged": "are the operands exchanged",
    "a flag the other way round": "is one to be transposed?",
    "an update uphill": "likely cause: wrong sign",
    "the rate left out": "times step: has that the right sign, the right factor?",
    "lines returned, not yielded": "yield every line",
    "C++ without a semicolon": "expected ';'",
    "C++ of an unknown name": "'faktor' was not declared",
    "rows for columns in C++": "read with its lengths exchanged",
    "softmax over the wrong axis": "the largest of each column is taken away",
    "no division": "is a division by its sum missing?",
    "an index for a place": "take the digit out of it",
    "the stride forgotten": "multiply it by its stride",
    "no array": "must return an array of whole numbers",
    "return for yield in assembly": "`yield` in place of `return`",
    "no nops": "likely cause: reads too early",
    "an unknown instruction": "did you mean drelu, frelu, hrelu?",
    "no lines": "likely cause: never written",
    "a number for a line": "lines of assembly are text, received int 3",
    "the input is written": "the result belongs in LM1",
    "one address for all": "likely cause: hard-coded address",
    "another operation": "every element is in0 + in1, should be in0 * in1",
    "memory that nobody wrote": "likely cause: stale value",
    "nothing returned": "must return two whole numbers",
    "one number for two": "must return two whole numbers",
    "not rounded up": "every value is 28 too small",
    "losses not returned": "no step was made",
    "always the first epoch": "it is the order of epoch 0",
    "all rows at once": "a step gets one batch of them",
    "no order": "the names must come the dearest first",
    "None for a number": "the function must return a number from 0 to 2, received None",
    "what is needed soonest leaves": "needed soonest",
    "all at one place": "buffers 0 and 1 share byte 0",
}
"""What each must be told, beside the place and what to try."""
