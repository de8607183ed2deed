"""What the game consists of: figures, cards, lots, hands, and the table on which all lies."""
