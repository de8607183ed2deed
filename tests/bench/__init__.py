"""Benchmarks, run by hand: ``python -m tests.bench [NAME…]`` prints JSON lines. Nothing here is timed in tests."""
