"""Deploy: a folder with a program in C++ that runs a graph without Python, its parameters as files beside it."""
