"""What is wrong, and where: the likely cause named, probed for and drawn."""
