"""From a check to the viewer: the first wrong word, what was expected, who wrote it and from what."""
