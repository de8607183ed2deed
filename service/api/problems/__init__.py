"""The kinds of problems with a request. Each has an address of its own (RFC 9457)."""
