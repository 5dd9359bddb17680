"""What -O1 and -O2 are made of: layouts as maps on bits, and the moves between them (design.md, section 8)."""
