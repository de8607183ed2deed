"""Tournaments: many games played by one set of regulations, each decision an event that a stranger can check."""
