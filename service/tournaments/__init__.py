"""Tournaments as the service runs them: what directors and players do, the games of tables, and their results."""
