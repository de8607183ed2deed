"""The inbox of an account: what it is told of its games, and what waits for it."""
