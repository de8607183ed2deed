"""What can be done with an exported game, offline: replay it, verify it; and how to get one."""
