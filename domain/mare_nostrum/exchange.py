"""Cleopatra's exchange with the bank (MN-HER-17)."""
