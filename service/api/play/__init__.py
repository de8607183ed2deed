"""The position, what a seat may do, and doing it."""
