"""Telling programs outside of what happens, by Standard Webhooks: what is sent to whom, when, and what was answered."""
