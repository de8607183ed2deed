"""Tokens of an account, and accounts as administrators and auditors see them."""
