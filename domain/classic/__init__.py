"""Conquest of the Empire, Classic: two editions of one game, each a ruleset."""
