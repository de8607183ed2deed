"""The endpoints for playing: the position, the options of a seat, and commands."""
