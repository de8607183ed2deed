"""The published contract: that it is what the code says, and that the service keeps it."""
