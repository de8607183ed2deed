"""Pictures of positions, drawn from a ruleset's `Marks` and the map of a board. Nothing here depends on a ruleset."""
