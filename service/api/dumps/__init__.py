"""Dumps: finished public games in bulk."""
