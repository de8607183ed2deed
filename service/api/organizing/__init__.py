"""Organizing many games: whom accounts let seat them, and games that are asked for together."""
