"""The rows of the table of instructions, one module per family; `simulator.isa` gathers them."""
