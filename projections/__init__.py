"""Read models: each folds the log of all streams, and has a checkpoint. No rules here.

A projection (`projection.py`) says what an event changes in its rows, as data (`change.py`); the runner (`runner.py`)
follows the log and commits rows and checkpoint together; a `ProjectionStore` (`store.py`) keeps them. A fold sees only
the public log and the table of a game. Neither holds a secret, so no row does.
"""
