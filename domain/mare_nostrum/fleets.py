"""Triremes are launched and move (MN-SEA-01 to MN-SEA-07)."""
