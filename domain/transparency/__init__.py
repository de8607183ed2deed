"""The transparency log: its tree, its notes and its proofs, after RFC 6962, RFC 9162 and the C2SP specifications."""
