"""Leagues: seasons of tournaments with a table over them."""
