"""Chance that is committed to before it is drawn, and hidden values. Both can be checked once the secret is public."""
