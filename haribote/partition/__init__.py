"""Cut a graph of which the chip cannot run all: pieces for the chip and pieces for the host, and what crosses."""
