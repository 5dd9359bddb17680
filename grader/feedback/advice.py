"""What to try where a failure names no cause: how to see by oneself what the task's judge has seen.

A sentence for each task whose answer is no array; `{task}` stands for its id.
"""

from __future__ import annotations

from simulator.messages import Text

_GRAPH = Text("print the nodes of the graph that you return, one line each, and compare them with the contract")
_PUZZLE = Text('look at the picture of `puzzle("{task}")` in the notebook: which word should come from which?')
_PLAN = Text("add up by hand what your plan costs in this case: the work, and a move wherever the layout changes")
_RULE = Text("run the rule on the smallest case by hand: which names does it yield, and of what shape is each?")
_LINES = Text("print the lines of this case and go through them with `python -m simulator explain`")

OF_TASK: dict[str, Text] = {
    "1.1": _RULE,
    "1.2": Text("print each node as it is run, with the names in the dictionary before it"),
    **dict.fromkeys(("2.1", "2.2", "2.3", "2.4", "2.5"), _RULE),
    "3.1": Text("print the lines and read them as C++: is every element of y written, and every name known?"),
    "3.2": _GRAPH,
    "3.3": Text("take the nodes of the graph above one by one, from the last: who reads it, and do all of them agree?"),
    "3.4": _GRAPH,
    "3.5": _GRAPH,
    "4.1": Text("work one element out by hand: its index, digit by digit, and where each digit goes"),
    **dict.fromkeys(("4.2", "4.4", "4.5"), _LINES),
    "4.3": Text("count for each read how many steps lie behind the write that it waits for, and how many must"),
    "4.6": _GRAPH,
    "4.7": _PLAN,
    **dict.fromkeys((f"4.{number}" for number in range(8, 23)), _PUZZLE),
    "5.35": Text("write down by hand what this one line touches in each of its four cycles, and compare"),
    "5.36": Text(
        "follow the lines of this case with your clock: at which step may each read happen, and when does it?"
    ),
    "5.37": Text("draw the layout of this case: which PE holds which pair, and which levels hold copies?"),
    "5.38": Text("take the first PE that is told: where does it want what comes, and what comes to it there?"),
    "5.39": Text("number the first 16 long words by hand and deal them as the instruction does: who gets which?"),
    "5.40": _LINES,
    "5.41": _LINES,
    "5.42": Text("write down the nodes of the expression in the order in which you compute them: is each there once?"),
    "5.43": Text("take one word of one PE: which element of the matrix is it, and where is its element of the vector?"),
    **dict.fromkeys(("5.44", "5.45", "5.46", "5.47"), _LINES),
    "6.1": Text("draw the tensors that came before as boxes from address 0 on, and put this one behind them"),
    "6.2": Text("print what the loop hands over at each step: which rows, and how many"),
    "7.1": Text("write down by hand for the first lines of this case whose they are, and what each costs"),
    "7.2": Text("write down for each value when it is used next, and which of them may go"),
    "7.3": Text("write both lines down with what each reads and writes, in which cycle: who waits for whom?"),
    "7.4": Text("draw the lines of this case as a graph and add up the steps from the end"),
    "7.5": Text("take the first step that differs: which lines are ready there, and which would you take?"),
    "7.6": Text("compare the two layouts level by level, from the top: at which do the units differ first?"),
    "7.7": _PLAN,
    "7.8": Text("go back from each output by hand: which nodes hand a small error on, and to what?"),
    "7.9": Text("draw both units as rows of boxes: when is each free, and what does each work wait for?"),
    "8.1": _RULE,
    "8.2": Text("compare your lines with the formula in the contract, one state after the other"),
    "8.3": _RULE,
    "8.4": Text("write down for one element of the result which elements of x and w it is made of"),
    "8.5": Text("number the nodes of this case by hand: on which side is each, and what must be there before it?"),
    "8.6": Text("draw the values of this case as boxes, time across and bytes up: which two overlap?"),
    "9.1": Text("take the first query of this case: compute its scores, its weights and their sum, and compare"),
    "9.2": Text("number the places of this case: which token is at each before, and which afterwards?"),
}
