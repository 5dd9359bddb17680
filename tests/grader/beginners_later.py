"""Mistakes of beginners in the tasks of stages 2 to 8: task, what stands in the answer, and what is told."""

from __future__ import annotations

LATER: dict[str, tuple[str, str | tuple[str, str], str]] = {
    # 2.x
    "no result of LogSoftmax": ("2.4", "def log_softmax(g, node, grad):\n    pass\n", "a rule yields names"),
    "an axis that nobody asked about": ("2.4", ('and g.attribute("axis", -1) in (1, -1)', ""), "must be refused"),
    "an operand forgotten": ("2.5", ('g.op("Sub", name,', 'g.op("Sub",'), "Sub, reads 2 values or more, received 1"),
    # 3.x
    "each node alone": (
        "3.3", "def clusters(model):\n    return {n.name: [n] for n in model.graph.node}\n",
        "the clusters must be s t y",
    ),
    "Gemm left out": ("3.3", (' and node.op_type != "Gemm"', ""), "received are the clusters p | q y"),
    "shapes not compared": ("3.3", ("if same_shape and all", "if all"), "the clusters must be c | y"),
    "the other permutation": ("3.4", ("NCHW)", "NHWC)"), "must have shape [2, 3, 4, 4], received [2, 4, 3, 4]"),
    "element-wise nodes kept": (
        "3.4", ("g.common_perm(node) if node.op_type in ELEMENTWISE else None", "None"), "3 transposes are enough",
    ),
    "rounded twice": ("3.5", ("if name not in rounded:", "if True:"), "is rounded 2 times; once is enough"),
    "the bias rounded too": ("3.5", ("enumerate(node.input[:2])", "enumerate(node.input)"), "must read 'b' as it was"),
    # 4.x
    "no nop after l2bmb": ("4.2", ('    yield "nop"\n', ""), "insert `nop` before line 3"),
    "read before it is there": ("4.2", ("{256 + at}", "{at}"), "which no line before it has written"),
    "a group by its number": ("4.2", ("$d{source}@{group}", "$d{source}@0"), "likely cause: hard-coded address"),
    "only the first line": (
        "4.2",
        "def first_moves(source, target, group, count, x, y):\n"
        "    return [f'mvp/n{count} $d{source}@{group} $lc0@{group}.0']\n",
        "likely cause: never written",
    ),
    "nops everywhere": (
        "4.3",
        "def place_nops(**parts):\n    for part in parts.values():\n        for line in part:\n"
        "            yield line\n            yield 'nop/12'\n",
        "but 12 steps are enough",
    ),
    "lines lost": ("4.3", "def place_nops(**parts):\n    yield 'nop'\n", "the text ends before the line"),
    "a mask forgotten": ("4.4", ("/$imr2", ""), "all is x: nothing is replaced"),
    "every MAB writes": ("4.4", ("/$imr1", ""), "likely cause: writes outside its output"),
    "a float as an integer": ("4.4", ('imm f"{value}"', 'imm i"{value}"'), "is not an integer"),
    "a path that nobody filled": ("4.5", ('        yield "msr $mauf $nowrite"\n', ""), "put nothing on $aluf"),
    "two of four added": (
        "4.5", ('yield f"fvadd $aluf $ls{at}v $ln{y + at}v"', 'yield f"lpassa $ls{at}v $ln{y + at}v"'),
        "only two of the four PEs of a MAB are added",
    ),
    "no way up": ("4.6", ('if row.output_memory != "DRAM":', "if False:"), "must be a UL"),
    "the value before its DL": ("4.6", ("inputs[inputs.index(value)] = loaded", "pass"), "must read y.dl0; it reads x"),
    "moves that cost nothing": ("4.7", (" + sum(move[each] for each in moved)", ""), "there is one for 471"),
    "the mask turned": ("4.8", ("0110", "1001"), "a 1 in the mask lets its cycle write"),
    "single words": ("4.8", ("lpassa $lm0v $ln0v", "lpassa $m0v $n0v"), "the first is word 1 of"),
    "one PE, not two": ("4.19", ('"msl $aluf $ln0v"', '"msl $lm0v $ln0v"'), "that is one PE further"),
    # generators
    "the first word alone": ("5.35", ("for word in range(words)]", "for word in range(1)]"), "which is missing"),
    "T forgotten": ("5.35", ("if t or through_t else", "if t else"), "it reads ('t', 0, 0), which is missing"),
    "nothing returned inside": ("5.35", ("    return places\n    ### END", "    ### END"), "is a `return` missing?"),
    "a wait too short": ("5.36", ("self.steps[place] = step + 3", "self.steps[place] = step + 2"), "needs 2 steps"),
    "lines swallowed": ("5.36", ("        step += 1\n        yield line\n", "        step += 1\n"),
                        "the lines are not those that were given"),
    "copies for nobody": ("5.37", ("if layout.names(level) or not everywhere:", "if layout.names(level):"),
                          "pair 0, should be -1"),
    "nobody else asked": ("5.38", ("if ((there >= 0) & (there != units)).any():", "if False:"), "must be None"),
    "dealt in another order": ("5.39", (".transpose(0, 2, 1, 3).reshape", ".transpose(0, 3, 1, 2).reshape"),
                               "where the way says"),
    "no refusal": ("5.43", ("    if (found[word_of(large)] != words).any():", "    if False:"), "must be refused"),
    # 7.x
    "steps for cycles": ("7.1", ("STEP_CYCLES * line.count", "line.count"), "every value is 1/4 times the right one"),
    "from the bottom": (
        "7.6", ("for level in LEVELS:", "for level in reversed(LEVELS):"), "the words stay within 'root'",
    ),
    "the end forgotten": ("7.7", ("+ move[found[0], end]", ""), "the plan costs 32 cycles, the cheapest one 9"),
    "all are delicate": ("7.8", ("if reaches and node", "if node"), "the delicate products are A; received A, C"),
    "one after the other": ("7.9", ("free[work[number].unit] = ends[number]",
                                    "free['steps'] = free['moves'] = ends[number]"), "expected 64, received 68"),
    # 8.x
    "always axis 0": ("8.1", ("dim % len(g.shape)", "0"), "it is the running product of x along axis 0"),
    "uphill": ("8.2", ("parameter.sub_", "parameter.add_"), "by the right amount, in the wrong direction"),
    "a new tensor": ("8.2", ("parameter.sub_(mean / spread", "parameter = parameter - (mean / spread"),
                     "it is parameter itself"),
    "negative powers": ("8.3", ('return g.each("Reciprocal", total) if y < 0 else total', "return total"),
                        "it is x itself"),
    "a power without end": ("8.3", ("        rest //= 2\n", ""), "is there an endless loop?"),
    "the stride left out": ("8.4", ("i * step + u, j * step + v", "i + u, j + v"), "are wrong"),
    "all on one side": ("8.5", ("earliest + wrong_side", "earliest"), "answer.py"),
    "free too early": ("8.6", ("other.last >= buffer.first", "other.last > buffer.first"), "share byte"),
}  # fmt: skip
"""A pair is a text of the solution and what stands there instead; a text alone is the whole file."""
