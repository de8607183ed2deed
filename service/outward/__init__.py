"""Requests to addresses that users chose: which addresses are allowed, and how long an answer may take."""
