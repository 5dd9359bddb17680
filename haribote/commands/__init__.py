"""The commands: `haribote export | compile | test | kernel | train | infer | view | data | demo`."""
