"""One module per instruction family: what an instruction does to the memories."""
