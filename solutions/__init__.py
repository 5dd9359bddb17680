"""Reference answers, the source of truth of every stub."""
