"""What a line does to the memories: the one answer that checks, scheduler, trace, view and pictures are made from.

accesses: which words of which memory each operand is, as far as the text tells; running: the same for every unit, once
the memories are known; inputs: which words each written word comes from.
"""
