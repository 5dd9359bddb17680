"""The course's notebooks: sources in source/, and the tools that make notebooks of them, test and photograph them."""
