"""Read models: each a fold over the global log with a checkpoint; no rules here.

A projection (`projection.py`) says what an event changes in its rows, as data (`change.py`); the runner (`runner.py`)
follows the log and commits rows and checkpoint together; a `ProjectionStore` (`store.py`) keeps them. What a fold
sees is the public log and the table that it folds into, and no table holds a secret: so no row can.
"""
