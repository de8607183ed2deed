"""The endpoints for operators: health, readiness, metrics."""
