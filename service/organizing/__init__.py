"""Opening many games: who may seat whom, and games that are asked for together."""
