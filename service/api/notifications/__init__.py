"""The inbox of an account: notifications about its games, and what waits for it."""
