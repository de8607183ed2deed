"""Judging: disputes about games, and the rulings that decide them. A case is a stream of its own beside its game's."""
