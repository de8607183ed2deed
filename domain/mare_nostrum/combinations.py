"""Combinations of cards: only taxes, or goods all different; what a hand can pay and buy (chapter CMB)."""
