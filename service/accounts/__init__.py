"""Who the caller is, what they may do, and how often."""
