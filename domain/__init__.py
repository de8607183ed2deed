"""The rules: pure Python that decides and folds, knowing no I/O, no clock and no randomness of its own."""
