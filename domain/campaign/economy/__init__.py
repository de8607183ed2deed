"""Actions that bring talents, units and influence."""
