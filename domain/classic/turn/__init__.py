"""The turn and its phases, what ends with a round, inflation, and the end of the game."""
