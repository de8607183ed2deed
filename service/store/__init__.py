"""Where games are kept: `protocol` says what a store does, the other modules do it."""
