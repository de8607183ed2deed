"""The log of a game: its rows, the events around the table, and the game that they fold to."""
