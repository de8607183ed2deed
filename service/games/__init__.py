"""The games that are played: the hall that has them, each with its lock, and what is seen of them."""
