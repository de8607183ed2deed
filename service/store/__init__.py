"""The stores: `protocol` says what a store does; the other modules implement it."""
