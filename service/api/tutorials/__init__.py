"""The endpoints for tutorials: the lessons of a ruleset, and trying commands in them. Nothing is stored."""
