"""Chance that is committed to before it is drawn, and what is hidden: both can be checked once the secret is public."""
