"""The proof of a game: who may bring about what, whole games as JSON Lines, and their verification."""
