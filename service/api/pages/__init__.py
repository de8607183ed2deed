"""Pages for people: the documentation and the reading room."""
