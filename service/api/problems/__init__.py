"""What can go wrong with a request, each kind with an address of its own (RFC 9457)."""
