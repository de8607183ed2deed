"""Accounts as players see them: their own, and those of others."""
