"""What players see: the view, marks on the board, cards to read, the battle under way."""
