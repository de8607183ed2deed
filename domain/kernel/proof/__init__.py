"""The proof of a game: who may cause which event, whole games as JSON Lines, and their verification."""
