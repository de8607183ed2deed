"""The service as a client meets it: a real server on a port of its own, a real file under it."""
