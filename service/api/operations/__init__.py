"""What operators ask: health, readiness, metrics."""
