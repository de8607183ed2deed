"""The turn: roles, who acts next, what wars demand from turn to turn, and the end of the game."""
