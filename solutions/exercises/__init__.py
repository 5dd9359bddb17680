"""Reference answers of the other stages."""
