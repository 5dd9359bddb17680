"""What is right: an answer's result compared with its meaning."""
