"""What every ruleset shares, and nothing that belongs to one game."""
