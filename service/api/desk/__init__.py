"""The judge's desk: one step of a game with all that is known about it."""
