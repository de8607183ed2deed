"""Battles by land, at sea and against slaves, who joins them, and retreats."""
