"""The embedded store: SQLite files that one process has to itself."""
