"""Income, trade, and what players build for combinations of cards."""
