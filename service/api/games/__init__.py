"""Games: creating, joining, starting and listing them, and moving them to newer rules."""
