"""The season and a player's turn, the points at the end of a season, and the end of the game."""
