"""Tournaments: who entered, how tables were drawn, how they ended, and who stands where.

A tournament is a stream of its own. Each of its games is another stream.
"""
