"""Tutorials: the lessons of a ruleset, and the outcome of a try. Nothing is stored."""
