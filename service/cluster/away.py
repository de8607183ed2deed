"""The error for a Redis that does not answer, in a module that can be imported without the library for Redis."""


class RedisAway(Exception):
    """Redis did not answer, or is known not to."""
