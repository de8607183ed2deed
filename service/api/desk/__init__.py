"""What a judge sees of one step of a game."""
