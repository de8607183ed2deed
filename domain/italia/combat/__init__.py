"""Battles by land and sea, and what follows them: retreats, raids, cities, submission."""
