"""How a table begins: the set-up, the first units, and positions written by hand."""
