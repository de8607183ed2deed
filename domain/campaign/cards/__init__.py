"""Conquest cards: how players acquire them, what they do, and when they are used."""
