"""The core: the few operators that every graph becomes, whatever it came from and wherever it runs."""
