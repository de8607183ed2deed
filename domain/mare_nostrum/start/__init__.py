"""How a table begins: the set-up, the free set-up, and positions written by hand."""
