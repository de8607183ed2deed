"""How a table begins: the set-up, and positions written by hand."""
