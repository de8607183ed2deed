"""What the game consists of: figures, pieces, cards in hand, and the table on which all lies."""
