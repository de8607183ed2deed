"""That Redis is away, in a module that needs no library for Redis."""


class RedisAway(Exception):
    """Redis did not answer, or is known not to."""
