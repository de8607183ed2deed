"""Commands that only end a stage of a turn: they begin the next one, so they stand above the course."""
