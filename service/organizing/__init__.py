"""Opening many games at once: consents to be seated, bulks of games, rematches."""
