"""The error that Redis does not answer, in a module that needs no library for Redis."""


class RedisAway(Exception):
    """Redis did not answer, or is known not to."""
