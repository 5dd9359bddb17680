"""Words of fixed vocabularies, which are stored and compared in English, as they are shown: states of tasks, medals,
levels, owners, parts of the compiler, measures, heads of tables.
"""

from __future__ import annotations

from simulator.messages import Text, shown, tr

_WORDS = (
    *(Text("passed"), Text("failed"), Text("not started"), Text("not checked"), Text("not graded"), Text("caught up")),
    *(Text("par"), Text("silver"), Text("gold"), Text("core"), Text("optional"), Text("challenge"), Text("trouble")),
    *(Text("yours"), Text("reference"), Text("product"), Text("course")),
    *(Text("nodes"), Text("words"), Text("steps"), Text("cycles"), Text("calls"), Text("writes"), Text("whose")),
    *(
        Text("part"),
        Text("task"),
        Text("file"),
        Text("lines"),
        Text("given"),
        Text("did"),
        Text("kernel"),
        Text("uses"),
    ),
    Text("share"),
    *(Text("name"), Text("operator"), Text("cost"), Text("points"), Text("right"), Text("medals"), Text("done")),
    *(Text("trace"), Text("gradients"), Text("update"), Text("passes"), Text("layouts"), Text("transfers")),
    *(Text("addresses"), Text("residency"), Text("generators"), Text("kernels"), Text("generated"), Text("copies")),
    *(Text("nops"), Text("scheduler"), Text("precision"), Text("host"), Text("loop"), Text("accuracy")),
    *(Text("group"), Text("word"), Text("chip"), Text("opt."), Text("chal."), Text("read"), Text("write")),
    Text("then"),
    *(
        Text("before"),
        Text("after"),
        Text("wanted"),
        Text("output"),
        Text("largest error"),
    ),
    *(Text("value"), Text("action"), Text("layout"), Text("in"), Text("serial"), Text("overlapped")),
    *(Text("scalar"), Text("missing"), Text("result"), Text("MV words")),
    *(Text("Var"), Text("Error"), Text("Ref Min"), Text("Ref Max"), Text("Ref Avg"), Text("Shape")),
)
_BY_NAME = {str(word): word for word in _WORDS}


def word(name: str) -> str:
    """A word of these vocabularies in the language of the moment; any other text as it is."""
    return shown(_BY_NAME.get(name, name))


def share_of(count: int, total: int) -> str:
    """`3 of 8`, in the language of the moment."""
    return tr("{count} of {total}", count, total)
