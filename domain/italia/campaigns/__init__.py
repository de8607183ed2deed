"""Campaigns, move by move, and how others react to them."""
