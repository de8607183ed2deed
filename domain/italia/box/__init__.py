"""What the game consists of: pieces, figures, cards, and the table on which they lie."""
