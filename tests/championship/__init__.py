"""Championships over a running service that is killed again and again, and what must be true of them afterwards."""
