"""The endpoints for organizing many games: consents, assigned seats, bulks, rematches."""
