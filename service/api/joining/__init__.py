"""Joining two accounts of one person."""
