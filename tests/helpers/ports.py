"""Free ports of this machine, for servers that need a number."""

import socket


def reserved() -> socket.socket:
    """Return a socket that holds a free port until it is closed: one that merely looked free may be taken by anybody.

    It does not listen, so that a server which reuses addresses, as servers do, can; also again after it was stopped.
    """
    holding = socket.socket()
    holding.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holding.bind(("127.0.0.1", 0))
    return holding
