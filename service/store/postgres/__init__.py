"""The store over PostgreSQL, for any number of processes."""
