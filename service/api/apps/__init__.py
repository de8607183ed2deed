"""The endpoints for other people's apps: those that pages call, and those that the apps call."""
