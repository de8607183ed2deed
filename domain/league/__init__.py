"""Leagues: seasons of tournaments, with a table over them, and divisions between which players go up and down.

A league is a stream of its own, with an id that begins with `l`. Whatever decides stands there: the regulations, who
belongs to which division, which tournaments count, penalties, the final tables. It could not stand in the streams of
the tournaments: each of these is for itself, so nobody could prove from them that no other tournament of the season was
left out.
"""
