"""Webhooks: the addresses to which accounts have events sent, and the deliveries."""
