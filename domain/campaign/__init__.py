"""Conquest of the Empire II: the Campaign game."""
