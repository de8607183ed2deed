"""The published contract, generated from the endpoints."""
