"""Listening sockets, and room for their connections."""

import resource
import socket
from typing import Final

APART: Final = 256
"""How many open files a process needs beside the connections of its clients."""


def make_room(connections: int) -> int:
    """Raise the limit of open files for this many connections, as far as the system allows. Return how many fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + APART
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return connections
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if most > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(1, min(connections, most - APART))


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises `OSError`, which names the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle's algorithm off; without, every answer waits 40 ms for an ACK.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {reason}") from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address of a socket that listens, as a URL."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
