"""Tournaments: announced, entered, drawn, played and closed."""
