"""Around a graph: its text form, a listing, cases, and writing nodes by rule."""
