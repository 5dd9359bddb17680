"""The streaming template: products of any size whose operands come from DRAM and whose result goes there.

    panels.py     where operands and result are in DRAM
    timetable.py  steps as a table of units, with the distances that instructions keep
    template.py   the program

How rows, columns and depth are cut, and what that costs in closed form, says `haribote.stack.tilings`.

One operand is the *matrix*: its rows are the rows of the result as it is computed. The other gives the *vectors*, the
columns of the result. Which of a and b is the matrix is a choice of the tiling, and so the result may be computed
transposed.
"""

from haribote.stack.products.stream.panels import Panels
from haribote.stack.products.stream.template import emit_stream

__all__ = ["Panels", "emit_stream"]
