"""Tournaments: who entered, how tables were drawn, what was decided at them, and who stands where.

A tournament is a stream of its own. Its games are streams of theirs.
"""
