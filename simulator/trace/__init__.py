"""Who wrote a word, and from what: from text and formulas alone, without running the program."""
