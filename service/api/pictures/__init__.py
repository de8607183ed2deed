"""Positions as pictures, and what they are drawn from."""
