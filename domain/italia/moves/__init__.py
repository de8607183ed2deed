"""Moves by land and sea, through entry areas and past strangers."""
