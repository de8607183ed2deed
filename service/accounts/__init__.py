"""Who asks, what he may do, and how often."""
