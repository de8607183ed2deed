"""Pictures of positions: drawn from a ruleset's `Marks` and a board's map, and knowing no ruleset."""
