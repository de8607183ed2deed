"""What tests and programs share: servers to test with, games in memory, laws, measures."""
