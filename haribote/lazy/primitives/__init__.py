"""What expressions are made of: elements, indices, arrays, and the same arrays in fewer steps."""
