"""Leagues: seasons of tournaments, with a table over them, and divisions between which players go up and down.

A league is a stream of its own, with an id that begins with `l`. It has all that its organizer decides: regulations,
who belongs to which division, which tournaments count, penalties, the final tables. The streams of the tournaments
could not have that: nobody could prove from them that no tournament of the season was left out.
"""
