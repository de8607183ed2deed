"""The games that are being played: loaded once, kept in memory, changed one command at a time."""
