"""What players see: the view, marks on the board, the battle under way."""
