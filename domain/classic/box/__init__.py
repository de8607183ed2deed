"""What the game consists of: editions, pieces, and the table on which they lie."""
