"""Several processes over one store: what they tell each other, and what they share."""
