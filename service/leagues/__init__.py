"""Leagues: what their organizers do, and the tables of their seasons."""
