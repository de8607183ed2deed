"""Read models: each a fold over the global log with a checkpoint; no rules here."""
