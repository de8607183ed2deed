"""Webhooks, pushes and e-mail: which events go to whom and when, and sending them."""
