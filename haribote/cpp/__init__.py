"""The C++ backend: generate C++ from a graph, build it with the user's compiler, load it, run it."""
