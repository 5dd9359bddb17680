"""What makes the results of element-wise operators on the chip: expressions of its instructions."""
