"""What a machine holds: its memories, and reading and writing them by the emulator's names."""
