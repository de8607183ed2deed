"""Income, purchases, and where what was bought is placed."""
