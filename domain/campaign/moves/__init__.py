"""Land moves, and the cities that they take."""
