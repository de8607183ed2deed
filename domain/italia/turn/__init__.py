"""The round and a nation's turn: their stages, reinforcements, stacking, points, and the end of the game."""
