"""`%%vsm`: assembly in a cell of a notebook. `%load_ext simulator` makes it known; IPython is imported only then."""
