"""Running tournaments: acts of directors and players, drawing rounds, games of tables, results."""
