"""Tutorials: lessons of a ruleset, and what comes of a try. Nothing is stored."""
