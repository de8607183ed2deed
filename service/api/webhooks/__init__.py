"""Webhooks: where accounts are told of what happens, and what was sent there."""
