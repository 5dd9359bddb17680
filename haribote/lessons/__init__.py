"""What notebooks measure and show: coverage of the chip, short training runs, the order of loops."""
