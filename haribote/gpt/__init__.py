"""A language model of one's own: a small character-level GPT, trained and read out on the chip."""
