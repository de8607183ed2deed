"""The endpoints for tournaments."""
