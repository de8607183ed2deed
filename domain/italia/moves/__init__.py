"""Moves by land and sea, those of a campaign, and how others react to them."""
