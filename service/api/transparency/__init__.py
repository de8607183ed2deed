"""The transparency log over HTTP, as the C2SP specifications say, and certificates of games."""
