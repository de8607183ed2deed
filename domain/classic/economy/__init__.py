"""Phases 3 to 6: tribute, destruction of cities, purchase and placement."""
