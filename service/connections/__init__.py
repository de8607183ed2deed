"""Connections: how many there may be, and what each may cost before it has sent a whole request.

uvicorn keeps all that a client sends as headers, waits for the rest of a request for ever, and counts no connections.
Here, bytes are counted before they are kept, an unfinished request has a deadline, and every address has a limited
number of connections. A client that goes beyond a limit gets a problem, as from the app, if it can tell which of its
requests the problem answers. Then the connection is closed.
"""
