"""The commands of `python -m simulator`, one module each: `register` adds it to the command line."""
