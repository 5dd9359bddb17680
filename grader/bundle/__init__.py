"""`make bundle`: one archive for a room without a network."""
