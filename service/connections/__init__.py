"""Connections: how many there may be, and what each may cost before it has asked for anything.

uvicorn keeps whatever a client sends as headers, waits for the rest of a request for ever, and counts no connections.
Here bytes are counted before they are kept, whatever is unfinished has a deadline, and every address has a limited
number of connections. A client that goes beyond a limit gets a problem, as from the app, wherever it can tell which of
its requests that answers; then the connection is closed.
"""
