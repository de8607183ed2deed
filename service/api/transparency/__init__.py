"""The endpoints of the transparency log, as the C2SP specifications define them, and of certificates."""
