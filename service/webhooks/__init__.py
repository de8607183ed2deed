"""Webhooks, pushes and e-mail: which events go to whom and when, sending them, and the answers."""
