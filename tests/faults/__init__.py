"""What is left after processes were killed, the database crashed and requests came twice, late, and cut short."""
