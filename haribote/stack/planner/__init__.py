"""The planner: which layout every value of a graph has, so that compute and moves together cost the fewest cycles."""
