"""Requests to addresses that users chose: what may be reached, and how long an answer may take."""
